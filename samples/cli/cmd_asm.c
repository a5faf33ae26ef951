/* SPDX-License-Identifier: MIT */
/* vlgl asm: VL-IW assembler text becomes a .vlb container. Nothing is written after an error. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "code_file.h"

static const char usage_text[] =
    "usage: vlgl asm FILE.s [-o FILE.vlb]\n"
    "\n"
    "Assembles VL-IW text (vm/ISA.md) and verifies the result. Without -o the text is only\n"
    "checked.\n"
    "\n"
    "example: vlgl asm loop.s -o loop.vlb\n";

int cmd_asm(int argc, char **argv) {
    const char *path = NULL;
    const char *output = NULL;
    bool good = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage_text, stdout);
            return CLI_OK;
        }
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && argv[i + 1][0] != '\0') {
            output = argv[++i];
        } else if (argv[i][0] != '-' && path == NULL) {
            path = argv[i];
        } else {
            app_error("asm: not understood: %s", argv[i]);
            good = false;
        }
    }
    if (!good || path == NULL) {
        if (good) {
            app_error("asm: no file is named");
        }
        return CLI_USAGE;
    }
    struct vliw_image *image = code_assemble(path);
    if (image == NULL) {
        return CLI_FAILED;
    }
    bool ok = code_verify(path, image) && (output == NULL || code_write(output, image));
    vliw_image_destroy(image);
    return ok ? CLI_OK : CLI_FAILED;
}
