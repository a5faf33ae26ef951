/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as an image. Container, verifier and disassembler must give an answer, and
 * what the verifier accepts must come back unchanged through text. The checksum is repaired first,
 * otherwise no mutation would ever reach what lies behind it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/exec/verify.h"
#include "vm/isa/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity);

static void must(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

static bool same(const struct vliw_image *p, const struct vliw_image *q) {
    size_t a, b;
    void *x = vliw_image_save(p, &a), *y = vliw_image_save(q, &b);
    bool equal = x != NULL && y != NULL && a == b && memcmp(x, y, a) == 0;
    vliw_free(x);
    vliw_free(y);
    return equal;
}

static void use(const struct vliw_image *image) {
    struct vliw_error error;
    enum vliw_status status = vm_verify(image, &error);
    char *text = vliw_disassemble(image);
    must(text != NULL, "a disassembly");
    if (status == VLIW_OK) {
        struct vliw_info info;
        struct vliw_image *back = NULL;
        vm_verify_info(image, &info);
        must(info.gprs <= 1024 && info.globals <= 4096 && info.instructions <= info.units, "facts");
        must(vliw_assemble(text, strlen(text), &back, &error) == VLIW_OK, error.message);
        must(same(image, back), "the same image through text");
        vliw_image_destroy(back);
    } else {
        must(status == VLIW_ERR_VERIFY && error.rule > 0 && error.message[0] != '\0',
             "a rule and a message");
    }
    vliw_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vliw_image *image;
    struct vliw_error error;
    if (vliw_image_load(data, size, &image, &error) == VLIW_OK) {
        use(image);
        vliw_image_destroy(image);
    }
    if (size < 16 || size > IMAGE_MAX_BYTES) {
        return 0;
    }
    uint8_t *sealed = malloc(size);
    if (sealed == NULL) {
        return 0;
    }
    memcpy(sealed, data, size);
    memcpy(sealed, "VLIW\1\0\0\0", 8);
    uint32_t body = (uint32_t)(size - 16), crc = image_crc32(sealed + 16, size - 16);
    for (int i = 0; i < 4; i++) {
        sealed[8 + i] = (uint8_t)(body >> 8 * i);
        sealed[12 + i] = (uint8_t)(crc >> 8 * i);
    }
    if (vliw_image_load(sealed, size, &image, &error) == VLIW_OK) {
        use(image);
        vliw_image_destroy(image);
    } else {
        must(image == NULL && error.message[0] != '\0', "no image and a message");
    }
    free(sealed);
    return 0;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity) {
    static const char *const texts[] = {
        "END",
        ".stage vertex\n.in attrib 0 r1\n.out position r0\n.out varying 1 r2.xy\n.globals 4\n"
        "MUL r0 c0 - r1.x\nMUL r2 c1 - r1.y | ADD r0 r2\nEND",
        ".stage fragment\n.name \"f\"\n.in varying 0 r1\n.out color 0 r0\n.sampler s0 "
        "tex2d\n.sampler s1 cube\n"
        ".const c3 1 0.5 _ -2\nTEX r0 r1 s0\nMOV A._ B TXB r2 * s1\nDDX A B\nPRED N A.x KIL\nEND",
        "CMP B.x A.x - A.z | ADD A.x A.y\nPRED GE B.x BL out\nADDR D.w(1) PRED Z E | ADD A B - "
        "C\nBL R -9\nout: END",
        ".gprs 100\nCALL f\nLD A [B.x+3]\nTYPE f32 MAD | MOV A B - C\nEND\nf: MOV A B RCPw "
        "F.w\nRETURN",
    };
    if (number >= sizeof texts / sizeof texts[0]) {
        return 0;
    }
    struct vliw_image *image;
    struct vliw_error error;
    must(vliw_assemble(texts[number], strlen(texts[number]), &image, &error) == VLIW_OK,
         error.message);
    size_t size;
    uint8_t *bytes = vliw_image_save(image, &size);
    must(bytes != NULL && size <= capacity, "a seed");
    memcpy(out, bytes, size);
    vliw_free(bytes);
    vliw_image_destroy(image);
    return size;
}
