/* SPDX-License-Identifier: MIT */
/* Reads folders with readdir, sorts what was found. */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "../common/app.h"

#define TREE_MAX_DEPTH 64

const char *const tree_pictures[] = {"png", "jpg", "jpeg", "bmp", "tga", NULL};

bool tree_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool tree_has_extension(const char *name, const char *const *extensions) {
    const char *dot = strrchr(name, '.');
    if (dot == NULL || strchr(dot, '/') != NULL) {
        return false;
    }
    for (; *extensions != NULL; extensions++) {
        if (strcasecmp(dot + 1, *extensions) == 0) {
            return true;
        }
    }
    return false;
}

char *tree_join(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = app_alloc(size);
    bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] != '/' && name[0] != '\0';
    snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    return path;
}

static void add_name(struct tree *tree, size_t *capacity, const char *name) {
    if (tree->count == *capacity) {
        *capacity = *capacity * 2 + 64;
        char **grown = realloc(tree->names, *capacity * sizeof grown[0]);
        if (grown == NULL) {
            app_error("out of memory");
            exit(1);
        }
        tree->names = grown;
    }
    tree->names[tree->count++] = tree_join("", name);
}

/* Reads root/below and what is under it. */
static bool read_folder(const char *root, const char *below, const char *const *extensions,
                        int depth, struct tree *tree, size_t *capacity, struct image_error *err) {
    char *path = tree_join(root, below);
    DIR *folder = opendir(path);
    bool ok = folder != NULL && depth < TREE_MAX_DEPTH;
    if (!ok) {
        snprintf(err->text, sizeof err->text, "%.500s: cannot read this folder: %s", path,
                 folder != NULL ? "folders in folders, too deep" : strerror(errno));
    }
    for (struct dirent *entry; ok && (entry = readdir(folder)) != NULL;) {
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        char *name = tree_join(below, entry->d_name);
        char *full = tree_join(root, name);
        if (lstat(full, &info) == 0) {
            if (S_ISDIR(info.st_mode)) {
                ok = read_folder(root, name, extensions, depth + 1, tree, capacity, err);
            } else if (tree_has_extension(name, extensions) && stat(full, &info) == 0 &&
                       S_ISREG(info.st_mode)) {
                add_name(tree, capacity, name);
            }
        }
        free(name);
        free(full);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    free(path);
    return ok;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool tree_read(const char *folder, const char *const *extensions, struct tree *tree,
               struct image_error *err) {
    size_t capacity = 0;
    memset(tree, 0, sizeof *tree);
    if (!read_folder(folder, "", extensions, 0, tree, &capacity, err)) {
        tree_free(tree);
        return false;
    }
    if (tree->count > 0) {
        qsort(tree->names, tree->count, sizeof tree->names[0], compare_names);
    }
    return true;
}

void tree_free(struct tree *tree) {
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->names[i]);
    }
    free(tree->names);
    memset(tree, 0, sizeof *tree);
}

bool tree_make_folders(const char *path, struct image_error *err) {
    char *part = tree_join("", path);
    bool ok = true;
    for (char *p = part + 1; ok && *p != '\0'; p++) {
        if (*p == '/') {
            *p = '\0';
            ok = mkdir(part, 0777) == 0 || errno == EEXIST;
            *p = '/';
        }
    }
    ok = ok && (mkdir(part, 0777) == 0 || errno == EEXIST) && tree_is_folder(part);
    if (!ok) {
        snprintf(err->text, sizeof err->text, "%.500s: cannot make this folder: %s", path,
                 errno == EEXIST ? "a file is in the way" : strerror(errno));
    }
    free(part);
    return ok;
}
