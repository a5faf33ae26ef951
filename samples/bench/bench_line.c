/* SPDX-License-Identifier: MIT */
/*
 * The line between child and parent: "vlgl-bench 1 NAME key=value ...", or "... skip=REASON" at
 * its end. The renderer's name is last, since it has spaces.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char *const count_keys[BENCH_UNIT_COUNT] = {
    [BENCH_PIXELS] = "pixels", [BENCH_VERTICES] = "vertices", [BENCH_TRIANGLES] = "triangles",
    [BENCH_DRAWS] = "draws",   [BENCH_FLOPS] = "flops",       [BENCH_BYTES] = "bytes",
    [BENCH_TIME] = "times",
};

void bench_line_print(FILE *to, const char *name, const struct bench_sample *sample) {
    fprintf(to, BENCH_LINE_START "%s", name);
    if (sample->is_skipped) {
        fprintf(to, " skip=%s\n", sample->note);
        return;
    }
    fprintf(to, " ms=%.6f min=%.6f cpu=%.6f frames=%d", sample->ms, sample->min_ms,
            sample->cpu_ms, sample->frames);
    fprintf(to, " peak=%.3f mapped=%.3f hash=%s", sample->peak_mb, sample->mapped_mb, sample->hash);
    for (int i = 0; i < BENCH_UNIT_COUNT; i++) {
        if (sample->counts.of[i] > 0.0) {
            fprintf(to, " %s=%.0f", count_keys[i], sample->counts.of[i]);
        }
    }
    fputs(" thumb=", to);
    for (int i = 0; i < BENCH_THUMB_BYTES; i++) {
        fprintf(to, "%02x", sample->thumb[i]);
    }
    fprintf(to, " renderer=%s\n", sample->renderer);
}

/* The text after " key=", or NULL. */
static const char *find_key(const char *line, const char *key) {
    size_t length = strlen(key);
    for (const char *p = strchr(line, ' '); p != NULL; p = strchr(p + 1, ' ')) {
        if (strncmp(p + 1, key, length) == 0 && p[1 + length] == '=') {
            return p + length + 2;
        }
    }
    return NULL;
}

static double number(const char *line, const char *key) {
    const char *text = find_key(line, key);
    return text != NULL ? strtod(text, NULL) : 0.0;
}

/* Copies up to `end` or the end of the line. */
static void copy_text(char *out, size_t size, const char *text, const char *end) {
    size_t length = strcspn(text, end);
    length = length < size - 1 ? length : size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

static bool parse_thumb(const char *text, uint8_t thumb[BENCH_THUMB_BYTES]) {
    for (int i = 0; i < BENCH_THUMB_BYTES; i++) {
        char digits[3] = {text[0], text[0] != '\0' ? text[1] : '\0', '\0'};
        char *end;
        thumb[i] = (uint8_t)strtoul(digits, &end, 16);
        if (end != digits + 2) {
            return false;
        }
        text += 2;
    }
    return true;
}

bool bench_line_parse(const char *line, struct bench_sample *sample) {
    memset(sample, 0, sizeof *sample);
    if (strncmp(line, BENCH_LINE_START, strlen(BENCH_LINE_START)) != 0) {
        return false;
    }
    const char *skip = find_key(line, "skip");
    if (skip != NULL) {
        sample->is_skipped = true;
        copy_text(sample->note, sizeof sample->note, skip, "\n");
        return true;
    }
    const char *hash = find_key(line, "hash");
    const char *thumb = find_key(line, "thumb");
    const char *renderer = find_key(line, "renderer");
    if (hash == NULL || thumb == NULL || renderer == NULL) {
        return false;
    }
    copy_text(sample->hash, sizeof sample->hash, hash, " \n");
    copy_text(sample->renderer, sizeof sample->renderer, renderer, "\n");
    sample->ms = number(line, "ms");
    sample->min_ms = number(line, "min");
    sample->cpu_ms = number(line, "cpu");
    sample->frames = (int)number(line, "frames");
    sample->peak_mb = number(line, "peak");
    sample->mapped_mb = number(line, "mapped");
    for (int i = 0; i < BENCH_UNIT_COUNT; i++) {
        sample->counts.of[i] = number(line, count_keys[i]);
    }
    return parse_thumb(thumb, sample->thumb) && sample->ms > 0.0 && sample->cpu_ms > 0.0;
}
