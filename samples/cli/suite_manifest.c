/* SPDX-License-Identifier: MIT */
/*
 * scenes.txt:
 *
 *     # comment
 *     size = 320x240            before the first scene: for all of them
 *     [name]
 *     sample = phong            or shader = FILE, model = FILE, command = SHELL COMMAND
 *     time = 2                  and what else the scene needs
 *
 * Every key and value is checked before anything is rendered.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"
#include "cli.h"
#include "model.h"
#include "show.h"
#include "suite.h"
#include "tree.h"

#define MANIFEST_LIMIT_BYTES ((size_t)1 << 20)

static char *copy_text(const char *text) {
    char *copy = app_alloc(strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

static bool add_word(char **words, size_t *count, const char *text) {
    if (*count == SUITE_MAX_WORDS) {
        return false;
    }
    words[(*count)++] = copy_text(text);
    return true;
}

/* ---- keys ---- */

/* Keys that become "--key value" of `vlgl render`, checked as there. */
static bool check_render_value(const char *key, const char *value) {
    int width;
    int height;
    int number;
    float seconds;
    if (strcmp(key, "size") == 0) {
        return app_parse_size(value, &width, &height);
    }
    if (strcmp(key, "time") == 0) {
        return app_parse_time(value, &seconds);
    }
    if (strcmp(key, "frames") == 0) {
        return app_parse_int(value, 1, 1000000, &number);
    }
    if (strcmp(key, "samples") == 0) {
        return strcmp(value, "0") == 0 || strcmp(value, "4") == 0;
    }
    if (strcmp(key, "set") == 0) {
        return shader_setting_parse(value, NULL);
    }
    return value[0] != '\0'; /* up, mouse, camera: the renderer says what is wrong with them */
}

static bool is_render_key(const char *key) {
    static const char *const keys[] = {"size", "time", "frames", "samples", "set", "up", "mouse", "camera"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static enum scene_kind kind_of(const char *key) {
    return strcmp(key, "sample") == 0    ? SCENE_SAMPLE
           : strcmp(key, "shader") == 0  ? SCENE_SHADER
           : strcmp(key, "model") == 0   ? SCENE_MODEL
           : strcmp(key, "command") == 0 ? SCENE_COMMAND
                                         : SCENE_NONE;
}

/* "off", "exact" or "5%". */
static bool parse_cost(const char *value, struct scene *scene) {
    char *end = NULL;
    scene->has_cost = strcmp(value, "off") != 0;
    scene->cost_percent = 0.0;
    if (!scene->has_cost || strcmp(value, "exact") == 0) {
        return true;
    }
    scene->cost_percent = strtod(value, &end);
    return end != value && strcmp(end, "%") == 0 && scene->cost_percent >= 0.0 &&
           scene->cost_percent <= 1000.0;
}

/* A later size or time takes the place of an earlier one (a scene's of the defaults'). */
static bool set_render_word(struct scene *scene, const char *key, const char *value) {
    char option[24];
    snprintf(option, sizeof option, "--%s", key);
    for (size_t i = 0; strcmp(key, "set") != 0 && i + 1 < scene->word_count; i += 2) {
        if (strcmp(scene->words[i], option) == 0) {
            free(scene->words[i + 1]);
            scene->words[i + 1] = copy_text(value);
            return true;
        }
    }
    return add_word(scene->words, &scene->word_count, option) &&
           add_word(scene->words, &scene->word_count, value);
}

/* One "key = value". NULL, or what is wrong with it. */
static const char *set_key(struct scene *scene, const char *key, const char *value, bool defaults) {
    const enum scene_kind kind = kind_of(key);
    const int rule = compare_rule_set(&scene->rule, key, value);
    if (rule != 0) {
        return rule > 0 ? NULL : "this value makes no sense";
    }
    if (kind != SCENE_NONE) {
        if (defaults || scene->kind != SCENE_NONE) {
            return defaults ? "this belongs below a [scene]" : "a scene draws one thing";
        }
        if (kind == SCENE_SAMPLE && cli_find_sample(value) == NULL) {
            return "there is no such sample; 'vlgl list' shows them";
        }
        scene->kind = kind;
        scene->source = copy_text(value);
        return value[0] != '\0' ? NULL : "the value is missing";
    }
    if (is_render_key(key)) {
        return !check_render_value(key, value)      ? "this value makes no sense"
               : !set_render_word(scene, key, value) ? "too many values in one scene"
                                                     : NULL;
    }
    if (strcmp(key, "cost") == 0) {
        return parse_cost(value, scene) ? NULL : "the cost is exact, off or N%";
    }
    if (strcmp(key, "timeout") == 0) {
        return app_parse_int(value, 1, 86400, &scene->timeout_seconds) ? NULL : "seconds are missing";
    }
    if (strcmp(key, "env") == 0) {
        return strchr(value, '=') == NULL || value[0] == '='                      ? "this is not NAME=VALUE"
               : !add_word(scene->variables, &scene->variable_count, value) ? "too many values in one scene"
                                                                            : NULL;
    }
    return "this key is not known";
}

/* ---- scenes ---- */

static void copy_defaults(struct scene *scene, const struct scene *defaults) {
    *scene = *defaults;
    for (size_t i = 0; i < defaults->word_count; i++) {
        scene->words[i] = copy_text(defaults->words[i]);
    }
    for (size_t i = 0; i < defaults->variable_count; i++) {
        scene->variables[i] = copy_text(defaults->variables[i]);
    }
}

static void free_scene(struct scene *scene) {
    free(scene->source);
    free(scene->log);
    free(scene->costs);
    free(scene->golden_costs);
    textbuf_free(&scene->message);
    for (size_t i = 0; i < scene->word_count; i++) {
        free(scene->words[i]);
    }
    for (size_t i = 0; i < scene->variable_count; i++) {
        free(scene->variables[i]);
    }
}

static bool good_name(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && strchr("._-", name[i]) == NULL) {
            return false;
        }
    }
    return length > 0 && length < sizeof((struct scene *)0)->name && name[0] != '.' && name[0] != '-';
}

/* "[name]": NULL, or what is wrong. */
static const char *begin_scene(struct suite *suite, size_t *capacity, const struct scene *defaults,
                               char *line, int number) {
    char *end = strchr(line, ']');
    if (end == NULL || end[1] != '\0') {
        return "a scene begins with [name]";
    }
    *end = '\0';
    if (!good_name(line + 1)) {
        return "a name has up to 63 letters, digits, dots, dashes and underscores";
    }
    for (size_t i = 0; i < suite->count; i++) {
        if (strcmp(suite->scenes[i].name, line + 1) == 0) {
            return "there is a scene of this name already";
        }
    }
    if (suite->count == *capacity) {
        *capacity = *capacity * 2 + 16;
        struct scene *grown = realloc(suite->scenes, *capacity * sizeof grown[0]);
        if (grown == NULL) {
            return "out of memory";
        }
        suite->scenes = grown;
    }
    struct scene *scene = &suite->scenes[suite->count++];
    copy_defaults(scene, defaults);
    strcpy(scene->name, line + 1);
    scene->line = number;
    return NULL;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text;
}

static const char *read_line(struct suite *suite, size_t *capacity, struct scene *defaults, char *line,
                             int number) {
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#') {
        return NULL;
    }
    if (line[0] == '[') {
        return begin_scene(suite, capacity, defaults, line, number);
    }
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return "neither [name] nor key = value";
    }
    *equals = '\0';
    struct scene *scene = suite->count > 0 ? &suite->scenes[suite->count - 1] : defaults;
    return set_key(scene, trim(line), trim(equals + 1), suite->count == 0);
}

bool suite_read(struct suite *suite) {
    struct image_error err;
    struct scene defaults;
    size_t size = 0;
    size_t capacity = 0;
    memset(&defaults, 0, sizeof defaults);
    defaults.has_cost = true;
    defaults.timeout_seconds = 120;
    char *path = tree_join(suite->folder, SUITE_MANIFEST);
    char *text = (char *)image_read_file(path, MANIFEST_LIMIT_BYTES, &size, &err);
    const char *fault = NULL;
    int number = 0;
    if (text == NULL) {
        app_error("%s", err.text);
    }
    for (char *line = text; fault == NULL && line != NULL;) {
        char *end = strchr(line, '\n');
        number++;
        if (end != NULL) {
            *end = '\0';
        }
        fault = read_line(suite, &capacity, &defaults, line, number);
        line = end != NULL ? end + 1 : NULL;
    }
    for (size_t i = 0; fault == NULL && i < suite->count; i++) {
        if (suite->scenes[i].kind == SCENE_NONE) {
            number = suite->scenes[i].line;
            fault = "this scene has no sample, shader, model or command";
        }
    }
    if (fault == NULL && text != NULL && suite->count == 0) {
        fault = "no scene in it";
    }
    if (fault != NULL) {
        app_error("%s:%d: %s", path, number, fault);
    }
    bool ok = text != NULL && fault == NULL;
    free_scene(&defaults);
    free(text);
    free(path);
    return ok;
}

void suite_free(struct suite *suite) {
    for (size_t i = 0; i < suite->count; i++) {
        free_scene(&suite->scenes[i]);
    }
    free(suite->scenes);
    free(suite->output);
    free(suite->golden);
}

char *suite_path(const char *folder, const struct scene *scene, const char *suffix) {
    char *path = tree_join(folder, scene->name);
    char *whole = app_alloc(strlen(path) + strlen(suffix) + 1);
    strcpy(whole, path);
    strcat(whole, suffix);
    free(path);
    return whole;
}

const char *suite_status_name(enum scene_status status) {
    static const char *const names[SCENE_STATUS_COUNT] = {"passed", "changed", "costlier", "new", "error"};
    return names[status];
}
