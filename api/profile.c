/* SPDX-License-Identifier: MIT */
/*
 * The collection behind VLGL_PROFILE, of the whole process: draws with their counters, programs with the
 * sums of their draws, spans of threads on tiles. One mutex guards it; nothing of it is used otherwise.
 */
#include "api/profile.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* More would make a file that no viewer opens; what is beyond is counted. */
#define MAX_DRAWS 400000
#define MAX_TILES 400000

struct profile_program_row {
    uint64_t serial;
    uint32_t name;
    char label[64];
    uint32_t words[2], instructions[2], cycles[2], registers[2], constants[2], samplers[2];
    uint64_t draws, ns;
    uint64_t counters[RN_COUNTER_COUNT];
};

struct profile_tile {
    unsigned thread;
    uint32_t x, y;
    uint64_t begin_ns, end_ns;
};

static struct {
    pthread_mutex_t lock;
    struct profile_draw *draws;
    size_t draw_count, draw_capacity;
    struct profile_program_row *programs;
    size_t program_count, program_capacity;
    struct profile_tile *tiles;
    size_t tile_count, tile_capacity;
    uint64_t dropped, start_ns;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *const counter_names[RN_COUNTER_COUNT] = {
#define RN_COUNTER(id, meaning) #id,
#include "renderer/counters.def"
#undef RN_COUNTER
};

uint64_t profile_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Room for one more element of an array, at most 'limit'. */
static bool grow(void **array, size_t *capacity, size_t count, size_t element, size_t limit) {
    if (count < *capacity) {
        return true;
    }
    const size_t wanted = *capacity ? *capacity * 2 : 256;
    void *grown = count < limit ? realloc(*array, wanted * element) : NULL;
    if (grown) {
        *array = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

int32_t profile_program(uint64_t serial, uint32_t name, const char *label, const struct vliw_program *const code[2]) {
    int32_t index = -1;
    pthread_mutex_lock(&all.lock);
    for (size_t i = all.program_count; index < 0 && i-- > 0;) {
        index = all.programs[i].serial == serial ? (int32_t)i : -1;
    }
    if (index < 0 && grow((void **)&all.programs, &all.program_capacity, all.program_count, sizeof *all.programs, 1u << 20)) {
        index = (int32_t)all.program_count++;
        struct profile_program_row *row = &all.programs[index];
        memset(row, 0, sizeof *row);
        row->serial = serial;
        row->name = name;
        for (size_t i = 0; label && label[i] && i + 1 < sizeof row->label; i++) {
            row->label[i] = label[i];
        }
        for (unsigned s = 0; s < 2; s++) {
            const struct vliw_info *info = vliw_program_info(code[s]);
            row->words[s] = info->units;
            row->instructions[s] = info->instructions;
            row->cycles[s] = vliw_program_cycles(code[s]);
            row->registers[s] = info->gprs;
            row->constants[s] = info->globals;
            row->samplers[s] = info->sampler_count;
        }
    }
    pthread_mutex_unlock(&all.lock);
    return index;
}

void profile_add_draw(const struct profile_draw *draw) {
    pthread_mutex_lock(&all.lock);
    if (draw->program >= 0) {
        struct profile_program_row *row = &all.programs[draw->program];
        row->draws++;
        row->ns += draw->end_ns - draw->begin_ns;
        for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
            row->counters[i] += draw->counters[i];
        }
    }
    if (!all.start_ns) {
        all.start_ns = draw->begin_ns;
    }
    if (grow((void **)&all.draws, &all.draw_capacity, all.draw_count, sizeof *all.draws, MAX_DRAWS)) {
        all.draws[all.draw_count++] = *draw;
    } else {
        all.dropped++;
    }
    pthread_mutex_unlock(&all.lock);
}

void profile_add_tile(unsigned thread, uint32_t x, uint32_t y, uint64_t begin_ns, uint64_t end_ns) {
    pthread_mutex_lock(&all.lock);
    if (grow((void **)&all.tiles, &all.tile_capacity, all.tile_count, sizeof *all.tiles, MAX_TILES)) {
        all.tiles[all.tile_count++] = (struct profile_tile){thread, x, y, begin_ns, end_ns};
    } else {
        all.dropped++;
    }
    pthread_mutex_unlock(&all.lock);
}

/* ---- text ---- */

static void add_string(struct str *out, const char *text) {
    str_char(out, '"');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '<') {
            str_printf(out, "\\u%04x", c);
        } else {
            str_char(out, (char)c);
        }
    }
    str_char(out, '"');
}

static void add_counters(struct str *out, const uint64_t *counters) {
    for (unsigned i = 0; i < RN_COUNTER_COUNT; i++) {
        char name[64];
        size_t length = strlen(counter_names[i]);
        for (size_t k = 0; k <= length; k++) {
            const char c = counter_names[i][k];
            name[k] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
        str_printf(out, "%s\"%s\": %llu", i ? ", " : "", name, (unsigned long long)counters[i]);
    }
}

static void add_programs(struct str *out) {
    static const char *const stages[2] = {"vertex", "fragment"};
    str_append(out, " \"programs\": [");
    for (size_t i = 0; i < all.program_count; i++) {
        const struct profile_program_row *row = &all.programs[i];
        str_printf(out, "%s\n  {\"id\": %zu, \"name\": %u, \"label\": ", i ? "," : "", i, row->name);
        add_string(out, row->label);
        str_printf(out, ", \"draws\": %llu, \"ms\": %.3f,\n", (unsigned long long)row->draws, (double)row->ns * 1e-6);
        for (unsigned s = 0; s < 2; s++) {
            str_printf(out,
                       "   \"%s\": {\"words\": %u, \"instructions\": %u, \"cycles\": %u, \"registers\": %u, \"constants\": %u, "
                       "\"samplers\": %u, \"executed\": %llu},\n",
                       stages[s], row->words[s], row->instructions[s], row->cycles[s], row->registers[s], row->constants[s],
                       row->samplers[s],
                       (unsigned long long)row->counters[s ? RN_COUNTER_FS_INSTRUCTIONS : RN_COUNTER_VS_INSTRUCTIONS]);
        }
        str_append(out, "   \"counters\": {");
        add_counters(out, row->counters);
        str_append(out, "}}");
    }
    str_append(out, "\n ],\n");
}

static void add_draws(struct str *out) {
    static const char *const modes[] = {"points", "lines", "line loop", "line strip", "triangles", "triangle strip",
                                        "triangle fan"};
    uint32_t frame = UINT32_MAX, number = 0;
    str_append(out, " \"draws\": [");
    for (size_t i = 0; i < all.draw_count; i++) {
        const struct profile_draw *d = &all.draws[i];
        number = d->frame == frame ? number + 1 : 0;
        frame = d->frame;
        str_printf(out, "%s\n  {\"frame\": %u, \"number\": %u, \"kind\": \"%s\", \"framebuffer\": %u, \"size\": [%u, %u], ",
                   i ? "," : "", d->frame, number, d->kind == PROFILE_DRAW ? "draw" : "clear", d->framebuffer, d->width,
                   d->height);
        if (d->kind == PROFILE_DRAW) {
            str_printf(out, "\"program\": %d, \"mode\": \"%s\", \"count\": %u, \"instances\": %u, ", d->program,
                       modes[d->mode < 7 ? d->mode : 0], d->count, d->instances);
            add_counters(out, d->counters);
            str_append(out, ", ");
        }
        str_printf(out, "\"ms\": %.3f}", (double)(d->end_ns - d->begin_ns) * 1e-6);
    }
    str_append(out, "\n ],\n");
}

static double microseconds(uint64_t ns) {
    return (double)(int64_t)(ns - all.start_ns) * 1e-3;
}

/* Chrome's trace format: complete events, the draws on a line of their own above the threads. */
static void add_events(struct str *out) {
    str_append(out, " \"traceEvents\": [\n  {\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"vlgl\"}},"
                    "\n  {\"ph\": \"M\", \"pid\": 1, \"tid\": 0, \"name\": \"thread_name\", \"args\": {\"name\": \"draws\"}}");
    for (size_t i = 0; i < all.draw_count; i++) {
        const struct profile_draw *d = &all.draws[i];
        str_printf(out, ",\n  {\"ph\": \"X\", \"pid\": 1, \"tid\": 0, \"name\": \"%s %zu\", \"ts\": %.3f, \"dur\": %.3f, "
                        "\"args\": {\"frame\": %u, \"program\": %d, \"fragments\": %llu}}",
                   d->kind == PROFILE_DRAW ? "draw" : "clear", i, microseconds(d->begin_ns),
                   (double)(d->end_ns - d->begin_ns) * 1e-3, d->frame, d->program,
                   (unsigned long long)d->counters[RN_COUNTER_FRAGMENTS]);
    }
    for (size_t i = 0; i < all.tile_count; i++) {
        const struct profile_tile *t = &all.tiles[i];
        str_printf(out, ",\n  {\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"name\": \"tile %u,%u\", \"ts\": %.3f, \"dur\": %.3f}",
                   t->thread + 1, t->x / 64, t->y / 64, microseconds(t->begin_ns),
                   (double)(t->end_ns - t->begin_ns) * 1e-3);
    }
    str_append(out, "\n ]\n");
}

bool profile_text(struct str *out) {
    uint64_t totals[RN_COUNTER_COUNT] = {0};
    uint64_t ns = 0;
    pthread_mutex_lock(&all.lock);
    const bool any = all.draw_count > 0;
    for (size_t i = 0; i < all.draw_count; i++) {
        ns += all.draws[i].end_ns - all.draws[i].begin_ns;
        for (unsigned c = 0; c < RN_COUNTER_COUNT; c++) {
            totals[c] += all.draws[i].counters[c];
        }
    }
    str_printf(out, "{\"vlgl_profile\": 1, \"frames\": %u, \"draws_recorded\": %zu, \"dropped\": %llu, \"ms\": %.3f,\n \"totals\": {",
               any ? all.draws[all.draw_count - 1].frame + 1 : 0, all.draw_count, (unsigned long long)all.dropped,
               (double)ns * 1e-6);
    add_counters(out, totals);
    str_append(out, "},\n");
    add_programs(out);
    add_draws(out);
    add_events(out);
    str_append(out, "}\n");
    pthread_mutex_unlock(&all.lock);
    return any;
}
