/* SPDX-License-Identifier: MIT */
/*
 * The half of the model loader that calls libassimp. It runs in a child process and
 * writes records: a model_header; the textures; the materials; the parts. libassimp is
 * opened at run time, so vlgl starts without it; the structs come from its headers
 * at build time (Debian: libassimp-dev).
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#if defined(VLGL_HAVE_ASSIMP)

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dlfcn.h>

#define CHUNK_VERTICES 65535u
#define TEXTURE_LIMIT_BYTES ((size_t)256 << 20)
#define MAX_TEXTURES 1024u
#define SMOOTHING_ANGLE_DEGREES 60.0f

/* The functions used, as SYMBOL(name): members of struct assimp, loaded by name. */
#define ASSIMP_SYMBOLS                                                                             \
    SYMBOL(aiImportFileExWithProperties)                                                           \
    SYMBOL(aiGetErrorString)                                                                       \
    SYMBOL(aiCreatePropertyStore)                                                                  \
    SYMBOL(aiSetImportPropertyFloat)                                                               \
    SYMBOL(aiSetImportPropertyInteger)                                                             \
    SYMBOL(aiGetMaterialColor)                                                                     \
    SYMBOL(aiGetMaterialFloatArray)                                                                \
    SYMBOL(aiGetMaterialTexture)

struct assimp {
#define SYMBOL(name) __typeof__(&name) name;
    ASSIMP_SYMBOLS
#undef SYMBOL
};

struct importer {
    struct assimp ai;
    const struct aiScene *scene;
    const char *path;
    FILE *out;
    /* One entry for each distinct texture name. */
    char *texture_name[MAX_TEXTURES];
    uint32_t texture_count;
    uint32_t part_count;
};

static bool load_assimp(struct assimp *ai, struct image_error *err) {
    void *library = dlopen("libassimp.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(err->text, sizeof err->text,
                 "models need libassimp.so.5: install the Debian package libassimp5");
        return false;
    }
#define SYMBOL(name)                                                                               \
    {                                                                                              \
        void *symbol = dlsym(library, #name);                                                      \
        if (symbol == NULL) {                                                                      \
            snprintf(err->text, sizeof err->text, "libassimp.so.5 has no function %s", #name);     \
            return false;                                                                          \
        }                                                                                          \
        memcpy(&ai->name, &symbol, sizeof symbol);                                                 \
    }
    ASSIMP_SYMBOLS
#undef SYMBOL
    return true;
}

static void put(struct importer *im, const void *data, size_t size_bytes) {
    if (size_bytes > 0) {
        fwrite(data, 1, size_bytes, im->out); /* ferror() is checked once at the end */
    }
}

/* ---- textures ---- */

static void put_texture(struct importer *im, const char *name, uint32_t width, uint32_t height,
                        const void *data, uint64_t data_bytes) {
    struct model_texture_record record = {(uint32_t)strlen(name), width, height, data_bytes};
    put(im, &record, sizeof record);
    put(im, name, record.name_bytes);
    put(im, data, (size_t)data_bytes);
}

/* A texture inside the model file: "*3", or the name it was stored under. */
static const struct aiTexture *find_embedded(const struct aiScene *scene, const char *name) {
    if (name[0] == '*') {
        unsigned long index = strtoul(name + 1, NULL, 10);
        return index < scene->mNumTextures ? scene->mTextures[index] : NULL;
    }
    for (unsigned i = 0; i < scene->mNumTextures; i++) {
        const char *stored = scene->mTextures[i]->mFilename.data;
        if (stored[0] != '\0' && strcmp(stored, name) == 0) {
            return scene->mTextures[i];
        }
    }
    return NULL;
}

static void put_embedded(struct importer *im, const char *name, const struct aiTexture *texture) {
    char label[96];
    snprintf(label, sizeof label, "embedded picture %.60s", name);
    if (texture->mHeight == 0) {
        put_texture(im, label, 0, 0, texture->pcData, texture->mWidth);
        return;
    }
    size_t count = (size_t)texture->mWidth * texture->mHeight;
    uint8_t *rgba = malloc(count * 4 + 1);
    if (rgba == NULL) {
        put_texture(im, label, 0, 0, NULL, 0);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        rgba[4 * i] = texture->pcData[i].r;
        rgba[4 * i + 1] = texture->pcData[i].g;
        rgba[4 * i + 2] = texture->pcData[i].b;
        rgba[4 * i + 3] = texture->pcData[i].a;
    }
    put_texture(im, label, texture->mWidth, texture->mHeight, rgba, count * 4);
    free(rgba);
}

/*
 * Models name their pictures as their makers' disks had them. Tried in turn: the name
 * beside the model, with backslashes turned; then its last part alone. Absolute names
 * are never opened as such.
 */
static uint8_t *read_texture_file(const struct importer *im, const char *name, char *found,
                                  size_t found_size, size_t *size_bytes) {
    struct image_error ignored;
    char turned[MAXLEN];
    snprintf(turned, sizeof turned, "%s", name);
    for (char *p = turned; *p != '\0'; p++) {
        *p = *p == '\\' ? '/' : *p;
    }
    const char *slash = strrchr(im->path, '/');
    int folder = slash != NULL ? (int)(slash - im->path) + 1 : 0;
    const char *last = strrchr(turned, '/');
    const char *tries[2] = {turned[0] == '/' ? NULL : turned, last != NULL ? last + 1 : NULL};
    for (int i = 0; i < 2; i++) {
        if (tries[i] == NULL || tries[i][0] == '\0') {
            continue;
        }
        snprintf(found, found_size, "%.*s%s", folder, im->path, tries[i]);
        uint8_t *bytes = image_read_file(found, TEXTURE_LIMIT_BYTES, size_bytes, &ignored);
        if (bytes != NULL) {
            return bytes;
        }
    }
    snprintf(found, found_size, "%s", name);
    return NULL;
}

static void put_all_textures(struct importer *im) {
    for (uint32_t i = 0; i < im->texture_count; i++) {
        const char *name = im->texture_name[i];
        const struct aiTexture *embedded = find_embedded(im->scene, name);
        if (embedded != NULL) {
            put_embedded(im, name, embedded);
            continue;
        }
        char found[MAXLEN + 4096];
        size_t size_bytes = 0;
        uint8_t *bytes = read_texture_file(im, name, found, sizeof found, &size_bytes);
        put_texture(im, found, 0, 0, bytes, bytes != NULL ? size_bytes : 0);
        free(bytes);
    }
}

/* ---- materials ---- */

static uint32_t texture_index(struct importer *im, const struct aiMaterial *material) {
    static const enum aiTextureType type[2] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};
    struct aiString name;
    for (int t = 0; t < 2; t++) {
        memset(&name, 0, sizeof name);
        if (im->ai.aiGetMaterialTexture(material, type[t], 0, &name, NULL, NULL, NULL, NULL, NULL,
                                        NULL) != aiReturn_SUCCESS) {
            continue;
        }
        name.data[MAXLEN - 1] = '\0';
        for (uint32_t i = 0; i < im->texture_count; i++) {
            if (strcmp(im->texture_name[i], name.data) == 0) {
                return i;
            }
        }
        char *copy = im->texture_count < MAX_TEXTURES ? strdup(name.data) : NULL;
        if (copy == NULL || copy[0] == '\0') {
            free(copy);
            return MODEL_NO_TEXTURE;
        }
        im->texture_name[im->texture_count] = copy;
        return im->texture_count++;
    }
    return MODEL_NO_TEXTURE;
}

static float finite_unit(float x) {
    return x >= 0.0f && x <= 1.0f ? x : x > 1.0f ? 1.0f : 0.0f;
}

static void read_material(struct importer *im, const struct aiMaterial *material,
                          struct model_material *out) {
    struct aiColor4D color = {0.72f, 0.72f, 0.72f, 1.0f};
    struct aiColor4D other;
    float opacity = 1.0f;
    unsigned count = 1;
    memset(out, 0, sizeof *out);
    if (im->ai.aiGetMaterialColor(material, "$clr.base", 0, 0, &other) == aiReturn_SUCCESS ||
        im->ai.aiGetMaterialColor(material, "$clr.diffuse", 0, 0, &other) == aiReturn_SUCCESS) {
        color = other;
    }
    if (im->ai.aiGetMaterialFloatArray(material, "$mat.opacity", 0, 0, &opacity, &count) !=
        aiReturn_SUCCESS) {
        opacity = 1.0f;
    }
    out->texture = texture_index(im, material);
    out->color[0] = finite_unit(color.r);
    out->color[1] = finite_unit(color.g);
    out->color[2] = finite_unit(color.b);
    /* Exporters that meant "no transparency" wrote 0; nobody draws what cannot be seen. */
    out->color[3] = opacity > 0.0f ? finite_unit(opacity) : 1.0f;
    if (out->texture != MODEL_NO_TEXTURE && color.r + color.g + color.b <= 0.0f) {
        out->color[0] = out->color[1] = out->color[2] = 1.0f;
    }
    if (im->ai.aiGetMaterialColor(material, "$clr.emissive", 0, 0, &other) == aiReturn_SUCCESS) {
        out->emission[0] = finite_unit(other.r);
        out->emission[1] = finite_unit(other.g);
        out->emission[2] = finite_unit(other.b);
    }
    out->gloss = 0.16f;
    if (im->ai.aiGetMaterialColor(material, "$clr.specular", 0, 0, &other) == aiReturn_SUCCESS) {
        out->gloss = 0.08f + 0.2f * finite_unit((other.r + other.g + other.b) / 3.0f);
    }
}

/* ---- geometry ---- */

static float finite_or_zero(float x) {
    return x - x == 0.0f ? x : 0.0f;
}

static uint8_t to_byte(float x) {
    return (uint8_t)(finite_unit(x) * 255.0f + 0.5f);
}

static void read_vertex(const struct aiMesh *mesh, unsigned i, struct model_vertex *out) {
    memset(out, 0, sizeof *out);
    out->position[0] = finite_or_zero(mesh->mVertices[i].x);
    out->position[1] = finite_or_zero(mesh->mVertices[i].y);
    out->position[2] = finite_or_zero(mesh->mVertices[i].z);
    if (mesh->mNormals != NULL) {
        out->normal[0] = finite_or_zero(mesh->mNormals[i].x);
        out->normal[1] = finite_or_zero(mesh->mNormals[i].y);
        out->normal[2] = finite_or_zero(mesh->mNormals[i].z);
    }
    if (mesh->mTextureCoords[0] != NULL) {
        out->uv[0] = finite_or_zero(mesh->mTextureCoords[0][i].x);
        out->uv[1] = finite_or_zero(mesh->mTextureCoords[0][i].y);
    }
    memset(out->color, 255, sizeof out->color);
    if (mesh->mColors[0] != NULL) {
        out->color[0] = to_byte(mesh->mColors[0][i].r);
        out->color[1] = to_byte(mesh->mColors[0][i].g);
        out->color[2] = to_byte(mesh->mColors[0][i].b);
        out->color[3] = to_byte(mesh->mColors[0][i].a);
    }
}

/* Vertices of the part being filled, and where each mesh vertex went, 0 for nowhere. */
struct chunk {
    struct model_vertex *vertices;
    uint16_t *indices;
    uint32_t *place; /* 1 + index in this chunk */
    uint32_t *used;  /* the mesh vertices that have a place */
    uint32_t vertex_count;
    uint32_t index_count;
};

static void flush_chunk(struct importer *im, struct chunk *chunk, uint32_t material) {
    if (chunk->index_count == 0) {
        return;
    }
    struct model_part_record record = {material, chunk->vertex_count, chunk->index_count};
    put(im, &record, sizeof record);
    put(im, chunk->vertices, chunk->vertex_count * sizeof chunk->vertices[0]);
    put(im, chunk->indices, chunk->index_count * sizeof chunk->indices[0]);
    for (uint32_t i = 0; i < chunk->vertex_count; i++) {
        chunk->place[chunk->used[i]] = 0;
    }
    chunk->vertex_count = 0;
    chunk->index_count = 0;
    im->part_count++;
}

static bool is_triangle(const struct aiMesh *mesh, const struct aiFace *face) {
    return face->mNumIndices == 3 && face->mIndices[0] < mesh->mNumVertices &&
           face->mIndices[1] < mesh->mNumVertices && face->mIndices[2] < mesh->mNumVertices;
}

static bool put_mesh(struct importer *im, const struct aiMesh *mesh) {
    struct chunk chunk;
    uint32_t limit = mesh->mNumVertices < CHUNK_VERTICES ? mesh->mNumVertices : CHUNK_VERTICES;
    memset(&chunk, 0, sizeof chunk);
    chunk.vertices = calloc((size_t)limit + 1, sizeof chunk.vertices[0]);
    chunk.indices = calloc((size_t)mesh->mNumFaces + 1, 3 * sizeof chunk.indices[0]);
    chunk.place = calloc((size_t)mesh->mNumVertices + 1, sizeof chunk.place[0]);
    chunk.used = calloc((size_t)limit + 1, sizeof chunk.used[0]);
    bool ok = chunk.vertices != NULL && chunk.indices != NULL && chunk.place != NULL &&
              chunk.used != NULL;
    for (unsigned f = 0; ok && f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (!is_triangle(mesh, face)) {
            continue;
        }
        if (chunk.vertex_count + 3 > limit && limit == CHUNK_VERTICES) {
            flush_chunk(im, &chunk, mesh->mMaterialIndex);
        }
        for (int k = 0; k < 3; k++) {
            unsigned from = face->mIndices[k];
            if (chunk.place[from] == 0) {
                read_vertex(mesh, from, &chunk.vertices[chunk.vertex_count]);
                chunk.used[chunk.vertex_count] = from;
                chunk.place[from] = ++chunk.vertex_count;
            }
            chunk.indices[chunk.index_count++] = (uint16_t)(chunk.place[from] - 1);
        }
    }
    if (ok) {
        flush_chunk(im, &chunk, mesh->mMaterialIndex);
    }
    free(chunk.vertices);
    free(chunk.indices);
    free(chunk.place);
    free(chunk.used);
    return ok;
}

/* libassimp's words about a bad file, without its line ends. */
static void import_error(const char *path, const char *reason, struct image_error *err) {
    snprintf(err->text, sizeof err->text, "%s: cannot read this model: %.400s", path,
             reason != NULL && reason[0] != '\0' ? reason : "unknown format or damaged");
    for (char *p = err->text; *p != '\0'; p++) {
        *p = *p == '\n' || *p == '\r' ? ' ' : *p;
    }
}

static const struct aiScene *read_scene(const struct assimp *ai, const char *path) {
    const unsigned steps =
        aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices |
        aiProcess_JoinIdenticalVertices | aiProcess_GenSmoothNormals | aiProcess_FindInvalidData |
        aiProcess_ImproveCacheLocality | aiProcess_FlipUVs | aiProcess_ValidateDataStructure;
    struct aiPropertyStore *store = ai->aiCreatePropertyStore();
    ai->aiSetImportPropertyInteger(store, AI_CONFIG_PP_SBP_REMOVE,
                                   aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    ai->aiSetImportPropertyFloat(store, AI_CONFIG_PP_GSN_MAX_SMOOTHING_ANGLE,
                                 SMOOTHING_ANGLE_DEGREES);
    return ai->aiImportFileExWithProperties(path, steps, NULL, store);
}

static bool write_scene(struct importer *im, struct image_error *err) {
    const struct aiScene *scene = im->scene;
    struct model_header header = {0, scene->mNumMaterials, 0};
    struct model_material *materials =
        calloc((size_t)scene->mNumMaterials + 1, sizeof materials[0]);
    if (materials == NULL) {
        import_error(im->path, "out of memory", err);
        return false;
    }
    for (unsigned i = 0; i < scene->mNumMaterials; i++) {
        read_material(im, scene->mMaterials[i], &materials[i]);
    }
    header.texture_count = im->texture_count;
    long start = ftell(im->out);
    put(im, &header, sizeof header);
    put_all_textures(im);
    put(im, materials, scene->mNumMaterials * sizeof materials[0]);
    free(materials);
    bool ok = true;
    for (unsigned i = 0; ok && i < scene->mNumMeshes; i++) {
        ok = scene->mMeshes[i]->mMaterialIndex < scene->mNumMaterials &&
             put_mesh(im, scene->mMeshes[i]);
    }
    header.part_count = im->part_count;
    if (!ok || fseek(im->out, start, SEEK_SET) != 0 ||
        fwrite(&header, sizeof header, 1, im->out) != 1 || fflush(im->out) != 0 ||
        ferror(im->out)) {
        import_error(im->path, "out of memory or disk space", err);
        return false;
    }
    return true;
}

bool model_import(const char *path, FILE *out, struct image_error *err) {
    struct importer *im = calloc(1, sizeof *im);
    if (im == NULL || !load_assimp(&im->ai, err)) {
        free(im);
        return false;
    }
    im->path = path;
    im->out = out;
    im->scene = read_scene(&im->ai, path);
    bool ok = im->scene != NULL;
    if (!ok) {
        import_error(path, im->ai.aiGetErrorString(), err);
    } else {
        ok = write_scene(im, err);
    }
    /* The scene is left to the end of the process: freeing it is one more risk. */
    for (uint32_t i = 0; i < im->texture_count; i++) {
        free(im->texture_name[i]);
    }
    free(im);
    return ok;
}

#else

bool model_import(const char *path, FILE *out, struct image_error *err) {
    (void)out;
    snprintf(err->text, sizeof err->text,
             "%s: this vlgl was built without models: install the Debian packages "
             "libassimp-dev and libassimp5, then build again",
             path);
    return false;
}

#endif
