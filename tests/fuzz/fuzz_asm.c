/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as assembly text. The assembler must give an image or one message with a
 * place; an image's disassembly must assemble to the same image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/exec/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity);

static void must(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct vliw_image *image, *back = NULL;
    struct vliw_error error;
    enum vliw_status status = vliw_assemble((const char *)data, size, &image, &error);
    if (status != VLIW_OK) {
        must(image == NULL && error.status == status && error.line >= 1 && error.column >= 1 &&
                 error.message[0] != '\0',
             "an error with a place");
        return 0;
    }
    char *text = vliw_disassemble(image);
    must(text != NULL, "a disassembly");
    must(vliw_assemble(text, strlen(text), &back, &error) == VLIW_OK, error.message);
    size_t a, b;
    void *x = vliw_image_save(image, &a), *y = vliw_image_save(back, &b);
    must(a == b && memcmp(x, y, a) == 0, "the same image through text");
    vm_verify(image, &error);
    vliw_free(x);
    vliw_free(y);
    vliw_free(text);
    vliw_image_destroy(image);
    vliw_image_destroy(back);
    return 0;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity) {
    static const char *const texts[] = {
        "MULs A B(0)\nADD A B(0) - C(1)\nMUL_sat A,B,A\nADD_pred(E) A,B,C[D.w]\nBL {PC+120}\n",
        "MUL A.xzw,B,C; MOV A.y,C.y; ADD D.xyz,E,F; RCP D.w,F.w\nif (A.x<0) BL {B.x+120}\nCALL "
        "85\nRETURN r3\n",
        "loop: CMP B.x A.x(0) - A.z(1) | ADD A.x A.y(0)\nPRED GE B.x(0) | BL R out\nBL loop\nout: "
        "END\n",
        ".stage vertex\n.name \"a\\x41\\\"\"\n.in attrib 0 r1.xyz\n.out position r0\n.reg mvp "
        "c4\nMOV r0 mvp.wzyx\n.line 7\nEND\n",
        ".sampler s0 cube\n.const c8 1 -0.5 _ 0x7fc00000\n.globals 9\n.gprs 12\nTEX A.xy B s0\nADD "
        "A B - #0.25@x\nEND\n",
        "MVS A.x PC MOV A.yzw A.xyz | BL D 85\nPREDxy NZ.i c3.y(1) | MOV A B KIL\nTYPE f32 MAD(0) "
        "| MOV A B - C\n",
        ".unchecked\n.nolines\n.word 0x3de00200\nADDR r5.y-3(d) ADDR +40(0) | MOV A B\nLD A.xy "
        "[B.z+3]\nST A [*.x]\nWAIT 5\n",
    };
    if (number >= sizeof texts / sizeof texts[0] || strlen(texts[number]) > capacity) {
        return 0;
    }
    memcpy(out, texts[number], strlen(texts[number]));
    return strlen(texts[number]);
}
