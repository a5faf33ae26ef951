/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the vlgl command share: subcommands, exit statuses, the list of
 * samples. A subcommand is one file cmd_NAME.c and one row of the table in main.c.
 */
#ifndef SAMPLES_CLI_H
#define SAMPLES_CLI_H

#include <stddef.h>
#include <stdio.h>

#include "../common/app.h"

enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the work failed: bad input, no memory, GL error */
    /* The command line makes no sense, and the command has said why: main() adds where
     * help is to be had and exits with CLI_FAILED, or with what the command's row says. */
    CLI_USAGE = 64,
    CLI_TROUBLE = 65 /* exit status 2: of `vlgl diff`, whose 1 means "different" */
};

/* argv[0] is the subcommand's name. The return value is the exit status. */
int cmd_render(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_trace(int argc, char **argv);
#if defined(VLGL_HAVE_VM)
int cmd_compile(int argc, char **argv);
int cmd_asm(int argc, char **argv);
int cmd_dis(int argc, char **argv);
int cmd_call(int argc, char **argv);
int cmd_sim(int argc, char **argv);
#endif

/* True if a word of the command line is --help or -h. */
bool cli_wants_help(int argc, char **argv);

/* The samples in gallery order. */
extern const struct sample *const cli_samples[];
extern const size_t cli_sample_count;
/* NULL if there is none of that name. */
const struct sample *cli_find_sample(const char *name);

#endif
