/* SPDX-License-Identifier: MIT */
/*
 * The recorder of VLGL_WARPS. Batches come in through a tap, before they run; each quad of a batch goes through the
 * reference interpreter with the batch's own inputs, constants and textures, and leaves its steps in the program's list.
 * Blocks of memory get addresses in the order in which they are met, so that a recording is the same in every run.
 */
#include "api/warps.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/bits.h"
#include "vm/include/vlgl_warps.h"

#define BLOCKS 1024u
#define BLOCK_DISTANCE (UINT64_C(1) << 32)

struct bytes {
    uint8_t *at;
    size_t size, capacity;
};

struct known {
    const struct vliw_program *program;      /* to be told apart only: it may be gone */
    uint8_t *container;
    size_t container_size;
    uint32_t *words;
    uint32_t units;
    struct bytes steps;
    uint32_t warps, batches, recorded;
    bool full;
};

struct es_warps {
    struct vliw_tap tap;
    struct known known[VLGL_WARPS_PROGRAMS];
    uint32_t count;
    size_t total;                /* bytes of steps of all */
    const void *block[BLOCKS];
    uint32_t blocks;
    uint32_t *gpr;               /* of the quad that runs */
    size_t gpr_capacity;
    bool failed;                 /* memory was out */
    /* the step that is being made */
    const struct vliw_tap_batch *batch;
    struct known *now;
    uint64_t line[VLGL_WARPS_LINES_MOST];
    uint32_t lines;
    uint64_t last;               /* line that was written last */
};

/* ---- bytes ---- */

static void put(struct es_warps *w, uint64_t value) {
    struct bytes *b = &w->now->steps;
    if (b->size + 10 > VLGL_WARPS_STEPS) {
        w->now->full = true;
        return;
    }
    if (b->capacity - b->size < 10) {
        const size_t bigger = b->capacity * 2 + 4096;
        uint8_t *more = realloc(b->at, bigger);
        if (!more) {
            w->failed = true;
            return;
        }
        b->at = more;
        b->capacity = bigger;
    }
    while (value > 127) {
        b->at[b->size++] = (uint8_t)(value | 128);
        value >>= 7;
    }
    b->at[b->size++] = (uint8_t)value;
}

static void put_step(struct es_warps *w, uint32_t place, unsigned lanes) {
    put(w, (uint64_t)place << 5 | (w->lines ? 16u : 0u) | lanes);
    if (w->lines) {
        put(w, w->lines);
    }
    for (uint32_t i = 0; i < w->lines; i++) {
        const uint64_t d = w->line[i] - w->last;
        put(w, d >> 63 ? ~d << 1 | 1 : d << 1);
        w->last = w->line[i];
    }
    w->lines = 0;
}

/* ---- addresses ---- */

/* Blocks lie far apart, and a few lines apart modulo any cache's size, so that they do not all begin in one set. */
static uint64_t address(struct es_warps *w, const void *block, uint64_t offset) {
    uint32_t i = 0;
    while (i < w->blocks && w->block[i] != block) {
        i++;
    }
    if (i == BLOCKS) {
        i--;
    } else if (i == w->blocks) {
        w->block[w->blocks++] = block;
    }
    return (i + 1) * BLOCK_DISTANCE + i * 17 * VLGL_WARPS_LINE + offset;
}

/* Notes lines of the step, each once. */
static void touch(struct es_warps *w, uint64_t at, uint32_t bytes) {
    for (uint64_t line = at / VLGL_WARPS_LINE; bytes && line <= (at + bytes - 1) / VLGL_WARPS_LINE; line++) {
        uint32_t i = 0;
        while (i < w->lines && w->line[i] != line) {
            i++;
        }
        if (i == w->lines && w->lines < VLGL_WARPS_LINES_MOST) {
            w->line[w->lines++] = line;
        }
    }
}

static void texel(void *user, unsigned lane, const void *block, uint64_t offset, uint32_t bytes) {
    struct es_warps *w = user;
    (void)lane;
    touch(w, address(w, block, offset), bytes);
}

/* ---- a batch ---- */

/* The renderer's sampler, behind a note of what it reads. */
static void sample(void *context, const struct vliw_tex_request *request) {
    struct es_warps *w = context;
    const struct vliw_run *run = w->batch->run;
    w->batch->texels(run->sample_context, request, texel, w);
    run->sample(run->sample_context, request);
}

static void step(void *context, uint32_t unit, uint32_t next, unsigned lanes, const uint32_t *gpr) {
    (void)next;
    (void)gpr;
    put_step(context, unit, lanes);
}

/* Vertex attributes come from memory too, before the program starts. */
static void fetch(struct es_warps *w, unsigned first, unsigned lanes) {
    const struct vliw_tap_batch *b = w->batch;
    for (uint32_t a = 0; a < b->array_count; a++) {
        const struct vliw_tap_array *array = &b->arrays[a];
        if (!array->data || !array->bytes) {
            continue;
        }
        for (unsigned i = 0; i < 4; i++) {
            if (lanes >> i & 1u) {
                touch(w, address(w, array->data, (uint64_t)b->elements[first + i] * array->stride), array->bytes);
            }
        }
        put_step(w, b->image.word_count + array->input, lanes);
    }
}

static void run_quad(struct es_warps *w, unsigned first, unsigned lanes, const struct vliw_info *info) {
    const struct vliw_tap_batch *b = w->batch;
    memset(w->gpr, 0, (size_t)info->gprs * 16 * sizeof w->gpr[0]);
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            const float *from = b->inputs[i * 4 + c];
            if (from) {
                memcpy(&w->gpr[((size_t)info->inputs[i].reg * 4 + c) * 4], from + first, 4 * sizeof *from);
            }
        }
    }
    struct vliw_run run = {.constants = b->run->constants, .sample = b->run->sample ? sample : NULL, .sample_context = w,
                           .budget = b->run->budget, .step = step, .step_context = w};
    run.active.w[0] = lanes;
    fetch(w, first, lanes);
    vliw_ref_run(b->program, w->gpr, (const uint32_t *)(const void *)b->run->constants, info->globals, &run);
    put(w, VLGL_WARPS_QUAD);
}

/* ---- programs ---- */

static struct known *learn(struct es_warps *w, const struct vliw_tap_batch *b) {
    struct known *k = &w->known[w->count];
    struct vliw_image *image = vliw_image_create(&b->image);
    memset(k, 0, sizeof *k);
    k->program = b->program;
    k->units = b->image.word_count;
    k->container = image ? vliw_image_save(image, &k->container_size) : NULL;
    k->words = malloc(k->units * sizeof *k->words + 1);
    vliw_image_destroy(image);
    if (!k->container || !k->words) {
        vliw_free(k->container);
        free(k->words);
        w->failed = true;
        return NULL;
    }
    memcpy(k->words, b->image.words, k->units * sizeof *k->words);
    w->count++;
    return k;
}

/* The program by its code: an address may be used again by another one. */
static struct known *find(struct es_warps *w, const struct vliw_tap_batch *b) {
    for (uint32_t i = 0; i < w->count; i++) {
        const struct known *k = &w->known[i];
        if (k->program == b->program && k->units == b->image.word_count &&
            memcmp(k->words, b->image.words, k->units * sizeof *k->words) == 0) {
            return &w->known[i];
        }
    }
    return w->count < VLGL_WARPS_PROGRAMS ? learn(w, b) : NULL;
}

static bool make_room(struct es_warps *w, size_t words) {
    if (words > w->gpr_capacity) {
        free(w->gpr);
        w->gpr = malloc(words * sizeof *w->gpr);
        w->gpr_capacity = w->gpr ? words : 0;
        w->failed = w->failed || !w->gpr;
    }
    return w->gpr != NULL;
}

static void see(void *user, const struct vliw_tap_batch *b, bool done) {
    struct es_warps *w = user;
    struct known *k = done || w->failed ? NULL : find(w, b);
    if (!k) {
        return;
    }
    k->batches++;
    const struct vliw_info *info = vliw_program_info(b->program);
    if (k->full || k->warps >= VLGL_WARPS_WARPS || w->total >= VLGL_WARPS_FILE ||
        !make_room(w, (size_t)info->gprs * 16 + 1)) {
        return;
    }
    const size_t before = k->steps.size;
    unsigned quads = 0;
    w->batch = b;
    w->now = k;
    w->last = 0;
    for (unsigned at = 0; at < VM_LANES && !k->full; at += 4) {
        const unsigned lanes = (unsigned)(b->run->active.w[at / 64] >> at % 64) & 15u;
        if (lanes) {
            run_quad(w, at, lanes, info);
            quads++;
        }
    }
    put(w, VLGL_WARPS_BATCH);
    if (k->full) { /* only whole batches */
        k->steps.size = before;
        return;
    }
    w->total += k->steps.size - before;
    k->warps += (quads + 1) / 2;
    k->recorded++;
}

/* ---- public ---- */

struct es_warps *es_warps_create(void) {
    struct es_warps *w = calloc(1, sizeof *w);
    if (w) {
        w->tap = (struct vliw_tap){w, see};
    }
    return w;
}

void es_warps_destroy(struct es_warps *w) {
    for (uint32_t i = 0; w && i < w->count; i++) {
        vliw_free(w->known[i].container);
        free(w->known[i].words);
        free(w->known[i].steps.at);
    }
    if (w) {
        free(w->gpr);
    }
    free(w);
}

const struct vliw_tap *es_warps_tap(const struct es_warps *w) { return &w->tap; }

static void append_le(struct str *out, uint64_t value, unsigned bytes) {
    uint8_t text[8];
    bits_store_le64(text, value);
    str_append_n(out, (const char *)text, bytes);
}

bool es_warps_file(const struct es_warps *w, struct str *out) {
    struct str body;
    str_init(&body);
    append_le(&body, VLGL_WARPS_LINE, 4);
    append_le(&body, w->count, 4);
    for (uint32_t i = 0; i < w->count; i++) {
        const struct known *k = &w->known[i];
        append_le(&body, k->container_size, 4);
        append_le(&body, k->steps.size, 4);
        append_le(&body, k->batches, 4);
        append_le(&body, k->recorded, 4);
        str_append_n(&body, (const char *)k->container, k->container_size);
        str_append_n(&body, (const char *)k->steps.at, k->steps.size);
    }
    str_append_n(out, VLGL_WARPS_MAGIC, 8);
    append_le(out, vlgl_warps_checksum((const uint8_t *)body.text, body.length), 8);
    str_append_n(out, body.text, body.length);
    out->failed = out->failed || body.failed || w->failed;
    str_fini(&body);
    return w->count > 0;
}
