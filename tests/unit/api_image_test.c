/* SPDX-License-Identifier: MIT */
/*
 * Textures, renderbuffers, framebuffers, pixel store, copies, mipmaps, compressed images: no
 * drawing but clears.
 */
#include "api/dxt.h"
#include "tests/unit/api_util.h"

static GLuint new_texture(GLenum target) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    return t;
}

/* Attaches level 'level' of a 2D texture to a new framebuffer, bound. */
static GLuint new_target(GLuint texture, GLint level) {
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, level);
    return fb;
}

TEST(teximage_errors) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    new_texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR); /* zero size is legal */
    glTexImage2D(GL_TEXTURE_CUBE_MAP, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_ENUM);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_DEPTH_TEST, NULL);
    CHECK_ERROR(GL_INVALID_ENUM);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 4, 4, 0, GL_RGB, GL_UNSIGNED_SHORT_4_4_4_4, NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexImage2D(GL_TEXTURE_2D, -1, GL_RGB, 4, 4, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_2D, 14, GL_RGB, 1, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_2D, 13, GL_RGB, 1, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 8193, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 4, 4, 1, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGB, 4, 5, 0, GL_RGB, GL_UNSIGNED_BYTE,
                 NULL);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 1, 1, GL_RGB, GL_UNSIGNED_BYTE, "abc");
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 4, 4, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 0, 3, 1, GL_RGB, GL_UNSIGNED_BYTE, "abcabcabc");
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "abcd");
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    CHECK_ERROR(GL_INVALID_ENUM);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 0.5f);
    CHECK_ERROR(GL_INVALID_VALUE);
    glGenerateMipmap(GL_TEXTURE_CUBE_MAP);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

TEST(unpack_alignment_and_subimage) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint t = new_texture(GL_TEXTURE_2D);
    /* 3 x 2 RGB: rows of 9 bytes, of 12 with alignment 4. */
    uint8_t data[24];
    for (unsigned i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 10);
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 3, 2, 0, GL_RGB, GL_UNSIGNED_BYTE, data);
    new_target(t, 0);
    CHECK_EQ_INT(api_pixel(0, 1), 0x78828CFF);
    CHECK_EQ_INT(api_pixel(2, 0), 0x3C4650FF);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 3, 2, 0, GL_RGB, GL_UNSIGNED_BYTE, data);
    CHECK_EQ_INT(api_pixel(0, 1), 0x5A646EFF);
    /* EXT_unpack_subimage: pixel (1, 1) of rows of 4 pixels. */
    glPixelStorei(GL_UNPACK_ROW_LENGTH_EXT, 4);
    glPixelStorei(GL_UNPACK_SKIP_ROWS_EXT, 1);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS_EXT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 1, 1, 1, GL_RGB, GL_UNSIGNED_BYTE, data);
    CHECK_EQ_INT(api_pixel(2, 1), 0x96A0AAFF);
    CHECK_EQ_INT(api_pixel(1, 1), 0x78828CFF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(read_pixels_clips_and_packs) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    uint8_t out[16 * 4];
    memset(out, 7, sizeof out);
    glPixelStorei(GL_PACK_ALIGNMENT, 8);
    glReadPixels(-1, -2, 3, 4, GL_RGBA, GL_UNSIGNED_BYTE, out);
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 16; x++) {
            bool inside = y >= 2 && x >= 4 && x < 12;
            unsigned expected = !inside ? 7 : x % 4 == 0 || x % 4 == 3 ? 255 : 0;
            CHECK_EQ_INT(out[y * 16 + x], expected);
        }
    }
    glReadPixels(0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, out);
    CHECK_ERROR(GL_INVALID_VALUE);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_RGBA, out);
    CHECK_ERROR(GL_INVALID_ENUM);
    glReadPixels(0, 0, 1, 1, GL_LUMINANCE, GL_UNSIGNED_BYTE, out);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_FLOAT, out);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glReadnPixelsEXT(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, 63, out);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glReadnPixelsEXT(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, 64, out);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glClearColor(1, 0.5f, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(0, 0, 1, 1, GL_BGRA_EXT, GL_UNSIGNED_BYTE, out);
    CHECK(out[0] == 0 && out[1] == 128 && out[2] == 255 && out[3] == 255);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(read_format_follows_the_framebuffer) {
    static const struct {
        GLenum storage, format, type;
    } cases[] = {
        {GL_RGBA8_OES, GL_RGBA, GL_UNSIGNED_BYTE},
        {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5},
        {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4},
        {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1},
        {GL_R8_EXT, GL_RED_EXT, GL_UNSIGNED_BYTE},
        {GL_RGBA16F_EXT, GL_RGBA, GL_HALF_FLOAT_OES},
    };
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint fb;
    GLuint rb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GLint format = 0;
        GLint type = 0;
        uint8_t pixels[16];
        glRenderbufferStorage(GL_RENDERBUFFER, cases[i].storage, 3, 3);
        CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
        glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
        glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &type);
        CHECK_EQ_INT(format, cases[i].format);
        CHECK_EQ_INT(type, cases[i].type);
        glReadPixels(0, 0, 1, 1, cases[i].format, cases[i].type, pixels);
        CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    }
    api_end(&f);
}

TEST(framebuffer_status_codes) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint fb;
    GLuint rb[3];
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER),
                 GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    glGenRenderbuffers(3, rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb[0]);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, 4, 4);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB565, 4, 4);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    /* Two different renderbuffers: 16-bit depth and 8-bit stencil. */
    glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb[1]);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[2]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_STENCIL_INDEX8, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, rb[2]);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    GLint bits = 0;
    glGetIntegerv(GL_DEPTH_BITS, &bits);
    CHECK_EQ_INT(bits, 16);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_STENCIL_INDEX8, 5, 4);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS);
    /* One packed renderbuffer at both points. */
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb[2]);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    CHECK(f.ctx->framebuffer->target.depth.image != f.ctx->framebuffer->target.stencil.image);
    GLuint t = new_texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE, 4, 4, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, NULL);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X, t,
                           0);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 14);
    CHECK_ERROR(GL_INVALID_VALUE);
    GLint value = 0;
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &value);
    CHECK_EQ_INT(value, t);
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT,
                                          GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, &value);
    CHECK_ERROR(GL_INVALID_ENUM);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    CHECK_ERROR(GL_INVALID_OPERATION);
    es_make_current(f.ctx, NULL, NULL);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_UNDEFINED_OES);
    api_end(&f);
}

TEST(copies_leave_the_outside_alone) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    GLuint t = new_texture(GL_TEXTURE_2D);
    uint8_t data[64];
    memset(data, 255, sizeof data);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, -2, -2, 4, 4);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    new_target(t, 0);
    CHECK_EQ_INT(api_pixel(1, 3), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(3, 1), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(2, 2), 0x0000FFFF);
    CHECK_EQ_INT(api_pixel(3, 3), 0x0000FFFF);
    /* A level copied into itself: column 0 moves to column 1. */
    glClearColor(1, 0, 0, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 4);
    glClear(GL_COLOR_BUFFER_BIT);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 0, 0, 3, 4);
    CHECK_EQ_INT(api_pixel(1, 3), 0xFF0000FF);
    CHECK_EQ_INT(api_pixel(2, 3), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(3, 3), 0x0000FFFF);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE, 0, 0, 2, 2, 0);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    CHECK_EQ_INT(f.ctx->textures[0][ES_TEX_2D]->levels[0].image->format, RN_FORMAT_L8);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, 0, 0, 2, 2, 0);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

TEST(mipmaps_of_odd_sizes) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint t = new_texture(GL_TEXTURE_2D);
    uint8_t data[5 * 3 * 4];
    memset(data, 200, sizeof data);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 5, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
    CHECK(es_texture_view(f.ctx->textures[0][ES_TEX_2D]) == NULL); /* mipmapped filter, one level */
    glGenerateMipmap(GL_TEXTURE_2D);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    CHECK(es_texture_view(f.ctx->textures[0][ES_TEX_2D]) != NULL);
    const struct es_level *levels = f.ctx->textures[0][ES_TEX_2D]->levels;
    CHECK(levels[1].width == 2 && levels[1].height == 1 && levels[2].width == 1 &&
          levels[2].height == 1);
    CHECK(!levels[3].defined);
    new_target(t, 2);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    CHECK_EQ_INT(api_pixel(0, 0), 0xC8C8C8C8);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA, 3, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK(es_texture_view(f.ctx->textures[0][ES_TEX_2D]) == NULL); /* wrong size of a level */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    CHECK(es_texture_view(f.ctx->textures[0][ES_TEX_2D]) != NULL);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(immutable_textures) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    glTexStorage2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8_OES, 4, 4);
    CHECK_ERROR(GL_INVALID_OPERATION); /* texture 0 */
    new_texture(GL_TEXTURE_2D);
    glTexStorage2DEXT(GL_TEXTURE_2D, 5, GL_RGBA8_OES, 8, 4);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexStorage2DEXT(GL_TEXTURE_2D, 0, GL_RGBA8_OES, 8, 4);
    CHECK_ERROR(GL_INVALID_VALUE);
    glTexStorage2DEXT(GL_TEXTURE_2D, 1, GL_RGBA, 8, 4);
    CHECK_ERROR(GL_INVALID_ENUM);
    glTexStorage2DEXT(GL_TEXTURE_2D, 2, GL_RGBA8_OES, 8, 4);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    GLint value = 0;
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT_EXT, &value);
    CHECK_EQ_INT(value, 1);
    CHECK(es_texture_view(f.ctx->textures[0][ES_TEX_2D]) != NULL); /* two levels are enough */
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 8, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexStorage2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8_OES, 8, 4);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexSubImage2D(GL_TEXTURE_2D, 1, 3, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "\x01\x02\x03\x04");
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(s3tc_blocks) {
    /* End colours red and blue, codes 0 1 2 3 repeated; by hand: means at one and two thirds. */
    static const uint8_t block[8] = {0x00, 0xF8, 0x1F, 0x00, 0xE4, 0xE4, 0xE4, 0xE4};
    uint8_t out[16][4];
    es_dxt_decode_block(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, block, out);
    CHECK(out[0][0] == 255 && out[0][2] == 0 && out[1][0] == 0 && out[1][2] == 255);
    CHECK(out[2][0] == 170 && out[2][2] == 85 && out[3][0] == 85 && out[3][2] == 170 &&
          out[3][3] == 255);
    static const uint8_t swapped[8] = {0x1F, 0x00, 0x00, 0xF8, 0xE4, 0xE4, 0xE4, 0xE4};
    es_dxt_decode_block(GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, swapped, out);
    CHECK(out[2][0] == 127 && out[2][2] == 127 && out[3][0] == 0 && out[3][3] == 0);
    static const uint8_t dxt5[16] = {255,  0,    0xAC, 0x88, 0xF6, 0xAC,
                                     0x88, 0xF6, 0x00, 0xF8, 0x1F, 0x00};
    es_dxt_decode_block(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, dxt5, out);
    /* codes 4 5 2 4 0 5 3 7 from 0xF688AC: by the formula ((8 - c) * 255) / 7 */
    CHECK_EQ_INT(out[0][3], 145);
    CHECK_EQ_INT(out[1][3], 109);
    CHECK_EQ_INT(out[2][3], 218);
    CHECK_EQ_INT(out[4][3], 255);
    CHECK_EQ_INT(out[7][3], 36);
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    new_texture(GL_TEXTURE_2D);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 5, 3, 0, 8, block);
    CHECK_ERROR(GL_INVALID_VALUE);
    static const uint8_t two[16] = {0x00, 0xF8, 0x1F, 0x00, 0xE4, 0xE4,
                                    0xE4, 0xE4, 0x1F, 0,    0,    0xF8};
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 5, 3, 0, 16, two);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    uint8_t pixels[5 * 3 * 4];
    const struct rn_box box = {0, 0, 0, 5, 3, 1};
    rn_image_read(f.ctx->textures[0][ES_TEX_2D]->levels[0].image, &box, RN_LAYOUT_RGBA_U8, pixels,
                  20);
    CHECK(pixels[0] == 255 && pixels[4] == 0 && pixels[8] == 170 && pixels[16] == 0 &&
          pixels[18] == 255);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, 4, 3, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 8,
                              block);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 1, 3, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 8,
                              block);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    rn_image_read(f.ctx->textures[0][ES_TEX_2D]->levels[0].image, &box, RN_LAYOUT_RGBA_U8, pixels,
                  20);
    CHECK_EQ_INT(pixels[16], 255);
    /* Plain pixels into a compressed internal format: whole blocks only, values kept. */
    uint8_t plain[8 * 8 * 4];
    memset(plain, 33, sizeof plain);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 8, 8, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, plain);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 8, GL_RGBA, GL_UNSIGNED_BYTE, plain);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 3, 8, GL_RGBA, GL_UNSIGNED_BYTE, plain);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 8, 8, 0, GL_RGB, GL_UNSIGNED_BYTE, plain);
    CHECK_ERROR(GL_INVALID_VALUE);
    rn_image_read(f.ctx->textures[0][ES_TEX_2D]->levels[0].image, &box, RN_LAYOUT_RGBA_U8, pixels,
                  20);
    CHECK(pixels[0] == 33 && pixels[3] == 33);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 4, 4, 0, 8, block);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_ETC1_RGB8_OES, 8, block);
    CHECK_ERROR(GL_INVALID_OPERATION);
    glGenerateMipmap(GL_TEXTURE_2D);
    CHECK_ERROR(GL_INVALID_OPERATION);
    api_end(&f);
}

TEST(egl_images_share_storage) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint source = new_texture(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    struct es_image *image;
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_2D, source, 0, 0, &image),
                 ES_IMAGE_BAD_PARAMETER);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_2D, source, 0, 0, &image), ES_IMAGE_OK);
    CHECK(es_image_is_valid(image));
    struct es_image *again;
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_2D, source, 0, 0, &again), ES_IMAGE_BAD_ACCESS);
    GLuint rb;
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glEGLImageTargetRenderbufferStorageOES(GL_RENDERBUFFER, image);
    GLuint fb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glClearColor(0, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    new_target(source, 0);
    CHECK_EQ_INT(api_pixel(0, 0), 0x00FFFFFF);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "\xFF\x00\xFF\xFF");
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    CHECK_EQ_INT(api_pixel(0, 0), 0xFF00FFFF);
    es_image_destroy(image);
    CHECK(!es_image_is_valid(image));
    glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
    CHECK_ERROR(GL_INVALID_VALUE);
    CHECK_EQ_INT(api_pixel(0, 0), 0xFF00FFFF);
    api_end(&f);
}

/* A slice of a 3D texture and its sibling are the same pixels, whoever writes; other slices are not. */
TEST(egl_images_of_slices) {
    struct api_fixture f;
    struct es_image *image;
    uint8_t texels[2 * 2 * 3 * 4];
    CHECK(api_begin(&f, 4, 4));
    GLuint source = new_texture(GL_TEXTURE_3D_OES);
    for (unsigned i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)(i / 16 * 50 + 5);
    }
    glTexImage3DOES(GL_TEXTURE_3D_OES, 0, GL_RGBA, 2, 2, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_3D_OES, source, 0, 3, &image), ES_IMAGE_BAD_PARAMETER);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_3D_OES, source, 0, -1, &image), ES_IMAGE_BAD_PARAMETER);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_3D_OES, source, 0, 1, &image), ES_IMAGE_OK);
    GLuint sibling = new_texture(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
    es_image_destroy(image);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    new_target(sibling, 0);
    CHECK_EQ_INT(api_pixel(1, 1), 0x37373737); /* 1 * 50 + 5 */
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glTexSubImage3DOES(GL_TEXTURE_3D_OES, 0, 0, 0, 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "\x09\x08\x07\x06");
    CHECK_EQ_INT(api_pixel(0, 0), 0x09080706);
    CHECK_EQ_INT(api_pixel(1, 0), 0x00FF00FF);
    for (GLint z = 0; z < 3; z++) {
        glFramebufferTexture3DOES(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D_OES, source, 0, z);
        CHECK_EQ_INT(api_pixel(1, 1), z == 1 ? 0x00FF00FF : z == 0 ? 0x05050505 : 0x69696969);
    }
    /* Drawing into the slice with what it holds: the values before the draw are read. */
    glFramebufferTexture3DOES(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_3D_OES, source, 0, 1);
    GLuint program = api_program(api_vertex, "precision mediump float; uniform sampler2D t; varying vec2 v_uv;"
                                             "void main() { gl_FragColor = texture2D(t, vec2(1.0) - v_uv); }");
    glUseProgram(program);
    glViewport(0, 0, 2, 2);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0x09080706);
    CHECK_EQ_INT(api_pixel(0, 0), 0x00FF00FF);
    /* The source may go: the sibling keeps the storage. */
    glDeleteTextures(1, &source);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, sibling, 0);
    CHECK_EQ_INT(api_pixel(1, 1), 0x09080706);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

/* Both planes of packed depth-stencil are shared; what is compressed or has samples is refused. */
TEST(egl_images_of_depth_stencil_and_others) {
    struct api_fixture f;
    struct es_image *image;
    GLuint rb[3], fb;
    CHECK(api_begin(&f, 4, 4));
    glGenRenderbuffers(3, rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_RENDERBUFFER, rb[0], 0, 0, &image), ES_IMAGE_BAD_PARAMETER);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, 4, 4);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_RENDERBUFFER, rb[0], 0, 0, &image), ES_IMAGE_OK);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
    glEGLImageTargetRenderbufferStorageOES(GL_RENDERBUFFER, image);
    GLint format = 0, bits = 0;
    glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
    glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_STENCIL_SIZE, &bits);
    CHECK(format == GL_DEPTH24_STENCIL8_OES && bits == 8);
    GLuint depth_texture = new_texture(GL_TEXTURE_2D);
    glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image);
    es_image_destroy(image);
    GLuint color = new_texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb[1]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, rb[1]);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glClearDepthf(0.25f);
    glClearStencil(7);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    /* Seen through the texture: depth 0 passes GREATER than nothing, stencil 7 is equal. */
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth_texture, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_TEXTURE_2D, depth_texture, 0);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glUseProgram(api_program("attribute vec4 a_position; void main() { gl_Position = vec4(a_position.xy, a_position.x * 0.8 - 0.5, 1.0); }",
                             "void main() { gl_FragColor = vec4(1.0); }"));
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 7, 255);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    api_quad(); /* window depths .05 .15 .35 .45 by columns */
    CHECK_EQ_INT(api_pixel(1, 1), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(2, 1), 0x00000000);
    /* And back through the source renderbuffer: where it was drawn, the stencil is 8 now. */
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, rb[0]);
    glClear(GL_COLOR_BUFFER_BIT);
    glStencilFunc(GL_EQUAL, 8, 255);
    api_quad();
    CHECK_EQ_INT(api_pixel(1, 1), 0xFFFFFFFF);
    CHECK_EQ_INT(api_pixel(2, 1), 0x00000000);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[2]);
    glRenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, 4, GL_RGBA8_OES, 4, 4);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_RENDERBUFFER, rb[2], 0, 0, &image), ES_IMAGE_BAD_PARAMETER);
    static const uint8_t block[8] = {0};
    GLuint etc = new_texture(GL_TEXTURE_2D);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 4, 4, 0, 8, block);
    CHECK_EQ_INT(es_image_create(f.ctx, GL_TEXTURE_2D, etc, 0, 0, &image), ES_IMAGE_BAD_PARAMETER);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(pbuffers_as_textures) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    struct es_surface other;
    CHECK(es_surface_init(&other, RN_FORMAT_RGBA8, RN_FORMAT_NONE, false, 1, 2, 2));
    CHECK_EQ_INT(es_bind_tex_image(f.ctx, &other), ES_BIND_OK);
    CHECK_EQ_INT(es_bind_tex_image(f.ctx, &other), ES_BIND_BAD_ACCESS);
    CHECK(f.ctx->textures[0][ES_TEX_2D]->levels[0].image == other.color);
    es_release_tex_image(&other);
    CHECK(!f.ctx->textures[0][ES_TEX_2D]->levels[0].defined);
    GLuint t = new_texture(GL_TEXTURE_2D);
    CHECK_EQ_INT(es_bind_tex_image(f.ctx, &other), ES_BIND_OK);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    CHECK(other.texture == NULL); /* redefinition releases */
    CHECK_EQ_INT(es_bind_tex_image(f.ctx, &other), ES_BIND_OK);
    glDeleteTextures(1, &t);
    CHECK(other.texture == NULL);
    CHECK_EQ_INT(es_bind_tex_image(f.ctx, &other), ES_BIND_OK);
    es_surface_fini(&other);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}

TEST(multisampled_textures_and_renderbuffers) {
    struct api_fixture f;
    CHECK(api_begin(&f, 4, 4));
    GLuint t = new_texture(GL_TEXTURE_2D);
    uint8_t pixels[64];
    memset(pixels, 255, sizeof pixels);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    GLuint fb;
    GLuint rb;
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0,
                                         5);
    CHECK_ERROR(GL_INVALID_VALUE);
    glFramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t, 0,
                                         4);
    CHECK_ERROR(GL_INVALID_ENUM);
    glFramebufferTexture2DMultisampleEXT(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0,
                                         2);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    GLint value = 0;
    glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_SAMPLES_EXT, &value);
    CHECK_EQ_INT(value, 4);
    glGetIntegerv(GL_SAMPLES, &value);
    CHECK_EQ_INT(value, 4);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 2, 4);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT); /* half is cleared, the other half keeps the texels */
    CHECK_EQ_INT(api_pixel(1, 1), 0x00FF00FF);
    CHECK_EQ_INT(api_pixel(2, 1), 0xFFFFFFFF);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, "\x01\x02\x03\x04");
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(3, 3), 0x01020304);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER),
                 GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE_EXT);
    glRenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, 4, GL_DEPTH_COMPONENT16, 4, 4);
    CHECK_EQ_INT(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES_EXT, &value);
    CHECK_EQ_INT(value, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
    glRenderbufferStorageMultisampleEXT(GL_RENDERBUFFER, 4, GL_RGBA8_OES, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    glDisable(GL_SCISSOR_TEST);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK_EQ_INT(api_pixel(3, 2), 0x00FF00FF);
    CHECK_EQ_INT(glGetError(), GL_NO_ERROR);
    api_end(&f);
}
