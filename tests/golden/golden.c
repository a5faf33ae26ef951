/* SPDX-License-Identifier: MIT */
/*
 * Renders every sample at a small size through the library and compares the pictures' hashes with
 * hashes.txt: the same bits on every machine, SIMD level, thread count, compiler and lane count. Needs no
 * picture library, so it runs on cross-compiled builds too.
 *
 * usage: golden HASHES [--simd LEVEL] [--threads N] [--no-narrow] [--update]
 *   --simd     sets VLGL_SIMD and skips (exit 77) unless the library then really uses that level
 *   --threads  sets VLGL_THREADS
 *   --no-narrow  sets VLGL_NARROW=0
 *   --update   prints the hashes instead of comparing (tests/golden/update.sh blesses them)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"

enum { WIDTH = 160, HEIGHT = 120, SKIPPED = 77 };

#define SAMPLE(name) extern const struct sample sample_##name;
#include "samples/samples.def"
#undef SAMPLE

static const struct sample *const samples[] = {
#define SAMPLE(name) &sample_##name,
#include "samples/samples.def"
#undef SAMPLE
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* The hash recorded for a sample, or false. */
static bool recorded(const char *path, const char *name, char hash[SHA256_HEX_CHARS + 1]) {
    char line[256], found[128], text[SHA256_HEX_CHARS + 1];
    FILE *file = fopen(path, "r");
    bool ok = false;
    while (file && !ok && fgets(line, sizeof line, file)) {
        ok = sscanf(line, "%127s %64s", found, text) == 2 && strcmp(found, name) == 0;
    }
    if (file) {
        fclose(file);
    }
    if (ok) {
        memcpy(hash, text, sizeof text);
    }
    return ok;
}

/* GL_RENDERER of a fresh context: names the SIMD level that is really used. */
static bool level_in_use(char *text, size_t size) {
    struct app app = {.name = "golden"};
    if (!app_open(&app, 16, 16)) {
        return false;
    }
    snprintf(text, size, "%s", (const char *)glGetString(GL_RENDERER));
    app_close(&app);
    return true;
}

static bool render(const struct sample *sample, char hash[SHA256_HEX_CHARS + 1]) {
    struct app_job job = {.sample = sample, .name = sample->name, .width = WIDTH, .height = HEIGHT, .frames = 1,
                          .time = sample->time};
    struct app_result result;
    if (!app_run(&job, &result)) {
        return false;
    }
    image_hash(&result.image, hash);
    image_free(&result.image);
    return true;
}

static int check_all(const char *path, bool update) {
    int passed = 0, failed = 0;
    for (int i = 0; i < SAMPLES; i++) {
        char hash[SHA256_HEX_CHARS + 1], wanted[SHA256_HEX_CHARS + 1] = "(none recorded)";
        if (!render(samples[i], hash)) {
            failed++;
            continue;
        }
        if (update) {
            printf("%s %s\n", samples[i]->name, hash);
            passed++;
            continue;
        }
        bool same = recorded(path, samples[i]->name, wanted) && strcmp(hash, wanted) == 0;
        printf("%s %s\n", same ? "ok  " : "FAIL", samples[i]->name);
        if (!same) {
            printf("  hash   %s\n  wanted %s\n", hash, wanted);
        }
        passed += same;
        failed += !same;
    }
    if (!update) {
        printf("%d passed, %d failed\n", passed, failed);
    }
    return failed ? 1 : 0;
}

int main(int argc, char **argv) {
    const char *simd = NULL;
    bool update = false;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--simd") == 0 && i + 1 < argc) {
            simd = argv[++i];
            setenv("VLGL_SIMD", simd, 1);
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            setenv("VLGL_THREADS", argv[++i], 1);
        } else if (strcmp(argv[i], "--no-narrow") == 0) {
            setenv("VLGL_NARROW", "0", 1);
        } else if (strcmp(argv[i], "--update") == 0) {
            update = true;
        }
    }
    if (argc < 2) {
        fprintf(stderr, "usage: golden HASHES [--simd LEVEL] [--threads N] [--no-narrow] [--update]\n");
        return 2;
    }
    char renderer[256];
    if (!level_in_use(renderer, sizeof renderer)) {
        return 1;
    }
    if (simd) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "(%s,", simd);
        if (!strstr(renderer, wanted)) {
            printf("skipped: no %s (%s)\n", simd, renderer);
            return SKIPPED;
        }
    }
    return check_all(argv[1], update);
}
