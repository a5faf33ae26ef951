/* SPDX-License-Identifier: MIT */
/*
 * corpus [options] PATH...: compiles every shader of files and folders, and links x.vert with x.frag where
 * both are there. The stage comes from the name (.vert .vs .frag .fs), else from the text. One line of
 * tab-separated fields for each shader and each pair (FIELDS below); run.py makes tables of them. Exit
 * status 1 when something did not compile.
 *
 *   --log            print the messages too
 *   --dump           print the optimised intermediate code too
 *   --check N        run it optimised and not, N times on random inputs, and compare (check.h)
 *   --repeat N       take the shortest time of N (default 1)
 *   --varyings DIR   write DIR/NAME.vert for every fragment shader: a vertex shader that feeds its varyings
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/harness/read_file.h"
#include "tests/corpus/check.h"
#include "vm/base/arena.h"
#include "vm/glsl/glsl.h"
#include "vm/include/glslc.h"

#define FIELDS "path\tkind\tverdict\tms\twords\tinstructions\toperations\tfixed\tdual\tgprs\tspills\tvalues\tnarrowed\tmessage"

static bool show_log, show_dump;
static int repeats = 1, check_rounds;
static const char *varyings_folder;
static unsigned total, accepted, unchecked;
static struct glslc_options options;

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static enum vliw_stage stage_of(const char *path, const char *text) {
    static const char *const vertex[] = {".vert", ".vs", ".vsh"};
    static const char *const fragment[] = {".frag", ".fs", ".fsh"};
    for (size_t i = 0; i < sizeof vertex / sizeof vertex[0]; i++) {
        if (ends_with(path, vertex[i])) {
            return VLIW_STAGE_VERTEX;
        }
        if (ends_with(path, fragment[i])) {
            return VLIW_STAGE_FRAGMENT;
        }
    }
    return strstr(text, "gl_Position") ? VLIW_STAGE_VERTEX : VLIW_STAGE_FRAGMENT;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs do not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The first line of a log, without tabs. */
static void print_first_line(const char *log) {
    for (; *log && *log != '\n'; log++) {
        putchar(*log == '\t' ? ' ' : *log);
    }
    putchar('\n');
}

static void print_row(const char *path, const char *kind, bool ok, double ms, const struct glslc_stats *stats,
                      const char *message) {
    total++;
    accepted += ok;
    printf("%s\t%s\t%s\t%.3f\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t", path, kind, ok ? "ok" : "FAIL", ms, stats->words,
           stats->instructions, stats->operations, stats->fixed_instructions, stats->dual, stats->gprs, stats->spills,
           stats->values, stats->narrowed);
    print_first_line(ok ? "" : message);
}

/* ---- a vertex shader for the varyings of a fragment shader ---------------------------------------------- */

static void write_value(FILE *out, const struct glsl_type *type, unsigned *seed) {
    unsigned count = (unsigned)(type->rows * type->cols);
    fprintf(out, "%s(", type->name);
    for (unsigned i = 0; i < count; i++) {
        unsigned a = (*seed * 7 + 3) % 10, b = (*seed * 5 + 1) % 9, c = (*seed * 3 + 2) % 7;
        ++*seed;
        fprintf(out, "%s%u.%u + %s0.%u * p.x + 0.%u * p.y", i ? ", " : "", a / 8, a, *seed % 3 ? "" : "-", b, c);
    }
    fputs(")", out);
}

/* The file's name with its folder, as one word. */
static void flat_name(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot) {
        *dot = '\0';
    }
}

static void write_feeder(const char *path, const char *text) {
    static const char *const precisions[] = {"", "lowp ", "mediump ", "highp "};
    struct arena arena;
    struct diag_list diags;
    const uint32_t start = 0;
    char name[1024], target[2048];
    arena_init(&arena, 0);
    diag_init(&diags, text, (uint32_t)strlen(text));
    struct glsl_unit *u = glsl_compile_unit(&arena, &diags, VLIW_STAGE_FRAGMENT, text, (uint32_t)strlen(text), &start, 1,
                                            &options);
    flat_name(path, name, sizeof name);
    snprintf(target, sizeof target, "%s/%s.vert", varyings_folder, name);
    FILE *out = u && !diags.errors ? fopen(target, "w") : NULL;
    if (out) {
        unsigned seed = 1;
        fputs("attribute vec4 position;\n", out);
        for (const struct glsl_var *var = u->globals; var; var = var->next) {
            bool is_array = var->type->kind == GLSL_ARRAY;
            const struct glsl_type *type = is_array ? var->type->element : var->type;
            if (var->storage == GLSL_VARYING && !var->is_builtin) {
                fprintf(out, "%svarying %s%s %s", var->invariant ? "invariant " : "", precisions[var->precision],
                        type->name, var->atom->text);
                fprintf(out, is_array ? "[%u];\n" : ";\n", is_array ? (unsigned)var->type->length : 0);
            }
        }
        fputs("void main() {\n    vec2 p = position.xy;\n    gl_Position = position;\n    gl_PointSize = 32.0;\n", out);
        for (const struct glsl_var *var = u->globals; var; var = var->next) {
            bool is_array = var->type->kind == GLSL_ARRAY;
            for (uint32_t i = 0; var->storage == GLSL_VARYING && !var->is_builtin && i < (is_array ? var->type->length : 1); i++) {
                fprintf(out, is_array ? "    %s[%u] = " : "    %s = ", var->atom->text, (unsigned)i);
                write_value(out, is_array ? var->type->element : var->type, &seed);
                fputs(";\n", out);
            }
        }
        fputs("}\n", out);
        fclose(out);
    }
    diag_fini(&diags);
    arena_fini(&arena);
}

/* ---- shaders and pairs ------------------------------------------------------------------------------- */

static void run_file(const char *path) {
    char *text = read_file(path);
    if (!text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    enum vliw_stage stage = stage_of(path, text);
    const char *string = text;
    double best = 1e9;
    struct glslc_shader *shader = NULL;
    struct vliw_error error = {0};
    bool ok = false, generated = false;
    for (int i = 0; i < repeats; i++) {
        glslc_shader_destroy(shader);
        double start = now_ms();
        shader = glslc_compile(stage, 1, &string, NULL, &options);
        ok = shader && glslc_shader_ok(shader);
        struct vliw_image *image = ok ? glslc_shader_image(shader, &options, &error) : NULL;
        double ms = now_ms() - start;
        best = ms < best ? ms : best;
        generated = image != NULL;
        vliw_image_destroy(image);
    }
    struct glslc_stats stats = {0};
    if (generated) {
        glslc_shader_stats(shader, &options, &stats, &error);
    }
    const char *fault = generated && check_rounds ? corpus_check(shader, &options, (unsigned)check_rounds) : NULL;
    bool good = generated && (!fault || !*fault);
    print_row(path, stage == VLIW_STAGE_VERTEX ? "vert" : "frag", good, best, &stats,
              fault && *fault ? fault : ok ? error.message : shader ? glslc_shader_log(shader) : "out of memory");
    unchecked += fault && !*fault;
    if (shader && show_log) {
        fputs(glslc_shader_log(shader), stdout);
    }
    if (ok && show_dump) {
        char *dump = glslc_shader_dump(shader, &options);
        puts(dump ? dump : "(no memory)");
        vliw_free(dump);
    }
    if (ok && varyings_folder && stage == VLIW_STAGE_FRAGMENT) {
        write_feeder(path, text);
    }
    glslc_shader_destroy(shader);
    free(text);
}

/* Links x.vert with x.frag, if there is one. */
static void run_pair(const char *vertex_path) {
    char path[4096];
    snprintf(path, sizeof path, "%.*sfrag", (int)(strlen(vertex_path) - 4), vertex_path);
    char *texts[2] = {read_file(vertex_path), read_file(path)};
    if (texts[0] && texts[1]) {
        const struct glslc_stats none = {0};
        double best = 1e9;
        struct glslc_program *p = NULL;
        for (int i = 0; i < repeats; i++) {
            glslc_program_destroy(p);
            double start = now_ms();
            struct glslc_shader *v = glslc_compile(VLIW_STAGE_VERTEX, 1, (const char *const *)&texts[0], NULL, &options);
            struct glslc_shader *f = glslc_compile(VLIW_STAGE_FRAGMENT, 1, (const char *const *)&texts[1], NULL, &options);
            p = v && f ? glslc_link(v, f, NULL, 0, path, &options) : NULL;
            double ms = now_ms() - start;
            best = ms < best ? ms : best;
            glslc_shader_destroy(v);
            glslc_shader_destroy(f);
        }
        bool ok = p && glslc_program_ok(p);
        print_row(vertex_path, "link", ok, best, &none, p ? glslc_program_log(p) : "out of memory");
        if (show_log && p) {
            fputs(glslc_program_log(p), stdout);
        }
        glslc_program_destroy(p);
    }
    free(texts[0]);
    free(texts[1]);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void run_path(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) {
        fprintf(stderr, "%s: not found\n", path);
        exit(2);
    }
    if (!S_ISDIR(st.st_mode)) {
        run_file(path);
        if (ends_with(path, ".vert")) {
            run_pair(path);
        }
        return;
    }
    char **names = NULL;
    size_t count = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') {
            char **grown = realloc(names, (count + 1) * sizeof *names);
            if (!grown) {
                exit(2);
            }
            names = grown;
            names[count] = malloc(strlen(path) + strlen(entry->d_name) + 2);
            if (!names[count]) {
                exit(2);
            }
            sprintf(names[count++], "%s/%s", path, entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (count) {
        qsort(names, count, sizeof *names, by_name);
    }
    for (size_t i = 0; i < count; i++) {
        run_path(names[i]);
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv) {
    int paths = 0;
    glslc_options_init(&options);
    options.extensions = GLSLC_EXT_ALL;
    options.max_draw_buffers = 4;
    puts(FIELDS);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log") == 0) {
            show_log = true;
        } else if (strcmp(argv[i], "--dump") == 0) {
            show_dump = true;
        } else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc) {
            repeats = atoi(argv[++i]) > 0 ? atoi(argv[i]) : 1;
        } else if (strcmp(argv[i], "--check") == 0 && i + 1 < argc) {
            check_rounds = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--varyings") == 0 && i + 1 < argc) {
            varyings_folder = argv[++i];
        } else {
            run_path(argv[i]);
            paths++;
        }
    }
    if (!paths) {
        fprintf(stderr, "usage: corpus [--log] [--dump] [--check N] [--repeat N] [--varyings DIR] PATH...\n");
        return 2;
    }
    if (unchecked) {
        fprintf(stderr, "%u could not be checked\n", unchecked);
    }
    return accepted == total ? 0 : 1;
}
