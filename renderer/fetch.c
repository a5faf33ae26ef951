/* SPDX-License-Identifier: MIT */
/*
 * Vertex fetch: client or buffer memory becomes the structure-of-arrays inputs of a vertex batch,
 * and index buffers become arrays of uint32_t. Each component type has one converter, chosen once a
 * draw; memory is read by memcpy, so any alignment is fine. Elements beyond an array read 0,0,0,1
 * and indices beyond a buffer read 0 (robust access; EXT_robustness, ES 2.0.25 2.8 leaves it
 * undefined).
 *
 * Conversions (ES 2.0.25 2.1.2): unsigned c / (2^b - 1), signed (2c + 1) / (2^b - 1), one division
 * each; fixed c / 65536; unnormalised integers become floats.
 */
#include <string.h>

#include "renderer/internal.h"
#include "vm/base/bits.h"

static float fetch_half(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31u,
                   fraction = h & 0x3FFu;
    if (exponent == 31) {
        return bits_to_float(sign | 0x7F800000u | fraction << 13);
    }
    if (exponent == 0) { /* zero and denormals: fraction * 2^-24, exact */
        const float f = (float)fraction * 5.9604644775390625e-8f;
        return sign ? -f : f;
    }
    return bits_to_float(sign | (exponent + 112u) << 23 | fraction << 13);
}

#define FETCH(name, type, expression)                                                              \
    static void name(const uint8_t *const *element, size_t offset, uint32_t count, float *out) {   \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            type v;                                                                                \
            memcpy(&v, element[i] + offset, sizeof v);                                             \
            out[i] = expression;                                                                   \
        }                                                                                          \
    }
FETCH(fetch_s8, int8_t, (float)v)
FETCH(fetch_u8, uint8_t, (float)v)
FETCH(fetch_s16, int16_t, (float)v)
FETCH(fetch_u16, uint16_t, (float)v)
FETCH(fetch_s8n, int8_t, (float)(2 * v + 1) / 255.0f)
FETCH(fetch_u8n, uint8_t, (float)v / 255.0f)
FETCH(fetch_s16n, int16_t, (float)(2 * v + 1) / 65535.0f)
FETCH(fetch_u16n, uint16_t, (float)v / 65535.0f)
FETCH(fetch_fixed, int32_t, (float)v * 1.52587890625e-5f)
FETCH(fetch_f32, float, v)
FETCH(fetch_f16, uint16_t, fetch_half(v))
#undef FETCH

/* By enum rn_attrib_type: bytes of a component, converters plain and normalised. */
static const struct {
    uint8_t bytes;
    void (*convert[2])(const uint8_t *const *, size_t, uint32_t, float *);
} fetch_types[] = {
    [RN_ATTRIB_S8] = {1, {fetch_s8, fetch_s8n}},
    [RN_ATTRIB_U8] = {1, {fetch_u8, fetch_u8n}},
    [RN_ATTRIB_S16] = {2, {fetch_s16, fetch_s16n}},
    [RN_ATTRIB_U16] = {2, {fetch_u16, fetch_u16n}},
    [RN_ATTRIB_FIXED] = {4, {fetch_fixed, fetch_fixed}},
    [RN_ATTRIB_F32] = {4, {fetch_f32, fetch_f32}},
    [RN_ATTRIB_F16] = {2, {fetch_f16, fetch_f16}},
};

/* Elements whose first 'bytes' bytes can be read. */
static uint32_t readable(const struct rn_attrib *a, size_t bytes) {
    if (a->size < bytes) {
        return 0;
    }
    if (a->size == SIZE_MAX || a->stride == 0) {
        return UINT32_MAX;
    }
    const uint64_t elements = (a->size - bytes) / a->stride + 1;
    return elements > UINT32_MAX ? UINT32_MAX : (uint32_t)elements;
}

void rn_fetch_plan(struct rn_front_draw *draw, const struct rn_draw_state *state) {
    const struct vliw_info *info = draw->program->info[VLIW_STAGE_VERTEX];
    if (state->attribs_serial && state->attribs_serial == draw->fetch_serial) {
        return;
    }
    draw->fetch_serial = state->attribs_serial;
    draw->fetch_count = 0;
    for (uint32_t i = 0; i < info->input_count && draw->fetch_count < RN_MAX_ATTRIBS; i++) {
        const struct vliw_io *io = &info->inputs[i];
        struct rn_fetch *f = &draw->fetch[draw->fetch_count++];
        static const struct rn_attrib none = {.value = {0.0f, 0.0f, 0.0f, 1.0f}};
        const bool known = io->semantic == VLIW_SEM_ATTRIB && io->index < RN_MAX_ATTRIBS;
        const struct rn_attrib *a = known ? &state->attribs[io->index] : &none;
        f->input = (uint8_t)i;
        f->mask = io->mask;
        f->data = a->data;
        memcpy(f->value, a->value, sizeof f->value);
        if (!a->data) {
            continue;
        }
        f->stride = a->stride;
        f->divisor = a->divisor;
        f->components = a->components;
        f->bytes = fetch_types[a->type].bytes;
        f->convert = fetch_types[a->type].convert[a->normalized];
        const unsigned read = io->mask & ((1u << a->components) - 1);
        const size_t size = (size_t)f->bytes * a->components;
        const bool low = read && !(read & (read + 1)); /* none between is left out */
        f->floats = a->type == RN_ATTRIB_F32 && a->divisor == 0 && low && a->size >= size
                        ? (uint8_t)bits_popcount32(read)
                        : 0;
        f->elements = readable(a, size);
        f->reach = a->size == SIZE_MAX ? 0 : readable(a, 16);
        f->overlap = a->stride + size >= 16 && a->stride <= 256;
    }
}

/* All lanes of an input at once. */
static void fetch_fill(float *out, float value) {
    for (uint32_t i = 0; i < VM_LANES; i++) {
        out[i] = value;
    }
}

/* The most usual arrays, floats of which the program reads the first components. False when an element
 * may lie beyond the array. */
static bool fetch_plain(const struct rn_front_worker *worker, const struct rn_fetch *f,
                        uint32_t first, uint32_t count, float *const out[4]) {
    const uint32_t *index = worker->element + first;
    const uint32_t high = worker->run ? index[count - 1] : worker->element_high;
    if (high >= f->elements) {
        return false;
    }
    uint32_t wide = 0;
    if (high < f->reach) {
        wide = count;
    } else if (worker->run && f->overlap) {
        wide = count - 1; /* each reaches into the next, which is read anyway */
    }
    if (worker->run && f->stride == sizeof(float) && f->floats == 1) {
        memcpy(out[0], f->data + index[0] * f->stride, count * sizeof(float));
    } else {
        worker->draw->input->floats(f->data, (size_t)f->stride, index, wide, count, out,
                                    f->floats, worker->run);
    }
    return true;
}

/* Addresses of the elements of 'count' slots; bit i of the result: slot i lies beyond the array. */
static uint64_t fetch_addresses(const struct rn_front_worker *worker, const struct rn_fetch *f,
                                uint32_t first, uint32_t count, const uint8_t **element) {
    static const uint8_t nothing[16];
    const uint32_t *index = f->divisor ? worker->instance + first : worker->element + first;
    uint64_t beyond = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t e = f->divisor > 1 ? index[i] / f->divisor : index[i];
        if (BITS_UNLIKELY(e >= f->elements)) {
            beyond |= UINT64_C(1) << i;
            element[i] = nothing;
        } else {
            element[i] = f->data + (size_t)(e * f->stride);
        }
    }
    return beyond;
}

/* Any array: addresses first, then one converter run a component, then the lanes beyond. */
static void fetch_any(const struct rn_front_worker *worker, const struct rn_fetch *f,
                      uint32_t first, uint32_t count, float *const out[4]) {
    for (uint32_t base = 0; base < count; base += 64) { /* one mask word of addresses at a time */
        const uint32_t some = count - base < 64 ? count - base : 64;
        const uint8_t *element[64];
        uint64_t beyond = fetch_addresses(worker, f, first + base, some, element);
        for (unsigned c = 0; c < f->components; c++) {
            if (out[c]) {
                f->convert(element, (size_t)c * f->bytes, some, out[c] + base);
            }
        }
        for (; beyond; beyond &= beyond - 1) {
            const unsigned i = bits_ctz64(beyond);
            for (unsigned c = 0; c < f->components; c++) {
                if (out[c]) {
                    out[c][base + i] = c == 3 ? 1.0f : 0.0f;
                }
            }
        }
    }
}

void rn_fetch_batch(const struct rn_front_worker *worker, uint32_t first, uint32_t count) {
    const struct rn_front_draw *draw = worker->draw;
    for (uint32_t n = 0; n < draw->fetch_count; n++) {
        const struct rn_fetch *f = &draw->fetch[n];
        float *const *out = worker->inputs[n];
        const unsigned from_array = f->data ? f->components : 0;
        for (unsigned c = from_array; c < 4; c++) {
            if (out[c]) {
                fetch_fill(out[c], f->data ? (c == 3 ? 1.0f : 0.0f) : f->value[c]);
            }
        }
        if (from_array && !(f->floats && fetch_plain(worker, f, first, count, out))) {
            fetch_any(worker, f, first, count, out);
        }
    }
}

void rn_fetch_indices(const struct rn_front_draw *draw, uint32_t first, uint32_t count,
                      uint32_t *out, struct rn_index_range *range) {
    const struct rn_draw_call *call = draw->call;
    const size_t available = call->indices_size / call->index_bytes;
    uint32_t usable = count;
    if (first >= available) {
        usable = 0;
    } else if (count > available - first) {
        usable = (uint32_t)(available - first);
    }
    if (usable) {
        const uint8_t *from = (const uint8_t *)call->indices + (size_t)first * call->index_bytes;
        draw->input->indices[call->index_bytes >> 1](from, usable, out, range);
    }
    if (usable < count) {
        memset(out + usable, 0, (size_t)(count - usable) * sizeof *out);
        range->low = 0;
    }
}
