/* SPDX-License-Identifier: MIT */
/*
 * Options, and the main function of a stand-alone sample. A wrong command line
 * prints one line and how to call the program, and ends with status 2.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

bool app_parse_int(const char *text, int low, int high, int *value) {
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < low || number > high) {
        return false;
    }
    *value = (int)number;
    return true;
}

bool app_parse_size(const char *text, int *width, int *height) {
    char first[16];
    const char *x = strchr(text, 'x');
    if (x == NULL || x == text || (size_t)(x - text) >= sizeof first) {
        return false;
    }
    memcpy(first, text, (size_t)(x - text));
    first[x - text] = '\0';
    return app_parse_int(first, 1, APP_MAX_SIDE, width) &&
           app_parse_int(x + 1, 1, APP_MAX_SIDE, height);
}

bool app_parse_time(const char *text, float *value) {
    char *end;
    float number = strtof(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number < -1e6f || number > 1e6f) {
        return false;
    }
    *value = number;
    return true;
}

int app_sample_main(int argc, char **argv, const struct sample *sample) {
    char default_path[80];
    snprintf(default_path, sizeof default_path, "%s.png", sample->name);
    const char *path = default_path;
    struct app_job job = {.sample = sample,
                          .name = sample->name,
                          .width = APP_DEFAULT_WIDTH,
                          .height = APP_DEFAULT_HEIGHT,
                          .frames = 1,
                          .time = sample->time,
                          .show_progress = true};
    app_set_program_name(argv[0]);
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            printf("%s: %s\n"
                   "usage: %s [-o FILE.png] [--size WxH] [--frames N] [--time SECONDS]\n",
                   sample->name, sample->summary, sample->name);
            return 0;
        }
        const char *value = i + 1 < argc ? argv[++i] : NULL;
        bool good = false;
        if (value == NULL) {
            good = false;
        } else if (strcmp(option, "-o") == 0) {
            path = value;
            good = value[0] != '\0';
        } else if (strcmp(option, "--size") == 0) {
            good = app_parse_size(value, &job.width, &job.height);
        } else if (strcmp(option, "--frames") == 0) {
            good = app_parse_int(value, 1, 1000000, &job.frames);
        } else if (strcmp(option, "--time") == 0) {
            good = app_parse_time(value, &job.time);
        }
        if (!good) {
            app_error("not understood: %s%s%s; --help shows how to call it", option,
                      value != NULL ? " " : "", value != NULL ? value : "");
            return 1;
        }
    }
    struct app_result result;
    struct image_error err;
    if (!app_run(&job, &result)) {
        return 1;
    }
    bool ok = image_write_png(path, &result.image, true, &err);
    if (!ok) {
        app_error("%s", err.text);
    }
    image_free(&result.image);
    return ok ? 0 : 1;
}
