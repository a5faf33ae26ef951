/* SPDX-License-Identifier: MIT */
/* The files in a folder and in those below it, for subcommands that work on folders. */
#ifndef SAMPLES_CLI_TREE_H
#define SAMPLES_CLI_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "../common/image.h"

struct tree {
    char **names; /* relative to the folder, sorted by their bytes; owned */
    size_t count;
};

bool tree_is_folder(const char *path);

/* True if the name ends in one of the extensions (without dot, NULL at the end), in any case. */
bool tree_has_extension(const char *name, const char *const *extensions);
/* Of the pictures that image_read() takes. */
extern const char *const tree_pictures[];

/*
 * All regular files below a folder whose extension is in the list; folders that are symbolic links
 * are left out. False, with a message, if a folder cannot be read or is too deep.
 */
bool tree_read(const char *folder, const char *const *extensions, struct tree *tree,
               struct image_error *err);
void tree_free(struct tree *tree);

/* Makes a folder and those above it. False, with a message, on failure. */
bool tree_make_folders(const char *path, struct image_error *err);

/* "folder/name"; the caller frees. */
char *tree_join(const char *folder, const char *name);

#endif
