/* SPDX-License-Identifier: MIT */
/*
 * vlgl diff: two picture files, or all that two folders hold, compared under a rule. One line or
 * JSON each; a picture of what differs. Exit status: 0 same, 1 different, 2 something cannot be read
 * or the command line makes no sense.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "compare.h"
#include "tree.h"

struct diff_options {
    const char *paths[2];
    int path_count;
    const char *picture;
    bool json;
    bool quiet;
    struct compare_rule rule;
};

struct diff_state {
    const struct diff_options *options;
    struct textbuf json;
    size_t counts[3]; /* by enum compare_status */
};

static const char usage_text[] =
    "usage: vlgl diff A B [options]\n"
    "\n"
    "Compares two pictures (PNG, JPEG, BMP, TGA), or all pictures of two folders, by name.\n"
    "Without a rule every value of every pixel must be alike; with rules, all of them must hold.\n"
    "Exit status: 0 same, 1 different, 2 error.\n"
    "\n"
    "  --tolerance N   a channel may be off by N of 255 (0)\n"
    "  --share P       P percent of the pixels may be beyond the tolerance (0)\n"
    "  --psnr DB       the PSNR must be at least DB\n"
    "  --ssim S        the structural similarity must be at least S (1 is equal)\n"
    "  --flip F        the mean perceptual error FLIP must be at most F (0 is equal)\n"
    "  --ppd N         pixels per degree of the viewer's eye, for FLIP (67)\n"
    "  --all           measure SSIM and FLIP too, whatever the rule is\n"
    "  --json          print JSON instead of lines\n"
    "  --picture FILE  draw A, B, the difference and FLIP's map, if the pictures are not\n"
    "                  identical; of folders: a folder for them\n"
    "  --quiet         print nothing but errors\n"
    "\n"
    "examples:\n"
    "  vlgl diff old.png new.png --picture what.png\n"
    "  vlgl diff goldens/ out/ --tolerance 2 --share 0.1\n"
    "  vlgl diff a.jpg b.jpg --flip 0.01 --json\n";

/* ---- options ---- */

static bool set_flag(struct diff_options *options, const char *word) {
    bool *flag = strcmp(word, "--json") == 0    ? &options->json
                 : strcmp(word, "--quiet") == 0 ? &options->quiet
                 : strcmp(word, "--all") == 0   ? &options->rule.measure_all
                                                : NULL;
    if (flag != NULL) {
        *flag = true;
    }
    return flag != NULL;
}

static bool set_value(struct diff_options *options, const char *word, const char *value) {
    int taken;
    if (strcmp(word, "--picture") == 0) {
        options->picture = value;
        taken = value != NULL && value[0] != '\0' ? 1 : -1;
    } else {
        taken = strncmp(word, "--", 2) == 0 ? compare_rule_set(&options->rule, word + 2, value) : 0;
    }
    if (taken == 0) {
        app_error("diff: no option '%s'", word);
    } else if (taken < 0 && value == NULL) {
        app_error("diff: %s needs a value", word);
    } else if (taken < 0) {
        app_error("diff: %s does not take '%s'", word, value);
    }
    return taken == 1;
}

static bool parse_options(int argc, char **argv, struct diff_options *options) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (options->path_count == 2) {
                app_error("diff: two pictures or folders, not more: '%s'", argv[i]);
                return false;
            }
            options->paths[options->path_count++] = argv[i];
        } else if (!set_flag(options, argv[i])) {
            if (!set_value(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) {
                return false;
            }
            i++;
        }
    }
    if (options->path_count < 2) {
        app_error("diff: two pictures or two folders are needed");
    }
    return options->path_count == 2;
}

/* ---- comparing ---- */

static void report(struct diff_state *state, const char *name, const struct compare_result *result,
                   const char *picture) {
    const struct diff_options *options = state->options;
    struct textbuf line = {NULL, 0, 0};
    state->counts[result->status]++;
    if (result->status == COMPARE_FAILED) {
        app_error("%s", result->error.text);
    }
    if (options->json) {
        bool first = state->counts[0] + state->counts[1] + state->counts[2] == 1;
        textbuf_add(&state->json, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
        textbuf_add_json(&state->json, name);
        textbuf_add(&state->json, ", ");
        compare_json(result, &state->json);
        if (picture != NULL) {
            textbuf_add(&state->json, ", \"picture\": ");
            textbuf_add_json(&state->json, picture);
        }
        textbuf_add(&state->json, "}");
    } else if (!options->quiet && result->status != COMPARE_FAILED) {
        compare_describe(result, &line);
        printf("%s%s%s\n", name, name[0] != '\0' ? ": " : "", line.text);
        fflush(stdout);
    }
    textbuf_free(&line);
}

/* `name` is what the lines call the pair, "" for a pair of files. */
static void diff_pair(struct diff_state *state, const char *name, const char *const paths[2],
                      const char *picture) {
    struct compare_pair pair;
    struct compare_result result;
    memset(&result, 0, sizeof result);
    if (!compare_read(paths, &pair, &result.error)) {
        result.status = COMPARE_FAILED;
        report(state, name, &result, NULL);
        return;
    }
    compare_images(&pair, &state->options->rule, &result);
    if (picture != NULL &&
        (result.status == COMPARE_FAILED || result.sizes_differ || result.identical)) {
        picture = NULL;
    }
    if (picture != NULL) {
        const double ppd = state->options->rule.ppd;
        struct image sheet;
        bool ok = imgdiff_sheet(&pair.images[0], &pair.images[1],
                                ppd > 0.0 ? ppd : IMGDIFF_DEFAULT_PPD, &sheet, &result.error) &&
                  image_write_png(picture, &sheet, false, &result.error);
        image_free(&sheet);
        if (!ok) {
            result.status = COMPARE_FAILED;
        }
    }
    report(state, name, &result, picture);
    compare_pair_free(&pair);
}

static void report_missing(struct diff_state *state, const char *name, const char *folder) {
    state->counts[COMPARE_DIFFERENT]++;
    if (state->options->json) {
        bool first = state->counts[0] + state->counts[1] + state->counts[2] == 1;
        textbuf_add(&state->json, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
        textbuf_add_json(&state->json, name);
        textbuf_add(&state->json, ", \"status\": \"different\", \"reason\": \"missing\", \"in\": ");
        textbuf_add_json(&state->json, folder);
        textbuf_add(&state->json, "}");
    } else if (!state->options->quiet) {
        printf("%s: different: not in %s\n", name, folder);
    }
}

/* Where the picture of a pair in folders goes: "folder/name.png", its folders made. */
static char *picture_path(const char *folder, const char *name, struct image_error *err) {
    char *stem = tree_join(folder, name);
    char *slash = strrchr(stem, '/');
    size_t size = strlen(stem) + 8;
    char *path = app_alloc(size);
    *slash = '\0';
    bool ok = tree_make_folders(stem, err);
    *slash = '/';
    bool is_png = strlen(stem) > 4 && strcmp(stem + strlen(stem) - 4, ".png") == 0;
    snprintf(path, size, "%s%s", stem, is_png ? "" : ".png");
    free(stem);
    if (!ok) {
        free(path);
        path = NULL;
    }
    return path;
}

static void diff_folders(struct diff_state *state) {
    const struct diff_options *options = state->options;
    struct tree trees[2];
    struct image_error err;
    memset(trees, 0, sizeof trees);
    for (int i = 0; i < 2; i++) {
        if (!tree_read(options->paths[i], tree_pictures, &trees[i], &err)) {
            app_error("%s", err.text);
            state->counts[COMPARE_FAILED]++;
            tree_free(&trees[0]);
            return;
        }
    }
    if (trees[0].count == 0 && trees[1].count == 0) {
        app_error("diff: no picture in %s and %s", options->paths[0], options->paths[1]);
        state->counts[COMPARE_FAILED]++;
    }
    /* Both lists are sorted: they are merged. */
    for (size_t i = 0, k = 0; i < trees[0].count || k < trees[1].count;) {
        int order = i == trees[0].count   ? 1
                    : k == trees[1].count ? -1
                                          : strcmp(trees[0].names[i], trees[1].names[k]);
        const char *name = order <= 0 ? trees[0].names[i] : trees[1].names[k];
        i += order <= 0;
        k += order >= 0;
        if (order != 0) {
            report_missing(state, name, options->paths[order < 0 ? 1 : 0]);
            continue;
        }
        char *files[2] = {tree_join(options->paths[0], name), tree_join(options->paths[1], name)};
        char *picture = NULL;
        if (options->picture != NULL &&
            (picture = picture_path(options->picture, name, &err)) == NULL) {
            app_error("%s", err.text);
            state->counts[COMPARE_FAILED]++;
        }
        const char *const paths[2] = {files[0], files[1]};
        diff_pair(state, name, paths, picture);
        free(files[0]);
        free(files[1]);
        free(picture);
    }
    tree_free(&trees[0]);
    tree_free(&trees[1]);
}

int cmd_diff(int argc, char **argv) {
    struct diff_options options;
    struct diff_state state;
    memset(&options, 0, sizeof options);
    memset(&state, 0, sizeof state);
    state.options = &options;
    if (cli_wants_help(argc, argv)) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    if (!parse_options(argc, argv, &options)) {
        return CLI_USAGE;
    }
    bool folders[2];
    for (int i = 0; i < 2; i++) {
        folders[i] = tree_is_folder(options.paths[i]);
        if (access(options.paths[i], F_OK) != 0) {
            app_error("%s: no such file or folder", options.paths[i]);
            return CLI_TROUBLE;
        }
    }
    if (folders[0] != folders[1]) {
        app_error("diff: %s is a folder, %s is not", options.paths[folders[0] ? 0 : 1],
                  options.paths[folders[0] ? 1 : 0]);
        return CLI_TROUBLE;
    }
    if (folders[0]) {
        diff_folders(&state);
    } else {
        diff_pair(&state, "", options.paths, options.picture);
    }
    if (options.json) {
        printf("{\n  \"a\": ");
        struct textbuf names = {NULL, 0, 0};
        textbuf_add_json(&names, options.paths[0]);
        textbuf_add(&names, ",\n  \"b\": ");
        textbuf_add_json(&names, options.paths[1]);
        printf("%s,\n  \"same\": %zu, \"different\": %zu, \"failed\": %zu,\n  \"pairs\": [%s\n  ]\n}\n",
               names.text, state.counts[COMPARE_SAME], state.counts[COMPARE_DIFFERENT],
               state.counts[COMPARE_FAILED], state.json.text != NULL ? state.json.text : "");
        textbuf_free(&names);
    }
    textbuf_free(&state.json);
    return state.counts[COMPARE_FAILED] > 0      ? CLI_TROUBLE
           : state.counts[COMPARE_DIFFERENT] > 0 ? CLI_FAILED
                                                 : CLI_OK;
}
