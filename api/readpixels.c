/* SPDX-License-Identifier: MIT */
/*
 * glReadPixels (ES 2.0.25 4.3.1): which formats a framebuffer can be read in, clipping to it (bytes
 * of the client outside stay untouched) and the pack rules.
 */
#include "api/entry.h"
#include "api/state.h"
#include "renderer/transfer.h"

struct read_format {
    GLenum format, type;
    uint8_t layout; /* enum rn_layout */
};

/* Layouts that reading knows; which are allowed depends on the framebuffer. */
static const struct read_format read_formats[] = {
    {GL_RGBA, GL_UNSIGNED_BYTE, RN_LAYOUT_RGBA_U8},
    {GL_BGRA_EXT, GL_UNSIGNED_BYTE, RN_LAYOUT_BGRA_U8},
    {GL_BGRA_EXT, GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT, RN_LAYOUT_BGRA_4444R},
    {GL_BGRA_EXT, GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT, RN_LAYOUT_BGRA_1555R},
    {GL_RGB, GL_UNSIGNED_BYTE, RN_LAYOUT_RGB_U8},
    {GL_RGB, GL_UNSIGNED_SHORT_5_6_5, RN_LAYOUT_RGB_565},
    {GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, RN_LAYOUT_RGBA_4444},
    {GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, RN_LAYOUT_RGBA_5551},
    {GL_RED_EXT, GL_UNSIGNED_BYTE, RN_LAYOUT_R_U8},
    {GL_RG_EXT, GL_UNSIGNED_BYTE, RN_LAYOUT_RG_U8},
    {GL_RGBA, GL_FLOAT, RN_LAYOUT_RGBA_F32},
    {GL_RGBA, GL_HALF_FLOAT_OES, RN_LAYOUT_RGBA_F16},
};

static bool read_is_format(GLenum format) {
    return es_texformat_is_format(format) && format != GL_SRGB_EXT && format != GL_SRGB_ALPHA_EXT;
}

static bool read_is_type(GLenum type) {
    return es_texformat_is_type(type) || type == GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT ||
           type == GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT;
}

void es_read_format(struct es_context *ctx, GLenum *format, GLenum *type) {
    *format = GL_RGBA;
    *type = GL_UNSIGNED_BYTE;
    if (es_framebuffer_status(ctx, ctx->framebuffer) != GL_FRAMEBUFFER_COMPLETE) {
        return;
    }
    switch (es_framebuffer_read_format(ctx)) {
    case RN_FORMAT_RGBX8: *format = GL_RGB; break;
    case RN_FORMAT_RGB565:
        *format = GL_RGB;
        *type = GL_UNSIGNED_SHORT_5_6_5;
        break;
    case RN_FORMAT_RGBA4: *type = GL_UNSIGNED_SHORT_4_4_4_4; break;
    case RN_FORMAT_RGB5A1: *type = GL_UNSIGNED_SHORT_5_5_5_1; break;
    case RN_FORMAT_R8: *format = GL_RED_EXT; break;
    case RN_FORMAT_RG8: *format = GL_RG_EXT; break;
    case RN_FORMAT_R16F:
    case RN_FORMAT_RG16F:
    case RN_FORMAT_RGB16F:
    case RN_FORMAT_RGBA16F: *type = GL_HALF_FLOAT_OES; break;
    default: break;
    }
}

/*
 * The layout for a format and type, if this framebuffer can be read so; sets the error otherwise.
 */
static const struct read_format *read_check_format(struct es_context *ctx, GLenum format,
                                                   GLenum type) {
    if (!read_is_format(format) || !read_is_type(type)) {
        const struct es_enum_check checks[] = {{"format", format, read_is_format(format)}, {"type", type, false}};
        es_set_enum_error(ctx, checks);
        return NULL;
    }
    if (!es_framebuffer_require(ctx)) {
        return NULL;
    }
    enum rn_format source = es_framebuffer_read_format(ctx);
    GLenum own_format;
    GLenum own_type;
    es_read_format(ctx, &own_format, &own_type);
    bool is_float = rn_format_info(source)->kind == RN_KIND_FLOAT;
    bool usual = is_float
                     ? format == GL_RGBA && type == GL_FLOAT
                     : (format == GL_RGBA && type == GL_UNSIGNED_BYTE) || format == GL_BGRA_EXT;
    for (size_t i = 0; i < sizeof read_formats / sizeof read_formats[0]; i++) {
        const struct read_format *f = &read_formats[i];
        if (f->format == format && f->type == type && source != RN_FORMAT_NONE &&
            (usual || (format == own_format && type == own_type))) {
            return f;
        }
    }
    es_set_error(ctx, GL_INVALID_OPERATION, "format 0x%04x with type 0x%04x from %s", format, type,
                 rn_format_info(source)->name);
    return NULL;
}

static void read_pixels(struct es_context *ctx, GLint x, GLint y, GLsizei width, GLsizei height,
                        GLenum format, GLenum type, int64_t buffer_size, void *data) {
    if (width < 0 || height < 0) {
        es_set_error(ctx, GL_INVALID_VALUE, "size %d x %d", width, height);
        return;
    }
    const struct read_format *f = read_check_format(ctx, format, type);
    if (!f) {
        return;
    }
    enum rn_layout layout = (enum rn_layout)f->layout;
    size_t bytes = rn_layout_bytes(layout);
    size_t stride = es_row_stride(layout, (uint32_t)width, 0, ctx->state.pack_alignment);
    if (buffer_size >= 0 && width && height &&
        (uint64_t)stride * (uint64_t)(height - 1) + bytes * (size_t)width > (uint64_t)buffer_size) {
        es_set_error(ctx, GL_INVALID_OPERATION, "the pixels do not fit into %lld bytes",
                     (long long)buffer_size);
        return;
    }
    uint32_t slice;
    if (!data || !width || !height || !es_run_pending(ctx)) {
        return;
    }
    const struct rn_image *image = es_framebuffer_read_image(ctx, &slice);
    if (!image) {
        return;
    }
    int64_t x0 = x > 0 ? x : 0;
    int64_t y0 = y > 0 ? y : 0;
    int64_t x1 = (int64_t)x + width;
    int64_t y1 = (int64_t)y + height;
    x1 = x1 > (int64_t)image->width ? (int64_t)image->width : x1;
    y1 = y1 > (int64_t)image->height ? (int64_t)image->height : y1;
    if (x0 >= x1 || y0 >= y1) {
        return;
    }
    struct rn_box box = {(int32_t)x0,         (int32_t)y0,         (int32_t)slice,
                         (uint32_t)(x1 - x0), (uint32_t)(y1 - y0), 1};
    uint8_t *first = (uint8_t *)data + (size_t)(y0 - y) * stride + (size_t)(x0 - x) * bytes;
    rn_transfer_read(ctx->renderer, image, &box, layout, first, stride);
}

void es_read_pixels(struct es_context *ctx, GLint x, GLint y, GLsizei width, GLsizei height,
                    GLenum format, GLenum type, void *pixels) {
    read_pixels(ctx, x, y, width, height, format, type, -1, pixels);
}

void es_readn_pixels(struct es_context *ctx, GLint x, GLint y, GLsizei width, GLsizei height,
                     GLenum format, GLenum type, GLsizei bufSize, void *data) {
    if (bufSize < 0) {
        es_set_error(ctx, GL_INVALID_OPERATION, "buffer size %d", bufSize);
        return;
    }
    read_pixels(ctx, x, y, width, height, format, type, bufSize, data);
}
