/* SPDX-License-Identifier: MIT */
/* Texture formats from texformat.def, sizes of client rows and of compressed data. */
#include "api/state.h"

static const struct es_texformat texformats[] = {
#define ES_TEXFORMAT(format, type, layout, storage, stencil)                                       \
    {format, type, RN_LAYOUT_##layout, RN_FORMAT_##storage, stencil},
#include "api/texformat.def"
#undef ES_TEXFORMAT
};

static const struct es_sized_format sized_formats[] = {
#define T ES_SIZED_TEXTURE
#define R ES_SIZED_RENDERBUFFER
#define I ES_SIZED_TEXIMAGE
#define ES_SIZED(sized, format, type, storage, stencil, use)                                       \
    {sized, format, type, RN_FORMAT_##storage, stencil, use},
#include "api/texformat.def"
#undef ES_SIZED
#undef T
#undef R
#undef I
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct es_texformat *es_texformat_find(GLenum format, GLenum type) {
    for (size_t i = 0; i < COUNT(texformats); i++) {
        if (texformats[i].format == format && texformats[i].type == type) {
            return &texformats[i];
        }
    }
    return NULL;
}

bool es_texformat_is_format(GLenum format) {
    for (size_t i = 0; i < COUNT(texformats); i++) {
        if (texformats[i].format == format) {
            return true;
        }
    }
    return false;
}

bool es_texformat_is_type(GLenum type) {
    for (size_t i = 0; i < COUNT(texformats); i++) {
        if (texformats[i].type == type) {
            return true;
        }
    }
    return false;
}

const struct es_sized_format *es_sized_find(GLenum sized, unsigned use) {
    for (size_t i = 0; i < COUNT(sized_formats); i++) {
        if (sized_formats[i].sized == sized && (sized_formats[i].use & use)) {
            return &sized_formats[i];
        }
    }
    return NULL;
}

/*
 * SPEC: ES 2.0.25 3.6.2 and 4.3.1. Rows start at multiples of the alignment; where a component is
 * larger than the alignment a row is a multiple of it anyway.
 */
size_t es_row_stride(enum rn_layout layout, uint32_t width, int32_t row_length, int32_t alignment) {
    size_t pixels = row_length > 0 ? (size_t)row_length : width;
    size_t align = (size_t)alignment;
    return (pixels * rn_layout_bytes(layout) + align - 1) / align * align;
}

static const struct es_compressed_format compressed_formats[] = {
#define ES_COMPRESSED(format, block_bytes, base, partial) {format, base, block_bytes, partial},
#include "api/texformat.def"
#undef ES_COMPRESSED
};

unsigned es_compressed_count(void) {
    return COUNT(compressed_formats);
}

GLenum es_compressed_name(unsigned index) {
    return compressed_formats[index].format;
}

const struct es_compressed_format *es_compressed_find(GLenum format) {
    for (size_t i = 0; i < COUNT(compressed_formats); i++) {
        if (compressed_formats[i].format == format) {
            return &compressed_formats[i];
        }
    }
    return NULL;
}
