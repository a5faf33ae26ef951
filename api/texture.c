/* SPDX-License-Identifier: MIT */
/*
 * Texture objects: names, binding, levels, parameters and the view (renderer's immutable
 * description of how a texture is sampled), which is rebuilt after storage or a parameter changed.
 * Completeness is decided here (ES 2.0.25 3.7.10, 3.8.2): an incomplete texture has no view and
 * samples as 0,0,0,1.
 */
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "api/state.h"

/* ---- objects --------------------------------------------------------------------------------- */

struct es_texture *es_texture_create(GLuint name) {
    struct es_texture *texture = calloc(1, sizeof *texture);
    if (texture) {
        texture->name = name;
        texture->refs = 1;
        texture->min_filter = GL_NEAREST_MIPMAP_LINEAR;
        texture->mag_filter = GL_LINEAR;
        texture->wrap[0] = texture->wrap[1] = texture->wrap[2] = GL_REPEAT;
        texture->compare_mode = GL_NONE;
        texture->compare_func = GL_LEQUAL;
        texture->srgb_decode = GL_DECODE_EXT;
        texture->max_anisotropy = 1.0f;
        texture->max_level = 1000;
    }
    return texture;
}

bool es_texture_set_target(struct es_texture *texture, GLenum target) {
    uint8_t faces = target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    texture->levels = calloc((size_t)faces * RN_MAX_LEVELS, sizeof *texture->levels);
    if (!texture->levels) {
        return false;
    }
    texture->target = target;
    texture->faces = faces;
    texture->index = target == GL_TEXTURE_CUBE_MAP ? ES_TEX_CUBE
                     : target == GL_TEXTURE_3D_OES ? ES_TEX_3D
                                                   : ES_TEX_2D;
    return true;
}

struct es_texture *es_texture_ref(struct es_texture *texture) {
    if (texture) {
        texture->refs++;
    }
    return texture;
}

void es_level_clear(struct es_level *level) {
    rn_image_unref(level->image);
    rn_image_unref(level->stencil);
    *level = (struct es_level){0};
}

void es_texture_unref(struct es_texture *texture) {
    if (!texture || --texture->refs) {
        return;
    }
    for (unsigned i = 0; texture->levels && i < texture->faces * (unsigned)RN_MAX_LEVELS; i++) {
        es_level_clear(&texture->levels[i]);
    }
    rn_view_unref(texture->view);
    free(texture->levels);
    free(texture->label);
    free(texture);
}

struct es_level *es_texture_level(const struct es_texture *texture, unsigned face, unsigned level) {
    return &texture->levels[face * RN_MAX_LEVELS + level];
}

void es_texture_changed(struct es_share *share, struct es_texture *texture) {
    rn_view_unref(texture->view);
    texture->view = NULL;
    texture->view_valid = false;
    share->image_version++;
}

/* ---- binding --------------------------------------------------------------------------------- */

/* Index of a binding target, -1 if it is none. */
static int texture_index(GLenum target) {
    switch (target) {
    case GL_TEXTURE_2D: return ES_TEX_2D;
    case GL_TEXTURE_CUBE_MAP: return ES_TEX_CUBE;
    case GL_TEXTURE_3D_OES: return ES_TEX_3D;
    default: return -1;
    }
}

struct es_texture *es_texture_bound(struct es_context *ctx, GLenum target) {
    int index = texture_index(target);
    if (index < 0) {
        es_set_error(ctx, GL_INVALID_ENUM, "texture target 0x%04x", target);
        return NULL;
    }
    return ctx->textures[ctx->state.active_unit][index];
}

struct es_texture *es_texture_image_target(struct es_context *ctx, GLenum target, unsigned dims,
                                           unsigned *face) {
    *face = 0;
    int index = -1;
    if (dims == 3 && target == GL_TEXTURE_3D_OES) {
        index = ES_TEX_3D;
    } else if (dims == 2 && target == GL_TEXTURE_2D) {
        index = ES_TEX_2D;
    } else if (dims == 2 && target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X &&
               target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z) {
        index = ES_TEX_CUBE;
        *face = target - GL_TEXTURE_CUBE_MAP_POSITIVE_X;
    }
    if (index < 0) {
        es_set_error(ctx, GL_INVALID_ENUM, "image target 0x%04x", target);
        return NULL;
    }
    return ctx->textures[ctx->state.active_unit][index];
}

void es_active_texture(struct es_context *ctx, GLenum texture) {
    if (texture < GL_TEXTURE0 || texture >= GL_TEXTURE0 + ES_MAX_UNITS) {
        es_set_error(ctx, GL_INVALID_ENUM, "texture unit 0x%04x", texture);
        return;
    }
    ctx->state.active_unit = texture - GL_TEXTURE0;
}

static void texture_bind(struct es_context *ctx, unsigned unit, unsigned index,
                         struct es_texture *texture) {
    struct es_texture **slot = &ctx->textures[unit][index];
    if (*slot != texture) {
        es_texture_ref(texture);
        es_texture_unref(*slot);
        *slot = texture;
        ctx->dirty |= ES_DIRTY_TEXTURES;
    }
}

void es_bind_texture(struct es_context *ctx, GLenum target, GLuint name) {
    int index = texture_index(target);
    if (index < 0) {
        es_set_error(ctx, GL_INVALID_ENUM, "texture target 0x%04x", target);
        return;
    }
    struct es_texture *texture = ctx->default_textures[index];
    if (name) {
        texture = es_names_find(&ctx->share->textures, name);
        if (texture && texture->target != target) {
            es_set_error(ctx, GL_INVALID_OPERATION, "texture %u has target 0x%04x", name,
                         texture->target);
            return;
        }
        if (!texture) {
            texture = es_texture_create(name);
            if (!texture || !es_texture_set_target(texture, target) ||
                !es_names_set(&ctx->share->textures, name, texture)) {
                es_texture_unref(texture);
                es_out_of_memory(ctx);
                return;
            }
        }
    }
    texture_bind(ctx, ctx->state.active_unit, (unsigned)index, texture);
}

void es_gen_textures(struct es_context *ctx, GLsizei n, GLuint *textures) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
    } else if (!es_names_generate(&ctx->share->textures, n, textures)) {
        es_out_of_memory(ctx);
    }
}

void es_delete_textures(struct es_context *ctx, GLsizei n, const GLuint *textures) {
    if (n < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "negative count %d", n);
        return;
    }
    for (GLsizei i = 0; i < n; i++) {
        struct es_texture *texture = es_names_find(&ctx->share->textures, textures[i]);
        es_names_remove(&ctx->share->textures, textures[i]);
        if (!texture) {
            continue;
        }
        for (unsigned u = 0; u < ES_MAX_UNITS; u++) {
            if (ctx->textures[u][texture->index] == texture) {
                texture_bind(ctx, u, texture->index, ctx->default_textures[texture->index]);
            }
        }
        es_framebuffer_detach_texture(ctx, texture);
        es_texture_release_surface(ctx->share, texture);
        es_texture_unref(texture);
    }
}

GLboolean es_is_texture(struct es_context *ctx, GLuint texture) {
    return es_names_find(&ctx->share->textures, texture) != NULL;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool texture_is_min_filter(GLenum value) {
    return value == GL_NEAREST || value == GL_LINEAR ||
           (value >= GL_NEAREST_MIPMAP_NEAREST && value <= GL_LINEAR_MIPMAP_LINEAR);
}

/* The place and legality of an enum parameter; NULL if pname is none. */
static GLenum *texture_enum_parameter(struct es_texture *texture, GLenum pname, GLenum value,
                                      bool *legal) {
    switch (pname) {
    case GL_TEXTURE_MIN_FILTER: *legal = texture_is_min_filter(value); return &texture->min_filter;
    case GL_TEXTURE_MAG_FILTER:
        *legal = value == GL_NEAREST || value == GL_LINEAR;
        return &texture->mag_filter;
    case GL_TEXTURE_WRAP_S:
    case GL_TEXTURE_WRAP_T:
    case GL_TEXTURE_WRAP_R_OES:
        *legal = value == GL_REPEAT || value == GL_CLAMP_TO_EDGE || value == GL_MIRRORED_REPEAT;
        return &texture->wrap[pname == GL_TEXTURE_WRAP_S ? 0 : pname == GL_TEXTURE_WRAP_T ? 1 : 2];
    case GL_TEXTURE_COMPARE_MODE_EXT:
        *legal = value == GL_NONE || value == GL_COMPARE_REF_TO_TEXTURE_EXT;
        return &texture->compare_mode;
    case GL_TEXTURE_COMPARE_FUNC_EXT:
        *legal = value >= GL_NEVER && value <= GL_ALWAYS;
        return &texture->compare_func;
    case GL_TEXTURE_SRGB_DECODE_EXT:
        *legal = value == GL_DECODE_EXT || value == GL_SKIP_DECODE_EXT;
        return &texture->srgb_decode;
    default: return NULL;
    }
}

static void texture_set_parameter(struct es_context *ctx, GLenum target, GLenum pname, GLenum value,
                                  float float_value) {
    struct es_texture *texture = es_texture_bound(ctx, target);
    if (!texture) {
        return;
    }
    if (pname == GL_TEXTURE_MAX_ANISOTROPY_EXT) {
        if (!(float_value >= 1.0f)) {
            es_set_error(ctx, GL_INVALID_VALUE, "anisotropy %g is less than 1",
                         (double)float_value);
            return;
        }
        texture->max_anisotropy = float_value > RN_MAX_ANISOTROPY ? RN_MAX_ANISOTROPY : float_value;
        es_texture_changed(ctx->share, texture);
        return;
    }
    if (pname == GL_TEXTURE_MAX_LEVEL_APPLE) {
        if ((GLint)value < 0) {
            es_set_error(ctx, GL_INVALID_VALUE, "level %d", (GLint)value);
            return;
        }
        texture->max_level = (GLint)value;
        es_texture_changed(ctx->share, texture);
        return;
    }
    bool legal = false;
    GLenum *place = texture_enum_parameter(texture, pname, value, &legal);
    if (!place || !legal) {
        if (place) {
            es_set_error(ctx, GL_INVALID_ENUM, "value 0x%04x of parameter 0x%04x", value, pname);
        } else {
            es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
        }
        return;
    }
    if (*place != value) {
        *place = value;
        es_texture_changed(ctx->share, texture);
    }
}

void es_tex_parameteri(struct es_context *ctx, GLenum target, GLenum pname, GLint param) {
    texture_set_parameter(ctx, target, pname, (GLenum)param, (float)param);
}

void es_tex_parameterf(struct es_context *ctx, GLenum target, GLenum pname, GLfloat param) {
    GLenum value = !(param >= 0.0f) ? ~0u : param < 2147483648.0f ? (GLenum)param : INT32_MAX;
    texture_set_parameter(ctx, target, pname, value, param);
}

void es_tex_parameteriv(struct es_context *ctx, GLenum target, GLenum pname, const GLint *params) {
    es_tex_parameteri(ctx, target, pname, params[0]);
}

void es_tex_parameterfv(struct es_context *ctx, GLenum target, GLenum pname,
                        const GLfloat *params) {
    es_tex_parameterf(ctx, target, pname, params[0]);
}

static bool texture_get_parameter(struct es_context *ctx, GLenum target, GLenum pname,
                                  double *value) {
    struct es_texture *texture = es_texture_bound(ctx, target);
    if (!texture) {
        return false;
    }
    bool legal;
    const GLenum *place = texture_enum_parameter(texture, pname, 0, &legal);
    if (place) {
        *value = *place;
    } else if (pname == GL_TEXTURE_MAX_ANISOTROPY_EXT) {
        *value = (double)texture->max_anisotropy;
    } else if (pname == GL_TEXTURE_MAX_LEVEL_APPLE) {
        *value = texture->max_level;
    } else if (pname == GL_TEXTURE_IMMUTABLE_FORMAT_EXT) {
        *value = texture->immutable ? 1.0 : 0.0;
    } else {
        es_set_error(ctx, GL_INVALID_ENUM, "parameter 0x%04x", pname);
        return false;
    }
    return true;
}

void es_get_tex_parameteriv(struct es_context *ctx, GLenum target, GLenum pname, GLint *params) {
    double value;
    if (texture_get_parameter(ctx, target, pname, &value)) {
        *params = es_round_to_int(value);
    }
}

void es_get_tex_parameterfv(struct es_context *ctx, GLenum target, GLenum pname, GLfloat *params) {
    double value;
    if (texture_get_parameter(ctx, target, pname, &value)) {
        *params = (GLfloat)value;
    }
}

/* ---- completeness and views ------------------------------------------------------------------ */

static bool level_matches(const struct es_level *level, const struct es_level *base, uint32_t width,
                          uint32_t height, uint32_t depth) {
    return level->defined && level->image && level->format == base->format &&
           level->compressed == base->compressed && level->width == width &&
           level->height == height && level->depth == depth;
}

static uint32_t texture_half(uint32_t size) {
    return size > 1 ? size / 2 : 1;
}

static enum rn_wrap texture_wrap(GLenum wrap) {
    return wrap == GL_CLAMP_TO_EDGE     ? RN_WRAP_CLAMP
           : wrap == GL_MIRRORED_REPEAT ? RN_WRAP_MIRROR
                                        : RN_WRAP_REPEAT;
}

bool es_texture_describe(const struct es_texture *texture, struct rn_view_desc *desc) {
    static const uint8_t types[ES_TEX_COUNT] = {RN_TEXTURE_2D, RN_TEXTURE_CUBE, RN_TEXTURE_3D};
    const struct es_level *base = es_texture_level(texture, 0, 0);
    if (!base->defined || !base->image ||
        (texture->target == GL_TEXTURE_CUBE_MAP && base->width != base->height)) {
        return false;
    }
    bool mipmapped = texture->min_filter != GL_NEAREST && texture->min_filter != GL_LINEAR;
    memset(desc, 0, sizeof *desc);
    uint32_t w = base->width;
    uint32_t h = base->height;
    uint32_t d = base->depth;
    unsigned levels = 0;
    bool last = false;
    while (!last) {
        for (unsigned face = 0; face < texture->faces; face++) {
            const struct es_level *level = es_texture_level(texture, face, levels);
            if (!level_matches(level, base, w, h, d)) {
                return false;
            }
            desc->images[face][levels] = level->image;
        }
        levels++;
        last = !mipmapped || (w == 1 && h == 1 && d == 1) || (GLint)levels > texture->max_level ||
               (texture->immutable && levels == texture->immutable_levels);
        w = texture_half(w);
        h = texture_half(h);
        d = texture_half(d);
    }
    desc->type = types[texture->index];
    desc->levels = (uint8_t)levels;
    desc->mag_filter = texture->mag_filter == GL_LINEAR ? RN_FILTER_LINEAR : RN_FILTER_NEAREST;
    desc->min_filter = texture->min_filter == GL_LINEAR ||
                               texture->min_filter == GL_LINEAR_MIPMAP_NEAREST ||
                               texture->min_filter == GL_LINEAR_MIPMAP_LINEAR
                           ? RN_FILTER_LINEAR
                           : RN_FILTER_NEAREST;
    desc->mip = !mipmapped ? RN_MIP_NONE
                : texture->min_filter == GL_NEAREST_MIPMAP_NEAREST ||
                        texture->min_filter == GL_LINEAR_MIPMAP_NEAREST
                    ? RN_MIP_NEAREST
                    : RN_MIP_LINEAR;
    for (unsigned i = 0; i < 3; i++) {
        desc->wrap[i] = (uint8_t)texture_wrap(texture->wrap[i]);
    }
    bool depth = rn_format_info((enum rn_format)base->image->format)->kind == RN_KIND_DEPTH;
    desc->compare = depth && texture->compare_mode == GL_COMPARE_REF_TO_TEXTURE_EXT;
    desc->compare_func = desc->compare ? (uint8_t)es_derive_compare(texture->compare_func) : 0;
    desc->srgb_decode = texture->srgb_decode == GL_DECODE_EXT;
    desc->max_anisotropy = texture->max_anisotropy;
    return true;
}

struct rn_view *es_texture_view(struct es_texture *texture) {
    if (!texture->view_valid) {
        struct rn_view_desc desc;
        rn_view_unref(texture->view);
        texture->view = es_texture_describe(texture, &desc) ? rn_view_create(&desc) : NULL;
        texture->view_valid = true;
        texture->view_serial = texture->view ? es_next_serial() : 0;
    }
    return texture->view;
}
