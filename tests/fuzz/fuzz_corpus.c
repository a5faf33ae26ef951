/* SPDX-License-Identifier: MIT */
/*
 * fuzz_corpus SECONDS SEED FOLDER...: shaders that people wrote (tests/corpus/fetch.sh), changed at random as text:
 * lines, words and characters are deleted, doubled, exchanged with others of the same or another shader, numbers made
 * huge. Each goes through fuzz_glsl's check. Run it under a sanitizer; a finding prints the text and ends the program.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CAPACITY = 1 << 17, MAX_FILES = 20000 };

static char *paths[MAX_FILES];
static unsigned path_count;
static uint64_t state;

static uint32_t rnd(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (uint32_t)((state >> 33) % below) : 0;
}

static void collect(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0 || path_count == MAX_FILES) {
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        if (st.st_size < CAPACITY / 2) {
            paths[path_count] = strdup(path);
            path_count += paths[path_count] != NULL;
        }
        return;
    }
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char below[4096];
        if (entry->d_name[0] != '.' && (size_t)snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < sizeof below) {
            collect(below);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static size_t load(const char *path, char *text) {
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(text, 1, CAPACITY / 2, f) : 0;
    if (f) {
        fclose(f);
    }
    return size;
}

/* A piece of the text: a line, a word with what is around it, or some characters. */
static void piece(const char *text, size_t size, size_t *from, size_t *length) {
    size_t at = rnd((uint32_t)size), end = at;
    unsigned kind = rnd(3);
    if (kind == 0) {
        while (at > 0 && text[at - 1] != '\n') {
            at--;
        }
        while (end < size && text[end] != '\n') {
            end++;
        }
        end += end < size;
    } else if (kind == 1) {
        while (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_')) {
            at--;
        }
        while (end < size && (isalnum((unsigned char)text[end]) || text[end] == '_')) {
            end++;
        }
        end += end == at && end < size;
    } else {
        end = at + 1 + rnd(8) < size ? at + 1 + rnd(8) : size;
    }
    *from = at;
    *length = end > at ? end - at : 0;
}

/* Replaces 'length' bytes at 'from' by 'put' bytes of 'with'. */
static size_t splice(char *text, size_t size, size_t from, size_t length, const char *with, size_t put) {
    if (from + length > size || size - length + put > CAPACITY) {
        return size;
    }
    memmove(text + from + put, text + from + length, size - from - length);
    memcpy(text + from, with, put);
    return size - length + put;
}

static size_t mutate(char *text, size_t size, const char *other, size_t other_size) {
    static const char *const odd[] = {"(", ")", "{", "}", "[", "]", ";", "#", "99999999999", "1e39", "-", "0", "\\\n", "/*", "vec4(", "[0]",
                                      "const ", "in ", "invariant ", "return ", "for(;;)", "while(true)", "if(true)", "1.0/0.0", "struct S {",
                                      "highp ", "discard;", "#if 0\n", "#define x x x\n", ".xyzw", "mat4(1)", "!", "++", "gl_FragData[2]", "?", ":"};
    static char copy[CAPACITY];
    for (unsigned n = 1 + rnd(5); n > 0 && size > 0; n--) {
        size_t from, length, at, put;
        piece(text, size, &from, &length);
        switch (rnd(5)) {
        case 0: /* gone */
            size = splice(text, size, from, length, "", 0);
            break;
        case 1: /* once more */
            memcpy(copy, text + from, length);
            size = splice(text, size, from, 0, copy, length);
            break;
        case 2: /* something of the same shader instead */
            piece(text, size, &at, &put);
            memcpy(copy, text + at, put);
            size = splice(text, size, from, length, copy, put);
            break;
        case 3: /* something of another shader instead, or before it */
            if (other_size) {
                piece(other, other_size, &at, &put);
                size = splice(text, size, from, rnd(2) ? length : 0, other + at, put);
            }
            break;
        default: {
            const char *with = odd[rnd(sizeof odd / sizeof odd[0])];
            size = splice(text, size, from, rnd(2) ? length : 0, with, strlen(with));
            break;
        }
        }
    }
    return size;
}

int main(int argc, char **argv) {
    static char text[CAPACITY], other[CAPACITY];
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_corpus SECONDS SEED FOLDER...\n");
        return 2;
    }
    time_t end = time(NULL) + atol(argv[1]);
    state = strtoull(argv[2], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    for (int i = 3; i < argc; i++) {
        collect(argv[i]);
    }
    unsigned long count = 0;
    while (path_count && time(NULL) < end) {
        const char *path = paths[rnd(path_count)];
        size_t size = load(path, text), other_size = load(paths[rnd(path_count)], other);
        for (unsigned k = 0; k < 4; k++, count++) {
            size = mutate(text, size, other, other_size);
            uint8_t *exact = malloc(size + 1);
            if (exact) {
                bool is_vertex = strstr(path, ".vert") != NULL;
                exact[0] = (uint8_t)((is_vertex ? 0 : 1) | rnd(8) << 1);
                memcpy(exact + 1, text, size);
                LLVMFuzzerTestOneInput(exact, size + 1);
            }
            free(exact);
        }
    }
    printf("%u files, %lu mutations, no finding\n", path_count, count);
    return path_count ? 0 : 2;
}
