/* SPDX-License-Identifier: MIT */
/*
 * The front before shading: attribute conversion and robust bounds, index reading, vertex reuse,
 * primitive assembly over chunk and instance borders; and the thread pool.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "renderer/internal.h"
#include "tests/harness/check.h"

static struct rn_front_worker *worker;
static struct rn_front_draw draw;
static struct rn_program program;
static struct vliw_info vertex_info;
static struct vliw_io inputs[2];
static float lanes[2][4][VM_LANES];

/* A worker whose two inputs go to 'lanes'. */
static bool begin(uint8_t mask0, uint8_t mask1) {
    if (!worker) {
        worker = rn_front_worker_create();
    }
    if (!worker) {
        return false;
    }
    memset(&draw, 0, sizeof draw);
    inputs[0] = (struct vliw_io){.semantic = VLIW_SEM_ATTRIB, .index = 3, .mask = mask0};
    inputs[1] = (struct vliw_io){.semantic = VLIW_SEM_ATTRIB, .index = 0, .mask = mask1};
    vertex_info.inputs = inputs;
    vertex_info.input_count = 2;
    program.info[VLIW_STAGE_VERTEX] = &vertex_info;
    draw.program = &program;
    draw.input = rn_input_kernels_for(vliw_simd_level());
    worker->element_high = UINT32_MAX; /* elements may lie anywhere */
    worker->run = false;
    worker->draw = &draw;
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 4; c++) {
            worker->inputs[i][c] = (i ? mask1 : mask0) >> c & 1 ? lanes[i][c] : NULL;
        }
    }
    return true;
}

TEST(attributes_are_converted_as_specified) {
    static const int8_t s8[4] = {-128, 127, 0, 5};
    static const uint8_t u8[4] = {0, 255, 1, 128};
    static const int16_t s16[4] = {-32768, 32767, 0, 99};
    static const uint16_t u16[4] = {0, 65535, 1, 300};
    static const int32_t fixed[4] = {65536, -32768, 1, 0};
    static const float f32[4] = {1.5f, -0.0f, 1e-40f, 3e38f};
    static const uint16_t f16[4] = {0x3C00, 0xC000, 0x0001, 0x7BFF};
    static const struct {
        const void *data;
        uint8_t type;
        bool normalized;
        float want[4];
    } cases[] = {
        {s8, RN_ATTRIB_S8, false, {-128, 127, 0, 5}},
        {s8, RN_ATTRIB_S8, true, {-1, 1, 1 / 255.0f, 11 / 255.0f}},
        {u8, RN_ATTRIB_U8, false, {0, 255, 1, 128}},
        {u8, RN_ATTRIB_U8, true, {0, 1, 1 / 255.0f, 128 / 255.0f}},
        {s16, RN_ATTRIB_S16, false, {-32768, 32767, 0, 99}},
        {s16, RN_ATTRIB_S16, true, {-1, 1, 1 / 65535.0f, 199 / 65535.0f}},
        {u16, RN_ATTRIB_U16, false, {0, 65535, 1, 300}},
        {u16, RN_ATTRIB_U16, true, {0, 1, 1 / 65535.0f, 300 / 65535.0f}},
        {fixed, RN_ATTRIB_FIXED, false, {1, -0.5f, 1.52587890625e-5f, 0}},
        {f32, RN_ATTRIB_F32, false, {1.5f, -0.0f, 1e-40f, 3e38f}},
        {f16, RN_ATTRIB_F16, false, {1, -2, 5.9604644775390625e-8f, 65504}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint8_t components = 1; components <= 4; components++) {
            struct rn_draw_state *state = calloc(1, sizeof *state);
            CHECK(state && begin(15, 0));
            state->attribs[3] = (struct rn_attrib){.data = cases[i].data,
                                                   .size = SIZE_MAX,
                                                   .stride = 0,
                                                   .type = cases[i].type,
                                                   .components = components,
                                                   .normalized = cases[i].normalized};
            rn_fetch_plan(&draw, state);
            worker->element[0] = worker->instance[0] = 0;
            rn_fetch_batch(worker, 0, 1);
            for (int c = 0; c < 4; c++) {
                const float want = c < components ? cases[i].want[c] : c == 3 ? 1.0f : 0.0f;
                CHECK(memcmp(&lanes[0][c][0], &want, sizeof want) == 0);
            }
            free(state);
        }
    }
}

TEST(elements_beyond_a_buffer_read_0001) {
    struct rn_draw_state *state = calloc(1, sizeof *state);
    /* Exactly sized, so that a sanitizer sees a read beyond; odd stride and offset. */
    const size_t size = 5 * 13 + 6;
    uint8_t *data = malloc(size);
    CHECK(state && data && begin(15, 15));
    memset(data, 1, size);
    state->attribs[3] = (struct rn_attrib){.data = data,
                                           .size = size,
                                           .stride = 13,
                                           .type = RN_ATTRIB_U16,
                                           .components = 3,
                                           .normalized = false};
    state->attribs[0] = (struct rn_attrib){.value = {1, 2, 3, 4}};
    rn_fetch_plan(&draw, state);
    static const uint32_t element[8] = {0, 5, 6, 7, 4, 0xFFFFFFFF, 0x80000000u, 1};
    memcpy(worker->element, element, sizeof element);
    rn_fetch_batch(worker, 0, 8);
    for (int i = 0; i < 8; i++) {
        const bool inside = element[i] <= 5;
        for (int c = 0; c < 4; c++) {
            CHECK(lanes[0][c][i] == (c == 3 ? 1.0f : inside ? 257.0f : 0.0f));
            CHECK(lanes[1][c][i] == (float)(c + 1));
        }
    }
    state->attribs[3].size = 5; /* not one element */
    rn_fetch_plan(&draw, state);
    rn_fetch_batch(worker, 0, 8);
    CHECK(lanes[0][0][0] == 0.0f && lanes[0][3][0] == 1.0f);
    free(data);
    free(state);
}

TEST(divisors_step_by_instances) {
    struct rn_draw_state *state = calloc(1, sizeof *state);
    static const float data[4] = {10, 11, 12, 13};
    CHECK(state && begin(1, 1));
    state->attribs[3] = (struct rn_attrib){.data = (const uint8_t *)data,
                                           .size = sizeof data,
                                           .stride = 4,
                                           .type = RN_ATTRIB_F32,
                                           .components = 1,
                                           .divisor = 1};
    state->attribs[0] = state->attribs[3];
    state->attribs[0].divisor = 3;
    rn_fetch_plan(&draw, state);
    for (uint32_t i = 0; i < 8; i++) {
        worker->element[i] = 77;
        worker->instance[i] = i;
    }
    rn_fetch_batch(worker, 0, 8);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(lanes[0][0][i] == (i < 4 ? (float)(10 + i) : 0.0f));
        CHECK(lanes[1][0][i] == (float)(10 + i / 3));
    }
    free(state);
}

TEST(indices_beyond_a_buffer_read_0) {
    for (uint8_t bytes = 1; bytes <= 4; bytes = (uint8_t)(bytes * 2)) {
        uint8_t *memory = malloc((size_t)7 * bytes);
        CHECK(memory != NULL);
        memset(memory, 3, (size_t)7 * bytes);
        struct rn_draw_call call = {
            .index_bytes = bytes, .indices = memory, .indices_size = (size_t)7 * bytes};
        uint32_t out[12];
        CHECK(begin(0, 0));
        draw.call = &call;
        struct rn_index_range range = {UINT32_MAX, 0};
        const uint32_t value = bytes == 1 ? 3 : bytes == 2 ? 0x303 : 0x3030303;
        rn_fetch_indices(&draw, 2, 5, out, &range);
        CHECK(range.low == value && range.high == value);
        rn_fetch_indices(&draw, 2, 12, out, &range);
        CHECK(range.low == 0 && range.high == value);
        for (uint32_t i = 0; i < 12; i++) {
            CHECK_EQ_INT(out[i], i < 5 ? value : 0);
        }
        rn_fetch_indices(&draw, 0xFFFFFFF0u, 12, out, &range);
        CHECK_EQ_INT(out[0], 0);
        free(memory);
    }
}

TEST(equal_indices_share_a_slot) {
    CHECK(begin(0, 0));
    static uint32_t index[RN_SLOTS];
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t n = 1 + check_random_below(RN_SLOTS - 200);
        const uint32_t range = round % 3 == 0 ? 5 : round % 3 == 1 ? 3000 : 0xFFFFFFFFu;
        for (uint32_t i = 0; i < n; i++) {
            index[i] = 1000 + check_random_below(range);
            if (i && check_random_below(3) == 0) {
                index[i] = index[check_random_below(i)];
            }
        }
        uint32_t slots = 100, wrong = 0;
        struct rn_index_range bounds = {UINT32_MAX, 0};
        for (uint32_t i = 0; i < n; i++) {
            bounds.low = index[i] < bounds.low ? index[i] : bounds.low;
            bounds.high = index[i] > bounds.high ? index[i] : bounds.high;
        }
        static uint32_t before[RN_SLOTS];
        memcpy(before, index, n * sizeof index[0]);
        const struct rn_slot_map map =
            rn_vcache_assign(worker->vcache, index, n, bounds, worker->element, &slots);
        for (uint32_t i = 0; i < n; i++) {
            worker->corner[i] = rn_slot_of(&map, map.index[i]);
            index[i] = before[i];
        }
        wrong += map.consecutive && slots - 100 != bounds.high - bounds.low + 1;
        static bool seen[RN_SLOTS];
        memset(seen, 0, sizeof seen);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t s = (uint32_t)worker->corner[i];
            const bool valid = s >= 100 && s < slots;
            wrong += !valid || worker->element[s] != index[i];
            seen[valid ? s : 0] = true;
        }
        CHECK_EQ_INT(wrong, 0);
        for (uint32_t i = 100; i < slots;
             i++) { /* every slot is used, and none twice for an index */
            wrong += !seen[i];
            for (uint32_t j = i + 1; j < slots && j < i + 50; j++) {
                wrong += worker->element[i] == worker->element[j];
            }
        }
        CHECK_EQ_INT(wrong, 0);
        CHECK(range != 5 || slots <= 105);
    }
}

/* Floats, widened indices and triples of one backend's kernels, one by one. */
static void check_floats(const struct rn_input_kernels *k, const char *isa) {
    for (unsigned components = 1; components <= 4; components++) {
        for (size_t stride = 4 * components; stride <= 40; stride += 6) {
            for (unsigned run = 0; run < 2; run++) {
                const uint32_t n = 1 + check_random_below(70), high = 100;
                /* Exactly sized: where 16 bytes can be read depends on it. */
                const size_t size = high * stride + 4 * components;
                uint8_t *data = malloc(size);
                for (size_t i = 0; i < size; i++) {
                    data[i] = (uint8_t)(check_random() & 0x3F); /* no NaN */
                }
                uint32_t index[96] = {0};
                const uint32_t first = check_random_below(high + 2 - n);
                for (uint32_t i = 0; i < n; i++) {
                    index[i] = run ? first + i : check_random_below(high + 1);
                }
                uint32_t wide = 0, wrong = 0;
                while (wide < n && index[wide] * stride + 16 <= size) {
                    wide++;
                }
                float got[4][96], *out[4] = {got[0], got[1], got[2], got[3]};
                k->floats(data, stride, index, wide, n, out, components, run);
                for (uint32_t i = 0; i < n; i++) {
                    for (unsigned c = 0; c < components; c++) {
                        wrong += memcmp(&got[c][i], data + index[i] * stride + 4 * c, 4) != 0;
                    }
                }
                check_count();
                if (wrong) {
                    check_failf(__FILE__, __LINE__, "%s floats: %u of %u, stride %u, %u wrong", isa,
                                components, (unsigned)n, (unsigned)stride, (unsigned)wrong);
                }
                free(data);
            }
        }
    }
}

static void check_indices(const struct rn_input_kernels *k) {
    for (unsigned bytes = 1; bytes <= 4; bytes *= 2) {
        for (uint32_t n = 0; n < 80; n++) {
            uint8_t *from = malloc((size_t)n * bytes + 1);
            for (size_t i = 0; i < (size_t)n * bytes; i++) {
                from[i] = (uint8_t)check_random();
            }
            uint32_t out[80], low = 500, high = 500, wrong = 0;
            struct rn_index_range range = {low, high};
            k->indices[bytes >> 1](from, n, out, &range);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t v = from[i];
                uint16_t half;
                if (bytes == 2) {
                    memcpy(&half, from + 2 * i, sizeof half);
                    v = half;
                } else if (bytes == 4) {
                    memcpy(&v, from + 4 * i, sizeof v);
                }
                wrong += out[i] != v;
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
            CHECK(wrong == 0 && range.low == low && range.high == high);
            free(from);
        }
    }
}

static void check_triples(const struct rn_input_kernels *k) {
    for (uint32_t n = 0; n < 60; n++) {
        static uint32_t index[60 * 3 + 48];
        static int32_t table[1000], slots[3][80];
        for (uint32_t i = 0; i < 3 * n; i++) {
            index[i] = 700 + check_random_below(1000);
        }
        for (uint32_t i = 0; i < 1000; i++) {
            table[i] = (int32_t)check_random_below(9999);
        }
        const struct rn_slot_map maps[2] = {{index, table, 700, 0, false},
                                            {index, NULL, 700, -600, true}};
        for (unsigned m = 0; m < 2; m++) {
            uint32_t wrong = 0;
            k->triples(&maps[m], n, slots[0], slots[1], slots[2]);
            for (uint32_t i = 0; i < 3 * n; i++) {
                const int32_t want =
                    m ? (int32_t)index[i] - 600 : table[index[i] - 700];
                wrong += slots[i % 3][i / 3] != want;
            }
            CHECK_EQ_INT(wrong, 0);
        }
    }
}

TEST(input_kernels_of_every_isa) {
    for (int level = 0; level <= (int)vliw_simd_level(); level++) {
        const struct rn_input_kernels *k = rn_input_kernels_for((enum vliw_simd)level);
        check_floats(k, vliw_simd_name((enum vliw_simd)level));
        check_indices(k);
        check_triples(k);
    }
}

/* Vertex k of primitive p of a mode, by the specification. */
static uint32_t naive(uint8_t mode, uint32_t count, uint32_t p, uint32_t k) {
    switch (mode) {
    case RN_POINTS: return p;
    case RN_LINES: return 2 * p + k;
    case RN_LINE_LOOP: return (p + k) % count;
    case RN_LINE_STRIP: return p + k;
    case RN_TRIANGLES: return 3 * p + k;
    case RN_TRIANGLE_STRIP: /* odd ones are turned */ return k == 0 || !(p & 1) ? p + k : p + 3 - k;
    default: return k == 0 ? 0 : p + k;
    }
}

TEST(assembly_agrees_with_the_specification_over_chunks_and_instances) {
    CHECK(begin(0, 0));
    static uint16_t indices[5000];
    for (uint32_t i = 0; i < 5000; i++) {
        indices[i] = (uint16_t)(check_random_below(4) ? i : check_random_below(5000));
    }
    for (uint8_t mode = RN_POINTS; mode <= RN_TRIANGLE_FAN; mode++) {
        static const uint32_t counts[] = {1, 2, 3, 4, 5, 7, 700, 5000};
        for (unsigned c = 0; c < 8; c++) {
            for (unsigned indexed = 0; indexed < 2; indexed++) {
                struct rn_draw_call call = {
                    .mode = mode, .count = counts[c], .first = 9, .instances = 3};
                if (indexed) {
                    call.index_bytes = 2;
                    call.indices = indices;
                    call.indices_size = sizeof indices;
                }
                draw.call = &call;
                draw.prims = rn_mode_prims(mode, call.count);
                const uint32_t corners = rn_mode_class(mode) == RN_CLASS_POINT  ? 1
                                         : rn_mode_class(mode) == RN_CLASS_LINE ? 2
                                                                                : 3;
                const uint64_t total = (uint64_t)draw.prims * 3;
                uint32_t wrong = 0;
                for (uint64_t first = 0; first < total; first += 1024) {
                    const uint32_t n = total - first < 1024 ? (uint32_t)(total - first) : 1024;
                    const uint32_t slots = rn_assemble(worker, first, n);
                    wrong += slots > RN_SLOTS;
                    for (uint32_t k = 0; k < n; k++) {
                        const uint32_t p = (uint32_t)((first + k) % draw.prims);
                        for (uint32_t v = 0; v < corners; v++) {
                            const uint32_t stream = naive(mode, call.count, p, v),
                                           s = (uint32_t)worker->prim[v][k];
                            wrong += s >= slots ||
                                     worker->instance[s] != (first + k) / draw.prims ||
                                     worker->element[s] != (indexed ? indices[stream] : 9 + stream);
                        }
                    }
                }
                CHECK_EQ_INT(wrong, 0);
            }
        }
    }
}

/* ---- pool ---------------------------------------------------------------------------- */

static atomic_uint hits[3000];
static atomic_uint inside, most;

static void hit(void *context, unsigned number, uint32_t index) {
    const unsigned now = atomic_fetch_add(&inside, 1) + 1;
    unsigned seen = atomic_load(&most);
    while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now)) {
    }
    atomic_fetch_add(&hits[index], *(unsigned *)context);
    if (number >= 5) {
        atomic_fetch_add(&hits[index], 1000);
    }
    atomic_fetch_sub(&inside, 1);
}

static void *caller(void *pool) {
    unsigned one = 1;
    for (int i = 0; i < 50; i++) {
        if (i % 3 == 0 || !rn_pool_try_run(pool, hit, &one, 300)) { /* false: another caller's job is under way */
            rn_pool_run(pool, hit, &one, 300);
        }
    }
    return NULL;
}

TEST(pool_runs_every_index_once_for_every_caller) {
    struct rn_pool *pool = rn_pool_create(5);
    CHECK(pool && rn_pool_threads(pool) == 5);
    unsigned one = 1;
    memset(hits, 0, sizeof hits);
    rn_pool_run(pool, hit, &one, 3000);
    rn_pool_run(pool, hit, &one, 1);
    rn_pool_run(pool, hit, &one, 0);
    for (int i = 0; i < 3000; i++) {
        CHECK_EQ_INT(hits[i], 1 + (i == 0));
    }
    memset(hits, 0, sizeof hits);
    pthread_t callers[3];
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&callers[i], NULL, caller, pool) == 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(callers[i], NULL);
    }
    for (int i = 0; i < 300; i++) {
        CHECK_EQ_INT(hits[i], 150);
    }
    CHECK(most <= 5);
    rn_pool_destroy(pool);
    rn_pool_destroy(NULL);
}
