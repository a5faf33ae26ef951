/* SPDX-License-Identifier: MIT */
/*
 * vlgl test: renders the scenes of a folder's scenes.txt, several at a time, and holds pictures and
 * costs against the goldens. Lines tell what changed; the output folder gets a page (report.html),
 * JUnit's XML and the pictures. --update makes what was rendered the goldens.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "suite.h"
#include "tree.h"

static const char usage_text[] =
    "usage: vlgl test DIR [SCENE...] [options]\n"
    "\n"
    "Renders the scenes of DIR/scenes.txt and compares them with DIR/golden/: pictures, and what\n"
    "they cost (words of code, cycles, instructions executed, fragments). A SCENE may end in *.\n"
    "Exit status: 0 if all passed, 1 if not.\n"
    "\n"
    "  --update        make what was rendered the goldens; contact.png shows old and new\n"
    "  -o FOLDER       where pictures, report.html and junit.xml go (DIR/out)\n"
    "  -j N            processes at a time (one for each CPU)\n"
    "  --list          list the scenes\n"
    "  --quiet         only print scenes that did not pass\n"
    "\n"
    "scenes.txt: keys before the first scene are for all of them.\n"
    "  size = 320x240\n"
    "  [spinning-cube]\n"
    "  sample = textured_cube       or shader = FILE, model = FILE, or\n"
    "  time = 2                     command = SHELL COMMAND, which writes a PNG to $OUT\n"
    "  tolerance = 2                none: exact; share, psnr, ssim, flip as in vlgl diff\n"
    "  cost = 5%                    may grow so much; exact (default), off\n"
    "Further keys: frames samples set mouse camera up (as in vlgl render), timeout, env.\n"
    "\n"
    "examples:\n"
    "  vlgl test scenes/\n"
    "  vlgl test scenes/ 'shadow*' --update\n"
    "  vlgl test scenes/ -o report/ -j 8\n";

struct test_options {
    const char *folder;
    const char **names;
    size_t name_count;
    const char *output;
    int jobs;
    bool update, list, quiet;
};

static bool parse_options(int argc, char **argv, struct test_options *options) {
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const bool is_output = strcmp(word, "-o") == 0;
        if (strcmp(word, "--update") == 0) {
            options->update = true;
        } else if (strcmp(word, "--list") == 0) {
            options->list = true;
        } else if (strcmp(word, "--quiet") == 0) {
            options->quiet = true;
        } else if (is_output || strcmp(word, "-j") == 0) {
            const char *value = i + 1 < argc ? argv[++i] : NULL;
            if (value == NULL || value[0] == '\0' ||
                (!is_output && !app_parse_int(value, 1, 256, &options->jobs))) {
                app_error(value == NULL ? "test: %s needs a value" : "test: %s does not take '%s'", word, value);
                return false;
            }
            options->output = is_output ? value : options->output;
        } else if (word[0] == '-') {
            app_error("test: no option '%s'", word);
            return false;
        } else if (options->folder == NULL) {
            options->folder = word;
        } else {
            options->names[options->name_count++] = word;
        }
    }
    if (options->folder == NULL) {
        app_error("test: a folder with a %s is needed", SUITE_MANIFEST);
    }
    return options->folder != NULL;
}

/* ---- scenes ---- */

static bool name_matches(const char *pattern, const char *name) {
    const size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*') {
        return strncmp(pattern, name, length - 1) == 0;
    }
    return strcmp(pattern, name) == 0;
}

/* Scenes that the command line names, or all. NULL after a message. */
static struct scene **choose(const struct suite *suite, const struct test_options *options,
                             size_t *count) {
    struct scene **list = app_alloc((suite->count + 1) * sizeof list[0]);
    *count = 0;
    for (size_t k = 0; k < options->name_count; k++) {
        bool found = false;
        for (size_t i = 0; i < suite->count; i++) {
            found = found || name_matches(options->names[k], suite->scenes[i].name);
        }
        if (!found) {
            app_error("test: no scene '%s' in %s/%s", options->names[k], options->folder, SUITE_MANIFEST);
            free(list);
            return NULL;
        }
    }
    for (size_t i = 0; i < suite->count; i++) {
        bool wanted = options->name_count == 0;
        for (size_t k = 0; k < options->name_count; k++) {
            wanted = wanted || name_matches(options->names[k], suite->scenes[i].name);
        }
        if (wanted) {
            list[(*count)++] = &suite->scenes[i];
        }
    }
    return list;
}

/* ---- judging ---- */

static void bless(const struct suite *suite, struct scene *scene) {
    struct image_error err;
    size_t size = 0;
    char *from = suite_path(suite->output, scene, ".png");
    char *to = suite_path(suite->golden, scene, ".png");
    char *old = suite_path(suite->output, scene, ".before.png");
    char *cost = suite_path(suite->golden, scene, ".cost");
    uint8_t *bytes = image_read_file(to, (size_t)1 << 30, &size, &err);
    unlink(old);
    if (bytes != NULL) {
        image_write_file(old, bytes, size, &err); /* for the contact sheet */
        free(bytes);
    }
    bytes = image_read_file(from, (size_t)1 << 30, &size, &err);
    bool ok = bytes != NULL && image_write_file(to, bytes, size, &err);
    if (ok && scene->costs != NULL) {
        ok = suite_costs_write(cost, scene->costs, &err);
    } else if (ok && access(cost, F_OK) == 0) {
        unlink(cost);
    }
    scene->blessed = ok;
    if (!ok) {
        scene->status = SCENE_ERROR;
        textbuf_addf(&scene->message, "%s%s", scene->message.size > 0 ? "; " : "", err.text);
    }
    free(bytes);
    free(from);
    free(to);
    free(old);
    free(cost);
}

/* Holds a rendered scene against its goldens. */
static void judge(const struct suite *suite, struct scene *scene) {
    char *picture = suite_path(suite->output, scene, ".png");
    char *golden = suite_path(suite->golden, scene, ".png");
    char *cost = suite_path(suite->golden, scene, ".cost");
    const char *const paths[2] = {golden, picture};
    struct compare_pair pair;
    struct image_error err;
    if (access(golden, F_OK) != 0) {
        scene->status = SCENE_NEW;
        textbuf_add(&scene->message, "there is no golden yet: look at the picture, then --update");
    } else if (!compare_read(paths, &pair, &err)) {
        scene->status = SCENE_ERROR;
        textbuf_add(&scene->message, err.text);
    } else {
        struct compare_rule rule = scene->rule;
        rule.measure_all = true;
        compare_images(&pair, &rule, &scene->result);
        compare_pair_free(&pair);
        if (scene->result.status != COMPARE_SAME) {
            scene->status = scene->result.status == COMPARE_DIFFERENT ? SCENE_CHANGED : SCENE_ERROR;
            compare_describe(&scene->result, &scene->message);
        }
        const size_t before = scene->message.size;
        scene->golden_costs = scene->costs != NULL ? suite_costs_read(cost, &scene->message) : NULL;
        if (scene->costs != NULL && scene->golden_costs == NULL) {
            scene->status = scene->message.size > before ? SCENE_ERROR
                            : scene->status == SCENE_PASSED ? SCENE_NEW
                                                            : scene->status;
            textbuf_addf(&scene->message, "%sthere is no cost golden yet", scene->message.size > 0 ? "; " : "");
        }
        suite_costs_compare(scene);
        if (scene->status == SCENE_PASSED && scene->costlier > 0) {
            scene->status = SCENE_COSTLIER;
        }
    }
    free(picture);
    free(golden);
    free(cost);
}

/* ---- telling ---- */

/* How far the run is; only one call at a time, by the main thread. */
static struct {
    size_t done, count;
    bool bar;
} progress;

static void draw_bar(void) {
    char bar[41];
    const size_t filled = progress.count > 0 ? 40 * progress.done / progress.count : 40;
    for (size_t i = 0; i < 40; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[40] = '\0';
    if (progress.bar) {
        fprintf(stderr, "\r\033[K[%s] %zu of %zu", bar, progress.done, progress.count);
    }
}

static void scene_done(const struct suite *suite, struct scene *scene) {
    if (scene->status == SCENE_PASSED) {
        judge(suite, scene);
    }
    const bool bad = scene->status != SCENE_PASSED;
    if (suite->update && scene->status != SCENE_ERROR && (bad || scene->cheaper > 0 || !scene->result.identical)) {
        bless(suite, scene);
    }
    if (progress.bar) {
        fputs("\r\033[K", stderr);
    }
    if (bad || scene->blessed || !suite->quiet) {
        printf("%-8s %s", scene->blessed ? "updated" : suite_status_name(scene->status), scene->name);
        if (scene->message.size > 0) {
            printf(": %s", scene->message.text);
        } else if (scene->cheaper > 0) {
            printf(": cheaper in %zu figures", scene->cheaper);
        }
        printf("\n");
        fflush(stdout);
    }
    progress.done++;
    draw_bar();
}

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int summary(struct scene *const *list, size_t count, const char *output, double seconds) {
    size_t counts[SCENE_STATUS_COUNT] = {0};
    size_t blessed = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i]->blessed) {
            blessed++;
        } else {
            counts[list[i]->status]++;
        }
    }
    const size_t failed = count - blessed - counts[SCENE_PASSED];
    printf("%zu passed", counts[SCENE_PASSED]);
    for (int s = SCENE_CHANGED; s < SCENE_STATUS_COUNT; s++) {
        if (counts[s] > 0) {
            printf(", %zu %s", counts[s], suite_status_name((enum scene_status)s));
        }
    }
    if (blessed > 0) {
        printf(", %zu updated", blessed);
    }
    printf(" in %.1f s: %s/report.html\n", seconds, output);
    return failed > 0 ? CLI_FAILED : CLI_OK;
}

static bool make_folders(struct suite *suite, const struct test_options *options) {
    struct image_error err;
    char absolute[PATH_MAX];
    char *output = options->output != NULL ? tree_join("", options->output) : tree_join(suite->folder, "out");
    suite->golden = tree_join(suite->folder, "golden");
    bool ok = tree_make_folders(output, &err) && (!options->update || tree_make_folders(suite->golden, &err));
    /* Processes run in the manifest's folder, so their names of files begin at the root. */
    if (ok && realpath(output, absolute) == NULL) {
        snprintf(err.text, sizeof err.text, "%.500s: %s", output, strerror(errno));
        ok = false;
    }
    suite->output = ok ? tree_join("", absolute) : NULL;
    if (!ok) {
        app_error("%s", err.text);
    }
    free(output);
    return ok;
}

static int run_suite(struct suite *suite, const struct test_options *options) {
    size_t count = 0;
    struct scene **list = choose(suite, options, &count);
    if (list == NULL) {
        return CLI_FAILED;
    }
    if (options->list) {
        for (size_t i = 0; i < count; i++) {
            printf("%s\n", list[i]->name);
        }
        free(list);
        return CLI_OK;
    }
    if (!make_folders(suite, options)) {
        free(list);
        return CLI_FAILED;
    }
    const double start = now_seconds();
    progress.count = count;
    progress.bar = isatty(STDERR_FILENO);
    draw_bar();
    suite_run(suite, list, count, scene_done);
    if (progress.bar) {
        fputs("\r\033[K", stderr);
    }
    const double seconds = now_seconds() - start;
    bool ok = suite_write_report(suite, list, count, seconds);
    ok = suite_write_junit(suite, list, count, seconds) && ok;
    ok = (!suite->update || suite_write_contact(suite, list, count)) && ok;
    int status = summary(list, count, options->output != NULL ? options->output : suite->output, seconds);
    free(list);
    return ok ? status : CLI_FAILED;
}

int cmd_test(int argc, char **argv) {
    struct test_options options;
    struct suite suite;
    memset(&options, 0, sizeof options);
    memset(&suite, 0, sizeof suite);
    if (cli_wants_help(argc, argv)) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    options.names = app_alloc((size_t)argc * sizeof options.names[0]);
    int status = CLI_USAGE;
    if (parse_options(argc, argv, &options)) {
        const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        suite.folder = options.folder;
        suite.update = options.update;
        suite.quiet = options.quiet;
        suite.jobs = options.jobs > 0 ? options.jobs : cpus > 0 ? (int)cpus : 1;
        status = suite_read(&suite) ? run_suite(&suite, &options) : CLI_FAILED;
    }
    suite_free(&suite);
    free(options.names);
    return status;
}
