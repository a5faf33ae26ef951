/* SPDX-License-Identifier: MIT */
/*
 * The model loader's safe half: starts a child for model_import(), reads its records
 * back from an unnamed temporary file, checks every count and index, and decodes the
 * pictures.
 */
#include "model.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/app.h"

#define IMPORT_CPU_SECONDS 120
#define IMPORT_MEMORY_BYTES ((rlim_t)6 << 30)
#define IMPORT_FILE_BYTES ((rlim_t)4 << 30)
#define MAX_COUNT (1u << 20)

static bool model_fail(const char *path, const char *reason, struct image_error *err) {
    snprintf(err->text, sizeof err->text, "%s: cannot read this model: %s", path, reason);
    return false;
}

/* ---- the child ---- */

static void limit(int what, rlim_t most) {
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && now.rlim_cur > most) {
        now.rlim_cur = most;
        setrlimit(what, &now);
    }
}

static void run_child(const char *path, FILE *out) {
    struct image_error err = {""};
    uint32_t good = 1;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, IMPORT_CPU_SECONDS);
    limit(RLIMIT_FSIZE, IMPORT_FILE_BYTES);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, IMPORT_MEMORY_BYTES); /* sanitizers reserve far more than this */
#endif
    signal(SIGXFSZ, SIG_IGN);
    /* What libassimp or the C++ library says when it dies would be a second message. */
    if (freopen("/dev/null", "w", stderr) == NULL) {
        _exit(3);
    }
    fwrite(&good, sizeof good, 1, out);
    if (model_import(path, out, &err)) {
        fflush(out);
        _exit(ferror(out) ? 3 : 0);
    }
    good = 0;
    rewind(out);
    fwrite(&good, sizeof good, 1, out);
    fwrite(err.text, sizeof err.text, 1, out);
    fflush(out);
    _exit(0);
}

static bool import_in_child(const char *path, FILE *records, struct image_error *err) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        return model_fail(path, strerror(errno), err);
    }
    if (child == 0) {
        run_child(path, records);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return model_fail(path, strerror(errno), err);
        }
    }
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        return model_fail(path,
                          number == SIGXCPU || number == SIGKILL
                              ? "libassimp took too long or too much memory"
                              : "libassimp crashed on it; the file is damaged",
                          err);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return model_fail(path, "libassimp gave up; the file is damaged or too large", err);
    }
    uint32_t good = 0;
    rewind(records);
    if (fread(&good, sizeof good, 1, records) != 1) {
        return model_fail(path, "no answer from the import process", err);
    }
    if (!good) {
        if (fread(err->text, sizeof err->text, 1, records) != 1) {
            return model_fail(path, "no answer from the import process", err);
        }
        err->text[sizeof err->text - 1] = '\0';
        return false;
    }
    return true;
}

/* ---- reading the records ---- */

/* Reads count items into new memory; NULL when the file ends early or memory does. */
static void *take(FILE *records, uint64_t count, size_t item_bytes) {
    struct stat info;
    /* No record can be larger than the file: that bounds what is allocated. */
    if (fstat(fileno(records), &info) != 0 || count > (uint64_t)info.st_size / item_bytes) {
        return NULL;
    }
    char *memory = calloc((size_t)count + 1, item_bytes);
    if (memory != NULL && fread(memory, item_bytes, (size_t)count, records) != count) {
        free(memory);
        return NULL;
    }
    return memory;
}

static bool take_texture(FILE *records, const char *path, struct model_texture *texture,
                         struct image_error *err) {
    struct model_texture_record record;
    char name[1024];
    if (fread(&record, sizeof record, 1, records) != 1 || record.name_bytes > 65536) {
        return model_fail(path, "a texture record is damaged", err);
    }
    texture->name = take(records, record.name_bytes, 1);
    uint8_t *data = take(records, record.data_bytes, 1);
    bool ok = texture->name != NULL && data != NULL;
    if (!ok) {
        model_fail(path, "a texture record is damaged", err);
    } else if (record.data_bytes == 0) {
        app_error("warning: %s: its picture '%s' was not found; drawn without", path,
                  texture->name);
    } else if (record.width > 0) {
        ok = record.width <= IMAGE_MAX_SIDE && record.height <= IMAGE_MAX_SIDE &&
             record.data_bytes == (uint64_t)record.width * record.height * 4 &&
             image_alloc(&texture->image, (int32_t)record.width, (int32_t)record.height, err);
        if (ok) {
            memcpy(texture->image.pixels, data, (size_t)record.data_bytes);
        } else {
            model_fail(path, "an embedded picture has an impossible size", err);
        }
    } else {
        bool embedded = strncmp(texture->name, "embedded", 8) == 0;
        snprintf(name, sizeof name, "%s%s%.700s", embedded ? path : "", embedded ? ": " : "",
                 texture->name);
        ok = image_read_memory(name, data, (size_t)record.data_bytes, &texture->image, err);
    }
    free(data);
    return ok;
}

static bool take_part(FILE *records, const struct model *model, struct model_part *part) {
    struct model_part_record record;
    if (fread(&record, sizeof record, 1, records) != 1 ||
        record.material >= model->material_count || record.vertex_count > 65535 ||
        record.index_count % 3 != 0) {
        return false;
    }
    part->material = record.material;
    part->vertex_count = record.vertex_count;
    part->index_count = record.index_count;
    part->vertices = take(records, record.vertex_count, sizeof part->vertices[0]);
    part->indices = take(records, record.index_count, sizeof part->indices[0]);
    if (part->vertices == NULL || part->indices == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < part->index_count; i++) {
        if (part->indices[i] >= part->vertex_count) {
            return false;
        }
    }
    return true;
}

static void measure(struct model *model) {
    for (int c = 0; c < 3; c++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (uint32_t p = 0; p < model->part_count; p++) {
            for (uint32_t i = 0; i < model->parts[p].vertex_count; i++) {
                float at = model->parts[p].vertices[i].position[c];
                low = at < low ? at : low;
                high = at > high ? at : high;
            }
        }
        model->low[c] = low;
        model->high[c] = high;
    }
}

static bool take_model(FILE *records, const char *path, struct model *model,
                       struct image_error *err) {
    struct model_header header;
    if (fread(&header, sizeof header, 1, records) != 1 || header.texture_count > MAX_COUNT ||
        header.material_count > MAX_COUNT || header.part_count > MAX_COUNT) {
        return model_fail(path, "too many parts", err);
    }
    if (header.part_count == 0) {
        return model_fail(path, "it has no triangles", err);
    }
    model->textures = calloc((size_t)header.texture_count + 1, sizeof model->textures[0]);
    model->parts = calloc((size_t)header.part_count + 1, sizeof model->parts[0]);
    if (model->textures == NULL || model->parts == NULL) {
        return model_fail(path, "out of memory", err);
    }
    model->texture_count = header.texture_count;
    for (uint32_t i = 0; i < header.texture_count; i++) {
        if (!take_texture(records, path, &model->textures[i], err)) {
            return false;
        }
    }
    model->materials = take(records, header.material_count, sizeof model->materials[0]);
    if (model->materials == NULL) {
        return model_fail(path, "a material record is damaged", err);
    }
    model->material_count = header.material_count;
    for (uint32_t i = 0; i < header.material_count; i++) {
        uint32_t texture = model->materials[i].texture;
        if (texture != MODEL_NO_TEXTURE && texture >= header.texture_count) {
            return model_fail(path, "a material names a texture that is not there", err);
        }
    }
    model->part_count = header.part_count;
    for (uint32_t i = 0; i < header.part_count; i++) {
        if (!take_part(records, model, &model->parts[i])) {
            return model_fail(path, "a part is damaged or out of memory", err);
        }
    }
    measure(model);
    return true;
}

bool model_load(const char *path, struct model *model, struct image_error *err) {
    struct stat info;
    memset(model, 0, sizeof *model);
    if (stat(path, &info) != 0) {
        snprintf(err->text, sizeof err->text, "%s: cannot read: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(info.st_mode)) {
        return model_fail(path, "it is no regular file", err);
    }
    if (access(path, R_OK) != 0) {
        return model_fail(path, strerror(errno), err);
    }
    FILE *records = tmpfile();
    if (records == NULL) {
        return model_fail(path, "no room for a temporary file", err);
    }
    bool ok = import_in_child(path, records, err) && take_model(records, path, model, err);
    fclose(records);
    if (!ok) {
        model_free(model);
    }
    return ok;
}

bool model_set_up(struct model *model, const char *axis) {
    bool negative = axis[0] == '-';
    const char *letter = axis + negative;
    if (letter[0] < 'x' || letter[0] > 'z' || letter[1] != '\0') {
        return false;
    }
    /* The axes go round, x to y, y to z, z to x, until the wanted one is y. */
    int from = letter[0] - 'x';
    float sign = negative ? -1.0f : 1.0f;
    for (uint32_t p = 0; p < model->part_count; p++) {
        for (uint32_t i = 0; i < model->parts[p].vertex_count; i++) {
            struct model_vertex *vertex = &model->parts[p].vertices[i];
            float *triple[2] = {vertex->position, vertex->normal};
            for (int t = 0; t < 2; t++) {
                float v[3] = {triple[t][0], triple[t][1], triple[t][2]};
                triple[t][1] = sign * v[from];
                triple[t][2] = sign * v[(from + 1) % 3];
                triple[t][0] = v[(from + 2) % 3];
            }
        }
    }
    measure(model);
    return true;
}

void model_free(struct model *model) {
    for (uint32_t i = 0; i < model->part_count; i++) {
        free(model->parts[i].vertices);
        free(model->parts[i].indices);
    }
    for (uint32_t i = 0; i < model->texture_count; i++) {
        free(model->textures[i].name);
        image_free(&model->textures[i].image);
    }
    free(model->parts);
    free(model->materials);
    free(model->textures);
    memset(model, 0, sizeof *model);
}
