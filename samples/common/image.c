/* SPDX-License-Identifier: MIT */
/*
 * Picture files in and out. Writing: libpng encodes into memory, then the bytes go
 * to a temporary file beside the target, which is renamed when complete. Reading:
 * the file is read whole, its header is checked against the limits before anything
 * of its claimed size is allocated, then stb_image decodes it.
 */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jpeg_check.h"
#include "png_check.h"

#define STBI_NO_STDIO
#include <stb/stb_image.h>

#define IMAGE_FILE_LIMIT_BYTES ((size_t)512 << 20)

__attribute__((format(printf, 2, 3))) static bool image_fail(struct image_error *err,
                                                             const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

/* ---- PNG encoding into memory ---- */

struct png_sink {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    jmp_buf escape;
    char message[200];
};

static void png_on_error(png_structp png, png_const_charp message) {
    struct png_sink *sink = png_get_error_ptr(png);
    snprintf(sink->message, sizeof sink->message, "%s", message);
    longjmp(sink->escape, 1);
}

static void png_on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void png_on_write(png_structp png, png_bytep data, png_size_t length) {
    struct png_sink *sink = png_get_io_ptr(png);
    if (length > sink->capacity - sink->size) {
        size_t wanted = (sink->capacity + length) * 2;
        uint8_t *grown = realloc(sink->bytes, wanted);
        if (grown == NULL) {
            png_error(png, "out of memory");
        }
        sink->bytes = grown;
        sink->capacity = wanted;
    }
    memcpy(sink->bytes + sink->size, data, length);
    sink->size += length;
}

static void png_on_flush(png_structp png) {
    (void)png;
}

/*
 * Everything that libpng may leave by longjmp is in this frame; the sink belongs to
 * the caller, so no local changed after setjmp is read after the jump.
 */
static bool png_encode(struct png_sink *sink, const struct image *img, bool with_alpha) {
    png_infop info = NULL;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, sink, png_on_error, png_on_warning);
    if (png == NULL) {
        snprintf(sink->message, sizeof sink->message, "libpng cannot start");
        return false;
    }
    info = png_create_info_struct(png);
    if (info == NULL || setjmp(sink->escape) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, sink, png_on_write, png_on_flush);
    png_set_IHDR(png, info, (png_uint_32)img->width, (png_uint_32)img->height, 8,
                 with_alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 6);
    png_write_info(png, info);
    if (!with_alpha) {
        png_set_filler(png, 0, PNG_FILLER_AFTER);
    }
    for (int32_t y = 0; y < img->height; y++) {
        png_write_row(png, img->pixels + (size_t)y * (size_t)img->width * 4);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

/* ---- files ---- */

static bool write_all(int fd, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Writes to something that exists and is no regular file, such as a pipe. */
static bool write_direct(const char *path, const uint8_t *bytes, size_t size,
                         struct image_error *err) {
    int fd = open(path, O_WRONLY);
    if (fd < 0) {
        return image_fail(err, "%s: cannot write: %s", path, strerror(errno));
    }
    bool ok = write_all(fd, bytes, size);
    int reason = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    return ok ? true : image_fail(err, "%s: cannot write: %s", path, strerror(reason));
}

bool image_write_file(const char *path, const void *bytes, size_t size, struct image_error *err) {
    struct stat info;
    char resolved[PATH_MAX];
    char temp[PATH_MAX + 16];
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            return image_fail(err, "%s: cannot write: it is a directory", path);
        }
        if (!S_ISREG(info.st_mode)) {
            return write_direct(path, bytes, size, err);
        }
        /* A symbolic link stays; what it points to is replaced. */
        if (realpath(path, resolved) != NULL) {
            path = resolved;
        }
    }
    int length = snprintf(temp, sizeof temp, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temp) {
        return image_fail(err, "%.200s...: cannot write: the name is too long", path);
    }
    int fd = mkstemp(temp);
    if (fd < 0) {
        return image_fail(err, "%s: cannot write: %s", path, strerror(errno));
    }
    /* mkstemp makes the file private; give it the mode a plain creation would have. */
    mode_t mask = umask(0);
    umask(mask);
    bool ok = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, bytes, size);
    int reason = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    if (ok && rename(temp, path) != 0) {
        ok = false;
        reason = errno;
    }
    if (!ok) {
        unlink(temp);
        return image_fail(err, "%s: cannot write: %s", path, strerror(reason));
    }
    return true;
}

uint8_t *image_encode_png(const struct image *img, bool with_alpha, size_t *size_bytes,
                          struct image_error *err) {
    struct png_sink sink;
    memset(&sink, 0, sizeof sink);
    *size_bytes = 0;
    if (!png_encode(&sink, img, with_alpha)) {
        image_fail(err, "cannot encode as PNG: %s",
                   sink.message[0] != '\0' ? sink.message : "out of memory");
        free(sink.bytes);
        return NULL;
    }
    *size_bytes = sink.size;
    return sink.bytes;
}

bool image_write_png(const char *path, const struct image *img, bool with_alpha,
                     struct image_error *err) {
    size_t size = 0;
    struct image_error reason;
    uint8_t *bytes = image_encode_png(img, with_alpha, &size, &reason);
    if (bytes == NULL) {
        return image_fail(err, "%.200s: %.200s", path, reason.text);
    }
    bool ok = image_write_file(path, bytes, size, err);
    free(bytes);
    return ok;
}

uint8_t *image_read_file(const char *path, size_t limit_bytes, size_t *size_bytes,
                         struct image_error *err) {
    struct stat info;
    *size_bytes = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        image_fail(err, "%s: cannot read: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        fclose(file);
        image_fail(err, "%s: cannot read: it is a directory", path);
        return NULL;
    }
    /* Read until the end rather than trust a length: the name may be a pipe. */
    size_t size = 0;
    size_t capacity = 65536;
    uint8_t *bytes = malloc(capacity + 1);
    while (bytes != NULL) {
        size += fread(bytes + size, 1, capacity - size, file);
        if (size < capacity || size > limit_bytes) {
            break;
        }
        capacity *= 2;
        uint8_t *grown = realloc(bytes, capacity + 1);
        if (grown == NULL) {
            free(bytes);
        }
        bytes = grown;
    }
    bool failed = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    if (bytes == NULL) {
        image_fail(err, "%s: cannot read: out of memory", path);
        return NULL;
    }
    if (failed || size > limit_bytes) {
        free(bytes);
        if (failed) {
            image_fail(err, "%s: cannot read: %s", path, strerror(reason));
        } else {
            image_fail(err, "%s: larger than the limit of %zu bytes", path, limit_bytes);
        }
        return NULL;
    }
    bytes[size] = 0;
    *size_bytes = size;
    return bytes;
}

bool image_read_memory(const char *name, const uint8_t *bytes, size_t size_bytes, struct image *img,
                       struct image_error *err) {
    int width = 0;
    int height = 0;
    int channels = 0;
    memset(img, 0, sizeof *img);
    if (size_bytes == 0) {
        return image_fail(err, "%s: not a picture: the file is empty", name);
    }
    if (size_bytes > INT_MAX) {
        return image_fail(err, "%s: larger than 2 GiB", name);
    }
    const char *fault = jpeg_check(bytes, size_bytes);
    fault = fault == NULL ? png_check(bytes, size_bytes) : fault;
    if (fault != NULL) {
        return image_fail(err, "%s: damaged picture: %s", name, fault);
    }
    if (!stbi_info_from_memory(bytes, (int)size_bytes, &width, &height, &channels)) {
        return image_fail(err, "%s: not a PNG, JPEG, BMP or TGA picture, or damaged: %s", name,
                          stbi_failure_reason());
    }
    if (width < 1 || height < 1 || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE ||
        (uint64_t)width * (uint64_t)height > IMAGE_MAX_PIXELS) {
        return image_fail(err, "%s: picture size %dx%d is outside 1x1 to %dx%d", name, width,
                          height, IMAGE_MAX_SIDE, IMAGE_MAX_SIDE);
    }
    uint8_t *pixels = stbi_load_from_memory(bytes, (int)size_bytes, &width, &height, &channels, 4);
    if (pixels == NULL) {
        return image_fail(err, "%s: damaged picture: %s", name, stbi_failure_reason());
    }
    img->width = width;
    img->height = height;
    img->pixels = pixels; /* stb_impl.c gives stb_image the C allocator */
    return true;
}

bool image_read(const char *path, struct image *img, struct image_error *err) {
    size_t size = 0;
    memset(img, 0, sizeof *img);
    uint8_t *bytes = image_read_file(path, IMAGE_FILE_LIMIT_BYTES, &size, err);
    if (bytes == NULL) {
        return false;
    }
    bool ok = image_read_memory(path, bytes, size, img, err);
    free(bytes);
    return ok;
}

bool image_read_deep(const char *path, struct image *img, uint16_t **deep,
                     struct image_error *err) {
    size_t size = 0;
    memset(img, 0, sizeof *img);
    *deep = NULL;
    uint8_t *bytes = image_read_file(path, IMAGE_FILE_LIMIT_BYTES, &size, err);
    if (bytes == NULL) {
        return false;
    }
    /* This checks the file; what follows reads the same bytes once more. */
    bool ok = image_read_memory(path, bytes, size, img, err);
    if (ok && stbi_is_16_bit_from_memory(bytes, (int)size)) {
        int width = 0;
        int height = 0;
        int channels = 0;
        *deep = stbi_load_16_from_memory(bytes, (int)size, &width, &height, &channels, 4);
        if (*deep == NULL || width != img->width || height != img->height) {
            free(*deep);
            *deep = NULL;
            image_free(img);
            ok = image_fail(err, "%s: damaged picture: %s", path, stbi_failure_reason());
        }
    }
    free(bytes);
    return ok;
}
