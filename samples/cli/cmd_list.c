/* SPDX-License-Identifier: MIT */
/* vlgl list: one line for each sample. */
#include <string.h>

#include "cli.h"

int cmd_list(int argc, char **argv) {
    if (argc > 1) {
        bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
        if (help) {
            fputs("usage: vlgl list\n\nThe samples, which vlgl render draws: vlgl render phong -o phong.png\n", stdout);
            return CLI_OK;
        }
        app_error("list takes no argument, got '%s'", argv[1]);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < cli_sample_count; i++) {
        printf("%-15s %s\n", cli_samples[i]->name, cli_samples[i]->summary);
    }
    return CLI_OK;
}
