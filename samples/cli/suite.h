/* SPDX-License-Identifier: MIT */
/*
 * What the parts of `vlgl test` share. scenes.txt (suite_manifest.c) becomes scenes; each is rendered by
 * a process of its own (suite_run.c); its picture and its costs (suite_cost.c) are held against the
 * goldens; the outcome becomes lines, a page and JUnit's XML (suite_report.c).
 */
#ifndef SAMPLES_CLI_SUITE_H
#define SAMPLES_CLI_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../common/image.h"
#include "../common/textbuf.h"
#include "compare.h"

#define SUITE_MANIFEST "scenes.txt"
#define SUITE_MAX_WORDS 64
#define SUITE_MAX_COSTS 512

enum scene_kind { SCENE_NONE, SCENE_SAMPLE, SCENE_SHADER, SCENE_MODEL, SCENE_COMMAND };

/* One figure of what a scene costs: "program 0 fragment executed". */
struct suite_cost {
    char name[80];
    uint64_t value;
};

struct suite_costs {
    struct suite_cost rows[SUITE_MAX_COSTS];
    size_t count;
};

enum scene_status {
    SCENE_PASSED,
    SCENE_CHANGED, /* other pixels */
    SCENE_COSTLIER, /* the same pixels for more */
    SCENE_NEW,     /* no golden yet */
    SCENE_ERROR,   /* no picture came */
    SCENE_STATUS_COUNT
};

struct scene {
    char name[64];
    int line; /* in the manifest */
    enum scene_kind kind;
    char *source;                /* sample, file or command; owned */
    char *words[SUITE_MAX_WORDS]; /* more of the command line of `vlgl render`; owned */
    size_t word_count;
    char *variables[SUITE_MAX_WORDS]; /* NAME=VALUE for the process; owned */
    size_t variable_count;
    struct compare_rule rule;
    bool has_cost;       /* costs are held against a golden */
    double cost_percent; /* by so much they may grow */
    int timeout_seconds;
    /* the outcome */
    enum scene_status status;
    bool blessed; /* --update made this the golden */
    struct compare_result result; /* if a golden was compared */
    struct suite_costs *costs, *golden_costs; /* owned; NULL: none */
    size_t costlier, cheaper;
    struct textbuf message; /* what went wrong, or how it changed */
    double seconds;
    char *log; /* what the process printed; owned */
};

struct suite {
    const char *folder;
    char *output; /* owned */
    char *golden; /* the goldens' folder, owned */
    struct scene *scenes;
    size_t count;
    int jobs;
    bool update;
    bool quiet;
};

/* Reads folder/scenes.txt. False after a message. */
bool suite_read(struct suite *suite);
void suite_free(struct suite *suite);

/* "folder/NAMEsuffix"; the caller frees. */
char *suite_path(const char *folder, const struct scene *scene, const char *suffix);

/* Renders the scenes of the list, several at a time, and calls `done` for each as it ends. */
void suite_run(const struct suite *suite, struct scene **list, size_t count,
               void (*done)(const struct suite *suite, struct scene *scene));

/* Costs from a VLGL_PROFILE file; NULL after *message was filled. */
struct suite_costs *suite_costs_of_profile(const char *path, struct textbuf *message);
/* A golden's text; NULL if there is none or, with a message, if it is damaged. */
struct suite_costs *suite_costs_read(const char *path, struct textbuf *message);
bool suite_costs_write(const char *path, const struct suite_costs *costs, struct image_error *err);
/* The value of a figure; false if there is no such row. */
bool suite_costs_find(const struct suite_costs *costs, const char *name, uint64_t *value);
/* Fills scene->costlier and cheaper, and adds to its message what grew. */
void suite_costs_compare(struct scene *scene);

const char *suite_status_name(enum scene_status status);
/* report.html and junit.xml in the output folder. False after a message. */
bool suite_write_report(const struct suite *suite, struct scene *const *list, size_t count,
                        double seconds);
bool suite_write_junit(const struct suite *suite, struct scene *const *list, size_t count,
                       double seconds);
/* contact.png: old golden, new golden and the difference of every scene that was blessed. */
bool suite_write_contact(const struct suite *suite, struct scene *const *list, size_t count);

#endif
