/* SPDX-License-Identifier: MIT */
/*
 * Costs of a scene: figures that are the same on every machine. They come from a profile that the
 * library wrote, and are kept as lines "name value" beside the golden picture.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"
#include "../common/json.h"
#include "suite.h"

#define COST_LIMIT_BYTES ((size_t)1 << 28)

static void add(struct suite_costs *costs, const char *prefix, const char *name, double value) {
    if (costs->count < SUITE_MAX_COSTS && value >= 0.0) {
        struct suite_cost *row = &costs->rows[costs->count++];
        snprintf(row->name, sizeof row->name, "%s%s", prefix, name);
        row->value = (uint64_t)value;
    }
}

static void add_program(struct suite_costs *costs, const struct json *program, size_t index) {
    static const char *const stages[2] = {"vertex", "fragment"};
    const struct json *counters = json_get(program, "counters");
    char prefix[64];
    for (int s = 0; s < 2; s++) {
        const struct json *stage = json_get(program, stages[s]);
        snprintf(prefix, sizeof prefix, "program %zu %s ", index, stages[s]);
        add(costs, prefix, "words", json_number(stage, "words", -1.0));
        add(costs, prefix, "instructions", json_number(stage, "instructions", -1.0));
        add(costs, prefix, "cycles", json_number(stage, "cycles", -1.0));
        add(costs, prefix, "executed", json_number(stage, "executed", -1.0));
        if (s == 0) {
            add(costs, prefix, "vertices", json_number(counters, "vertices", -1.0));
        } else {
            add(costs, prefix, "fragments", json_number(counters, "fragments", -1.0));
            add(costs, prefix, "texture_reads", json_number(counters, "texture_reads", -1.0));
        }
    }
}

struct suite_costs *suite_costs_of_profile(const char *path, struct textbuf *message) {
    struct image_error err;
    char error[120];
    size_t size = 0;
    char *text = (char *)image_read_file(path, COST_LIMIT_BYTES, &size, &err);
    if (text == NULL) {
        textbuf_add(message, "no costs: the program did not draw with vlgl, or never ended its context; ");
        textbuf_add(message, err.text);
        return NULL;
    }
    struct json *profile = json_parse(text, size, error);
    free(text);
    const struct json *programs = json_get(profile, "programs");
    if (programs == NULL) {
        textbuf_addf(message, "no costs: %s is no profile: %s", path, profile == NULL ? error : "no programs");
        json_free(profile);
        return NULL;
    }
    struct suite_costs *costs = app_alloc(sizeof *costs);
    add(costs, "", "draws", json_number(json_get(profile, "totals"), "draws", 0.0));
    size_t index = 0;
    for (const struct json *program = programs->first; program != NULL; program = program->next) {
        add_program(costs, program, index++);
    }
    json_free(profile);
    return costs;
}

struct suite_costs *suite_costs_read(const char *path, struct textbuf *message) {
    struct image_error err;
    size_t size = 0;
    char *text = (char *)image_read_file(path, COST_LIMIT_BYTES, &size, &err);
    if (text == NULL) {
        return NULL;
    }
    struct suite_costs *costs = app_alloc(sizeof *costs);
    bool ok = true;
    for (char *line = text; ok && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *end = line + length;
        const bool last = *end == '\0';
        *end = '\0';
        char *space = strrchr(line, ' ');
        if (length > 0 && line[0] != '#') {
            char *after = NULL;
            uint64_t value = space != NULL ? strtoull(space + 1, &after, 10) : 0;
            ok = space != NULL && after != space + 1 && *after == '\0' && costs->count < SUITE_MAX_COSTS &&
                 (size_t)(space - line) < sizeof costs->rows[0].name;
            if (ok) {
                struct suite_cost *row = &costs->rows[costs->count++];
                memcpy(row->name, line, (size_t)(space - line));
                row->value = value;
            } else {
                textbuf_addf(message, "%s: '%.60s' is no line of costs", path, line);
            }
        }
        line = last ? end : end + 1;
    }
    free(text);
    if (!ok) {
        free(costs);
        return NULL;
    }
    return costs;
}

bool suite_costs_write(const char *path, const struct suite_costs *costs, struct image_error *err) {
    struct textbuf text = {NULL, 0, 0};
    textbuf_add(&text, "# What the scene costs: the same on every machine. vlgl test --update writes this.\n");
    for (size_t i = 0; i < costs->count; i++) {
        textbuf_addf(&text, "%s %" PRIu64 "\n", costs->rows[i].name, costs->rows[i].value);
    }
    bool ok = image_write_file(path, text.text, text.size, err);
    textbuf_free(&text);
    return ok;
}

bool suite_costs_find(const struct suite_costs *costs, const char *name, uint64_t *value) {
    for (size_t i = 0; costs != NULL && i < costs->count; i++) {
        if (strcmp(costs->rows[i].name, name) == 0) {
            *value = costs->rows[i].value;
            return true;
        }
    }
    return false;
}

void suite_costs_compare(struct scene *scene) {
    scene->costlier = scene->cheaper = 0;
    for (size_t i = 0; scene->costs != NULL && scene->golden_costs != NULL && i < scene->costs->count; i++) {
        const struct suite_cost *row = &scene->costs->rows[i];
        uint64_t before = 0;
        const bool known = suite_costs_find(scene->golden_costs, row->name, &before);
        const double limit = (double)before * (1.0 + scene->cost_percent / 100.0);
        if (!known || (double)row->value > limit) {
            scene->costlier++;
            textbuf_addf(&scene->message, "%s%s %" PRIu64, scene->message.size > 0 ? "; " : "", row->name,
                         before);
            textbuf_addf(&scene->message, " -> %" PRIu64, row->value);
            if (before > 0) {
                textbuf_addf(&scene->message, " (%+.1f %%)",
                             100.0 * ((double)row->value - (double)before) / (double)before);
            }
        } else if (row->value < before) {
            scene->cheaper++;
        }
    }
}
