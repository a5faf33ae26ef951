/* SPDX-License-Identifier: MIT */
/* Files of test programs. */
#ifndef TESTS_HARNESS_READ_FILE_H
#define TESTS_HARNESS_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* The whole file with a NUL behind it; the caller frees it. NULL when it is not there. */
static inline char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        if (text) {
            text[fread(text, 1, (size_t)size, file)] = '\0';
        }
    }
    if (file) {
        fclose(file);
    }
    return text;
}

#endif
