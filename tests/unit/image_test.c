/* SPDX-License-Identifier: MIT */
/*
 * Picture files: what is written is read back, the hash is the documented one, bad
 * files and bad places give a message that names them and leave nothing behind.
 */
#include "tests/harness/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "samples/common/image.h"
#include "samples/common/imgdiff.h"
#include "samples/common/jpeg_check.h"

static char folder[] = "/tmp/vlgl-image-XXXXXX";

static void remove_folder(void) {
    rmdir(folder);
}

static const char *path_of(const char *name) {
    static char path[4][256];
    static unsigned turn;
    static bool made;
    if (!made) {
        if (mkdtemp(folder) == NULL) {
            abort();
        }
        atexit(remove_folder);
        made = true;
    }
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* Entries of the folder, without . and .. */
static int file_count(void) {
    int count = 0;
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return -1;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        count += entry->d_name[0] != '.';
    }
    closedir(dir);
    return count;
}

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK_EQ_INT(fwrite(bytes, 1, size, file), size);
        fclose(file);
    }
}

static struct image random_image(int32_t width, int32_t height) {
    struct image img;
    struct image_error err;
    CHECK(image_alloc(&img, width, height, &err));
    for (int32_t i = 0; i < width * height * 4; i++) {
        img.pixels[i] = (uint8_t)check_random();
    }
    return img;
}

TEST(sha256_known_answers) {
    /* The examples of FIPS 180-2 appendix B: "abc", 448 bits, a million times "a". */
    static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t digest[SHA256_DIGEST_BYTES];
    char text[SHA256_HEX_CHARS + 1];
    struct sha256 sha;
    sha256_init(&sha);
    sha256_final(&sha, digest);
    sha256_hex(digest, text);
    CHECK_STR(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_init(&sha);
    sha256_update(&sha, "abc", 3);
    sha256_final(&sha, digest);
    sha256_hex(digest, text);
    CHECK_STR(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_init(&sha);
    sha256_update(&sha, long_text, 56);
    sha256_final(&sha, digest);
    sha256_hex(digest, text);
    CHECK_STR(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_init(&sha);
    for (int i = 0; i < 1000000; i++) {
        sha256_update(&sha, "a", 1);
    }
    sha256_final(&sha, digest);
    sha256_hex(digest, text);
    CHECK_STR(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256_pieces_do_not_matter) {
    uint8_t data[300];
    uint8_t whole[SHA256_DIGEST_BYTES];
    uint8_t pieces[SHA256_DIGEST_BYTES];
    struct sha256 sha;
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)check_random();
    }
    for (size_t size = 0; size <= sizeof data; size++) {
        sha256_init(&sha);
        sha256_update(&sha, data, size);
        sha256_final(&sha, whole);
        sha256_init(&sha);
        for (size_t at = 0; at < size;) {
            size_t part = 1 + check_random_below(90);
            part = part > size - at ? size - at : part;
            sha256_update(&sha, data + at, part);
            at += part;
        }
        sha256_final(&sha, pieces);
        CHECK(memcmp(whole, pieces, sizeof whole) == 0);
    }
}

TEST(hash_is_size_then_rows) {
    /* SHA-256 of 02000000 01000000 01020304 05060708, computed with sha256sum. */
    uint8_t pixels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct image img = {2, 1, pixels};
    char text[SHA256_HEX_CHARS + 1];
    image_hash(&img, text);
    CHECK_STR(text, "5edafcdc512a3bd9296c32e7db7bcbfbc5f83c87a1909702fa0f20a67f27341f");
    img.width = 1;
    img.height = 2;
    image_hash(&img, text);
    CHECK_STR(text, "910daa88559b96dd66039901334423a3f1725e3eda52112741f0d1878db3126a");
}

TEST(png_round_trip) {
    static const int32_t size[][2] = {{1, 1}, {2, 3}, {17, 5}, {64, 64}, {331, 7}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        struct image img = random_image(size[i][0], size[i][1]);
        struct image back;
        struct image_error err;
        const char *path = path_of("round.png");
        CHECK(image_write_png(path, &img, true, &err));
        CHECK(image_read(path, &back, &err));
        CHECK(imgdiff_equal(&img, &back));
        image_free(&back);
        /* Without alpha the colours are the same and alpha reads as 255. */
        CHECK(image_write_png(path, &img, false, &err));
        CHECK(image_read(path, &back, &err));
        for (int32_t p = 0; p < img.width * img.height; p++) {
            img.pixels[4 * p + 3] = 255;
        }
        CHECK(imgdiff_equal(&img, &back));
        image_free(&back);
        image_free(&img);
        unlink(path);
    }
    CHECK_EQ_INT(file_count(), 0);
}

TEST(flip_turns_rows_over) {
    for (int32_t height = 1; height <= 4; height++) {
        struct image img = random_image(3, height);
        struct image flipped = random_image(3, height);
        memcpy(flipped.pixels, img.pixels, (size_t)height * 12);
        image_flip(&flipped);
        for (int32_t y = 0; y < height; y++) {
            CHECK(memcmp(flipped.pixels + y * 12, img.pixels + (height - 1 - y) * 12, 12) == 0);
        }
        image_free(&img);
        image_free(&flipped);
    }
}

TEST(write_replaces_a_file_and_keeps_links) {
    struct image img = random_image(4, 4);
    struct image back;
    struct image_error err;
    struct stat info;
    const char *path = path_of("old.png");
    const char *link_path = path_of("link.png");
    write_bytes(path, "old", 3);
    CHECK_EQ_INT(symlink("old.png", link_path), 0);
    CHECK(image_write_png(link_path, &img, true, &err));
    CHECK(lstat(link_path, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(lstat(path, &info) == 0 && S_ISREG(info.st_mode));
    CHECK(image_read(path, &back, &err));
    CHECK(imgdiff_equal(&img, &back));
    CHECK_EQ_INT(file_count(), 2);
    image_free(&back);
    image_free(&img);
    unlink(link_path);
    unlink(path);
}

TEST(failed_write_leaves_nothing) {
    struct image img = random_image(4, 4);
    struct image_error err;
    const char *missing = path_of("no-such-folder/a.png");
    CHECK(!image_write_png(missing, &img, true, &err));
    CHECK(strstr(err.text, missing) != NULL);
    CHECK(!image_write_png(folder, &img, true, &err));
    CHECK(strstr(err.text, folder) != NULL && strstr(err.text, "directory") != NULL);
    /* A device is written to, not replaced. */
    struct stat info;
    CHECK(image_write_png("/dev/null", &img, true, &err));
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    CHECK(!image_write_png("/dev/full", &img, true, &err));
    CHECK(strstr(err.text, "/dev/full") != NULL);
    CHECK_EQ_INT(file_count(), 0);
    image_free(&img);
}

TEST(bad_sizes_are_refused) {
    static const int32_t bad[][2] = {
        {0, 1},     {1, 0},     {-1, 4},        {4, -1},
        {16385, 1}, {1, 16385}, {16384, 16384}, {INT32_MAX, INT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct image img;
        struct image_error err;
        CHECK(!image_alloc(&img, bad[i][0], bad[i][1], &err));
        CHECK(img.pixels == NULL && err.text[0] != '\0');
    }
}

static void check_unreadable(const char *name, const void *bytes, size_t size) {
    struct image img;
    struct image_error err = {""};
    const char *path = path_of(name);
    write_bytes(path, bytes, size);
    CHECK(!image_read(path, &img, &err));
    CHECK(img.pixels == NULL);
    CHECK(strstr(err.text, path) != NULL);
    unlink(path);
}

TEST(bad_files_name_themselves) {
    static const uint8_t png_start[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    /* A header that claims 2^31 - 1 pixels each way: refused before memory is asked for. */
    static const uint8_t png_huge[] = {0x89, 'P', 'N', 'G', 13,  10,   26,   10,  0,   0,    0,
                                       13,   'I', 'H', 'D', 'R', 0x7f, 0xff, 255, 255, 0x7f, 0xff,
                                       255,  255, 8,   6,   0,   0,    0,    0,   0,   0,    0};
    struct image img;
    struct image_error err;
    const char *missing = path_of("missing.png");
    check_unreadable("empty.png", "", 0);
    check_unreadable("text.png", "no picture", 10);
    check_unreadable("start.png", png_start, sizeof png_start);
    check_unreadable("huge.png", png_huge, sizeof png_huge);
    CHECK(!image_read(missing, &img, &err));
    CHECK(strstr(err.text, missing) != NULL && strstr(err.text, "No such file") != NULL);
    CHECK(!image_read(folder, &img, &err));
    CHECK(strstr(err.text, folder) != NULL);
}

/* A JPEG's start and a Huffman table segment whose 16 counts are all `count`. */
static size_t make_table_jpeg(uint8_t *bytes, uint8_t count, size_t values) {
    static const uint8_t start[] = {0xff, 0xd8, 0xff, 0xc4};
    size_t length = 2 + 17 + values;
    memcpy(bytes, start, 4);
    bytes[4] = (uint8_t)(length >> 8);
    bytes[5] = (uint8_t)length;
    bytes[6] = 0;
    memset(bytes + 7, count, 16);
    memset(bytes + 23, 1, values);
    return 4 + length;
}

TEST(jpeg_tables_that_would_overrun_the_decoder) {
    static uint8_t bytes[8192];
    struct image img;
    struct image_error err;
    size_t size = make_table_jpeg(bytes, 255, 16 * 255);
    CHECK(!image_read_memory("bomb.jpg", bytes, size, &img, &err));
    CHECK(strstr(err.text, "bomb.jpg") != NULL && strstr(err.text, "Huffman") != NULL);
    CHECK(img.pixels == NULL);
    CHECK_STR(jpeg_check(bytes, size), "a Huffman table has too many codes");
    size = make_table_jpeg(bytes, 17, 16 * 17); /* 272 codes */
    CHECK_STR(jpeg_check(bytes, size), "a Huffman table has too many codes");
    size = make_table_jpeg(bytes, 16, 16 * 16); /* 256 codes: allowed */
    CHECK(jpeg_check(bytes, size) == NULL);
    CHECK_STR(jpeg_check(bytes, size - 1), "a Huffman table is cut off");
    /* Fill bytes before the marker, and the table after a scan's coded data. */
    static const uint8_t scan[] = {0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 0xff, 0, 0xff, 0xd0, 2, 0xff};
    memcpy(bytes, scan, sizeof scan);
    size = make_table_jpeg(bytes + sizeof scan, 255, 0);
    memset(bytes + sizeof scan, 0xff, 3);
    CHECK_STR(jpeg_check(bytes, sizeof scan + size), "a Huffman table has too many codes");
    /* A table's bytes inside a comment are no table. */
    static const uint8_t comment[] = {0xff, 0xd8, 0xff, 0xfe, 0, 44};
    size = make_table_jpeg(bytes + sizeof comment, 255, 0);
    memcpy(bytes, comment, sizeof comment);
    CHECK(jpeg_check(bytes, sizeof comment + size) == NULL);
}

TEST(jpeg_with_endless_scans) {
    static uint8_t bytes[2 + 4 * 300] = {0xff, 0xd8};
    for (size_t i = 0; i < 300; i++) {
        static const uint8_t scan[] = {0xff, 0xda, 0, 2};
        memcpy(bytes + 2 + 4 * i, scan, 4);
    }
    CHECK_STR(jpeg_check(bytes, sizeof bytes), "too many scans");
    CHECK(jpeg_check(bytes, 2 + 4 * 100) == NULL);
}

TEST(cut_and_changed_pngs_do_no_harm) {
    struct image img = random_image(23, 9);
    struct image back;
    struct image_error err;
    size_t size = 0;
    const char *path = path_of("whole.png");
    CHECK(image_write_png(path, &img, true, &err));
    uint8_t *bytes = image_read_file(path, 1 << 20, &size, &err);
    CHECK(bytes != NULL && size > 60);
    unlink(path);
    if (bytes == NULL) {
        return;
    }
    /* Without its end a PNG must be refused, with the reason. */
    for (size_t cut = 0; cut < size; cut++) {
        bool read = image_read_memory("cut", bytes, cut, &back, &err);
        CHECK(!read && strstr(err.text, "cut") != NULL);
        CHECK(cut < 4 || strstr(err.text, "ends too early") != NULL);
    }
    uint8_t width[4];
    memcpy(width, bytes + 16, sizeof width);
    memset(bytes + 16, 0, sizeof width);
    CHECK(!image_read_memory("flat", bytes, size, &back, &err));
    CHECK_STR(err.text, "flat: damaged picture: its size is 0");
    memset(bytes + 16, 0x7f, sizeof width);
    CHECK(!image_read_memory("wide", bytes, size, &back, &err));
    CHECK_STR(err.text, "wide: damaged picture: its size is beyond all measure");
    memcpy(bytes + 16, width, sizeof width);
    int refused = 0;
    for (int round = 0; round < 2000; round++) {
        size_t at = check_random_below((uint32_t)size);
        uint8_t keep = bytes[at];
        bytes[at] = (uint8_t)check_random();
        if (image_read_memory("changed", bytes, size, &back, &err)) {
            CHECK(back.width > 0 && back.height > 0 && back.pixels != NULL);
            image_free(&back);
        } else {
            refused++;
            CHECK(back.pixels == NULL);
        }
        bytes[at] = keep;
    }
    CHECK(refused > 0);
    free(bytes);
    image_free(&img);
}

TEST(limit_of_read_file) {
    struct image_error err;
    size_t size = 0;
    const char *path = path_of("bytes");
    write_bytes(path, "0123456789", 10);
    uint8_t *bytes = image_read_file(path, 10, &size, &err);
    CHECK(bytes != NULL && size == 10 && bytes[10] == 0);
    free(bytes);
    CHECK(image_read_file(path, 9, &size, &err) == NULL);
    CHECK(strstr(err.text, path) != NULL);
    unlink(path);
    CHECK_EQ_INT(file_count(), 0);
}
