/* SPDX-License-Identifier: MIT */
/*
 * Recordings as workloads: a file that another program wrote under VLGL_WARPS (vm/include/vlgl_warps.h), checked and
 * turned into the trace of each of its programs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_workload.h"
#include "vm/include/vlgl_warps.h"

#define FILE_MOST ((size_t)VLGL_WARPS_FILE * 2)

struct recording {
    const char *path;
    char name[32]; /* the file's, without folder and ending */
    const uint8_t *at, *end;
    uint32_t programs;
    uint64_t batches, recorded;
};

static uint32_t get32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get64(const uint8_t *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }

static void set_name(struct recording *r) {
    const char *slash = strrchr(r->path, '/');
    const char *name = slash != NULL ? slash + 1 : r->path;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    snprintf(r->name, sizeof r->name, "%.*s", (int)(length < sizeof r->name ? length : sizeof r->name - 1), name);
}

/* The header, and all sizes against the file's. False after a message. */
static bool check(struct recording *r, const uint8_t *bytes, size_t size) {
    if (size < VLGL_WARPS_HEADER || memcmp(bytes, VLGL_WARPS_MAGIC, 8) != 0) {
        app_error("%s: no recording of VLGL_WARPS, and no sample has this name", r->path);
        return false;
    }
    if (get64(bytes + 8) != vlgl_warps_checksum(bytes + 16, size - 16)) {
        app_error("%s: damaged: the checksum is wrong", r->path);
        return false;
    }
    if (get32(bytes + 16) != VLGL_WARPS_LINE) {
        app_error("%s: recorded with lines of %u bytes, not %u", r->path, (unsigned)get32(bytes + 16), VLGL_WARPS_LINE);
        return false;
    }
    r->programs = get32(bytes + 20);
    r->at = bytes + VLGL_WARPS_HEADER;
    r->end = bytes + size;
    const uint8_t *at = r->at;
    bool good = r->programs <= VLGL_WARPS_PROGRAMS;
    for (uint32_t i = 0; good && i < r->programs; i++) {
        const size_t left = (size_t)(r->end - at);
        good = left >= VLGL_WARPS_PROGRAM && get32(at + 4) <= VLGL_WARPS_STEPS &&
               (uint64_t)get32(at) + get32(at + 4) <= left - VLGL_WARPS_PROGRAM;
        at += good ? VLGL_WARPS_PROGRAM + (size_t)get32(at) + get32(at + 4) : 0;
    }
    if (!good || at != r->end) {
        app_error("%s: damaged: its programs do not fill the file", r->path);
    }
    return good && at == r->end;
}

/* The next program. False after a message. */
static bool read_program(struct recording *r, uint32_t number, struct sim_workloads *all, unsigned least) {
    const uint8_t *container = r->at + VLGL_WARPS_PROGRAM;
    const size_t container_size = get32(r->at), steps = get32(r->at + 4);
    struct vliw_error error;
    struct vliw_image *image = NULL;
    struct vliw_program *program = NULL;
    struct sim_core *core = NULL;
    const char *fault = NULL;
    size_t at = 0;
    r->batches += get32(r->at + 8);
    r->recorded += get32(r->at + 12);
    r->at += VLGL_WARPS_PROGRAM + container_size + steps;
    snprintf(error.message, sizeof error.message, "out of memory");
    if (vliw_image_load(container, container_size, &image, &error) == VLIW_OK &&
        vliw_program_create(image, &program, &error) == VLIW_OK) {
        core = sim_core_create(program, NULL, &error);
    }
    struct sim_workload w = {.trace = core != NULL ? sim_trace_create() : NULL};
    if (w.trace == NULL) {
        app_error("%s: program %u: %s", r->path, (unsigned)number, error.message);
    } else if ((fault = sim_trace_recorded(w.trace, core, container + container_size, steps, &at)) != NULL) {
        app_error("%s: program %u: byte %zu of its steps: %s", r->path, (unsigned)number, at, fault);
    } else {
        w.stage = vliw_program_info(program)->stage;
        snprintf(w.name, sizeof w.name, "%s %s%u", r->name, w.stage == VLIW_STAGE_VERTEX ? "v" : "f", (unsigned)number);
        sim_trace_size(w.trace, &w.size);
    }
    const bool good = w.trace != NULL && fault == NULL;
    if (good && w.size.warps >= least) {
        sim_workloads_add(all, &w);
    } else {
        sim_trace_destroy(w.trace);
    }
    sim_core_destroy(core);
    vliw_program_destroy(program);
    vliw_image_destroy(image);
    return good;
}

bool sim_recording(struct sim_workloads *all, const char *path, unsigned least) {
    struct recording r = {.path = path};
    struct image_error err;
    size_t size = 0, before = all->count;
    uint8_t *bytes = image_read_file(path, FILE_MOST, &size, &err);
    if (bytes == NULL) {
        app_error("%s", err.text);
        return false;
    }
    set_name(&r);
    bool good = check(&r, bytes, size);
    for (uint32_t i = 0; good && i < r.programs; i++) {
        good = read_program(&r, i, all, least);
    }
    free(bytes);
    if (good) {
        printf("%s: %zu of %u programs ran %u warps or more; %llu of %llu batches are recorded\n", path, all->count - before,
               (unsigned)r.programs, least, (unsigned long long)r.recorded, (unsigned long long)r.batches);
    }
    return good;
}
