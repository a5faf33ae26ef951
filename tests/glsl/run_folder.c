/* SPDX-License-Identifier: MIT */
/*
 * run_folder [--log] [--dump] [--pairs] [--prefix FILE] PATH...: compiles every shader of files and folders and prints a
 * table. The stage comes from the name (.vert .vs .frag .fs, or a name that ends in -vs or -fs), else from
 * the text. --pairs links x.vert with x.frag as well; a prefix file stands before every text. Exit status 1 when something did not compile.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "vm/include/glslc.h"

static bool show_log, show_dump, link_pairs;
static unsigned total, accepted;
static double total_ms, worst_ms;
static struct glslc_options options;
static char no_prefix[1];
static char *prefix = no_prefix;

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        if (text) {
            text[fread(text, 1, (size_t)size, file)] = '\0';
        }
    }
    fclose(file);
    return text;
}

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static enum vliw_stage stage_of(const char *path, const char *text) {
    static const char *const vertex[] = {".vert", ".vs", "-vs", ".vsh", "_vert.glsl", "-vert.glsl"};
    static const char *const fragment[] = {".frag", ".fs", "-fs", ".fsh", "_frag.glsl", "-frag.glsl"};
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

static void count_time(double ms) {
    total_ms += ms;
    worst_ms = ms > worst_ms ? ms : worst_ms;
}

static void run_file(const char *path) {
    char *text = read_file(path);
    if (!text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    enum vliw_stage stage = stage_of(path, text);
    const char *strings[2] = {prefix, text};
    struct vliw_error error = {0};
    struct vliw_image_desc desc = {0};
    double start = now_ms();
    struct glslc_shader *shader = glslc_compile(stage, 2, strings, NULL, &options);
    bool ok = shader && glslc_shader_ok(shader);
    struct vliw_image *image = ok ? glslc_shader_image(shader, &options, &error) : NULL;
    double ms = now_ms() - start;
    count_time(ms);
    if (image) {
        vliw_image_describe(image, &desc);
    }
    total++;
    accepted += image != NULL;
    printf("%-4s %-4s %6u words %8.3f ms  %s%s%s\n", image ? "ok" : "FAIL", stage == VLIW_STAGE_VERTEX ? "vert" : "frag",
           (unsigned)desc.word_count, ms, path, error.message[0] ? ": " : "", error.message);
    if (shader && show_log) {
        fputs(glslc_shader_log(shader), stdout);
    }
    if (ok && show_dump) {
        char *dump = glslc_shader_dump(shader, &options);
        puts(dump ? dump : "(no memory)");
        vliw_free(dump);
    }
    vliw_image_destroy(image);
    glslc_shader_destroy(shader);
    free(text);
}

/* Links x.vert with x.frag. */
static void run_pair(const char *vertex_path) {
    char path[4096];
    snprintf(path, sizeof path, "%.*sfrag", (int)(strlen(vertex_path) - 4), vertex_path);
    char *texts[2] = {read_file(vertex_path), read_file(path)};
    if (texts[0] && texts[1]) {
        double start = now_ms();
        const char *const v_strings[2] = {prefix, texts[0]}, *const f_strings[2] = {prefix, texts[1]};
        struct glslc_shader *v = glslc_compile(VLIW_STAGE_VERTEX, 2, v_strings, NULL, &options);
        struct glslc_shader *f = glslc_compile(VLIW_STAGE_FRAGMENT, 2, f_strings, NULL, &options);
        struct glslc_program *p = v && f ? glslc_link(v, f, NULL, 0, path, &options) : NULL;
        bool ok = p && glslc_program_ok(p);
        double ms = now_ms() - start;
        count_time(ms);
        total++;
        accepted += ok;
        printf("%-4s link        words %8.3f ms  %s\n", ok ? "ok" : "FAIL", ms, vertex_path);
        if (show_log && p) {
            fputs(glslc_program_log(p), stdout);
        }
        glslc_program_destroy(p);
        glslc_shader_destroy(v);
        glslc_shader_destroy(f);
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
        if (link_pairs && ends_with(path, ".vert")) {
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
    glslc_options_init(&options);
    options.extensions = 0xff;
    options.max_draw_buffers = 4;
    int paths = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log") == 0) {
            show_log = true;
        } else if (strcmp(argv[i], "--dump") == 0) {
            show_dump = true;
        } else if (strcmp(argv[i], "--pairs") == 0) {
            link_pairs = true;
        } else if (strcmp(argv[i], "--prefix") == 0 && i + 1 < argc) {
            char *text = read_file(argv[++i]);
            prefix = text ? text : prefix;
        } else {
            run_path(argv[i]);
            paths++;
        }
    }
    if (!paths) {
        fprintf(stderr, "usage: run_folder [--log] [--dump] [--pairs] [--prefix FILE] PATH...\n");
        return 2;
    }
    printf("%u of %u accepted, %.3f ms on average, %.3f ms at most\n", accepted, total,
           total ? total_ms / total : 0.0, worst_ms);
    return accepted == total ? 0 : 1;
}
