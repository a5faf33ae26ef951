/* SPDX-License-Identifier: MIT */
/*
 * vlgl dis: VL-IW code as assembler text, which assembles to the same words. The code comes from
 * a .vlb container, from other assembler text, or from a shader that is compiled for it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "code_file.h"

static const char usage_text[] =
    "usage: vlgl dis FILE.vlb | FILE.s | SHADER [--stage vertex|fragment] [-o FILE.s]\n"
    "\n"
    "SHADER is GLSL ES text: .vert .vs .frag .fs .glsl (fragment, or as --stage says).\n"
    "\n"
    "examples:\n"
    "  vlgl dis my.frag\n"
    "  vlgl dis my.vlb -o my.s\n";

int cmd_dis(int argc, char **argv) {
    const char *path = NULL;
    const char *output = NULL;
    const char *stage = NULL;
    bool good = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage_text, stdout);
            return CLI_OK;
        }
        const char **value = strcmp(argv[i], "-o") == 0        ? &output
                             : strcmp(argv[i], "--stage") == 0 ? &stage
                                                               : NULL;
        if (value != NULL && i + 1 < argc && argv[i + 1][0] != '\0') {
            *value = argv[++i];
        } else if (argv[i][0] != '-' && path == NULL) {
            path = argv[i];
        } else {
            app_error("dis: not understood: %s", argv[i]);
            good = false;
        }
    }
    if (!good || path == NULL) {
        if (good) {
            app_error("dis: no file is named");
        }
        return CLI_USAGE;
    }
    struct vliw_image *image = code_open(path, stage);
    if (image == NULL) {
        return CLI_FAILED;
    }
    char *text = vliw_disassemble(image);
    struct image_error err;
    bool ok = text != NULL;
    if (!ok) {
        app_error("%s: out of memory", path);
    } else if (output == NULL) {
        fputs(text, stdout);
    } else if (!image_write_file(output, text, strlen(text), &err)) {
        app_error("%s", err.text);
        ok = false;
    }
    vliw_free(text);
    vliw_image_destroy(image);
    return ok ? CLI_OK : CLI_FAILED;
}
