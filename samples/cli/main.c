/* SPDX-License-Identifier: MIT */
/* The vlgl command: picks a subcommand from a table and hands it the rest of the line. */
#include <string.h>

#include "cli.h"

static const struct {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    int usage_exit; /* exit status for a command line that makes no sense, 1 if 0 */
} commands[] = {
    {"render", "draw samples, model files or fragment-shader files to PNG", cmd_render, 0},
    {"list", "list the samples", cmd_list, 0},
    {"info", "show what the GL library says about itself", cmd_info, 0},
    {"bench", "measure workloads, and compare GL libraries", cmd_bench, 0},
    {"diff", "compare pictures or folders of pictures", cmd_diff, 2},
    {"trace", "tell why a pixel is as it is, step by step", cmd_trace, 0},
    {"test", "hold scenes against golden pictures and costs", cmd_test, 0},
#if defined(VLGL_HAVE_VM)
    {"compile", "compile a shader to VL-IW code", cmd_compile, 0},
    {"asm", "assemble VL-IW text", cmd_asm, 0},
    {"dis", "disassemble VL-IW code", cmd_dis, 0},
    {"call", "evaluate GLSL functions, and test them", cmd_call, 0},
    {"sim", "run code on the cycle-accurate VL-IW processor", cmd_sim, 0},
#endif
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

bool cli_wants_help(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static int print_help(FILE *to, int status) {
    fputs("usage: vlgl COMMAND [ARGUMENT...]\n\ncommands:\n", to);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\nvlgl COMMAND --help tells more about one; vlgl --version prints the version.\n", to);
    return status;
}

int main(int argc, char **argv) {
    app_set_program_name(argc > 0 ? argv[0] : "vlgl");
    if (argc < 2) {
        return print_help(stderr, CLI_FAILED);
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return print_help(stdout, CLI_OK);
    }
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0) {
        printf("vlgl %s\n", VLGL_VERSION_TEXT);
        return fflush(stdout) == 0 ? CLI_OK : CLI_FAILED;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            int status = commands[i].run(argc - 1, argv + 1);
            if (fflush(stdout) != 0 && status == CLI_OK) {
                app_error("cannot write to standard output");
                return CLI_FAILED;
            }
            if (status == CLI_USAGE) {
                fprintf(stderr, "'vlgl %s --help' shows how to call it\n", name);
                return commands[i].usage_exit > 0 ? commands[i].usage_exit : CLI_FAILED;
            }
            return status == CLI_TROUBLE ? 2 : status;
        }
    }
    app_error("'%s' is no command; 'vlgl help' lists them", name);
    return CLI_FAILED;
}
