/* SPDX-License-Identifier: MIT */
/*
 * vlgl compile: one shader becomes VL-IW code; figures of that code; its intermediate form. The
 * code is verified like any other before it is written.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "code_file.h"

static const char usage_text[] =
    "usage: vlgl compile FILE... [--stage vertex|fragment] [--stats] [--dump] [--narrow] [--no-narrow]\n"
    "                    [-o FILE.vlb]\n"
    "\n"
    "Compiles GLSL ES 1.00 text: .vert .vs are vertex, .frag .fs .glsl fragment shaders.\n"
    "Without options it only checks.\n"
    "\n"
    "  --stage STAGE  the stage, whatever the name says\n"
    "  --stats        words, instructions, cycles, registers; beside them the same program in a fixed\n"
    "                 format of 128 bits an instruction, and one operation an instruction\n"
    "  --dump         print the optimised intermediate code\n"
    "  --narrow       -o writes the narrow program of a fragment shader: colours as words of four bytes, where\n"
    "                 that gives the same pixels\n"
    "  --no-narrow    --stats does not look for it\n"
    "  -o FILE.vlb    write the code (of one FILE)\n"
    "\n"
    "examples:\n"
    "  vlgl compile shaders/*.frag --stats\n"
    "  vlgl compile my.vert -o my.vlb\n";

struct compile_options {
    const char **paths;
    size_t path_count;
    const char *stage;
    const char *output;
    bool stats;
    bool dump;
    bool narrow;
    bool no_narrow;
};

static bool parse_options(int argc, char **argv, struct compile_options *options) {
    bool good = true;
    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "-o") == 0        ? &options->output
                             : strcmp(argv[i], "--stage") == 0 ? &options->stage
                                                               : NULL;
        if (value != NULL && i + 1 < argc && argv[i + 1][0] != '\0') {
            *value = argv[++i];
        } else if (strcmp(argv[i], "--stats") == 0) {
            options->stats = true;
        } else if (strcmp(argv[i], "--dump") == 0) {
            options->dump = true;
        } else if (strcmp(argv[i], "--narrow") == 0) {
            options->narrow = true;
        } else if (strcmp(argv[i], "--no-narrow") == 0) {
            options->no_narrow = true;
        } else if (argv[i][0] != '-') {
            options->paths[options->path_count++] = argv[i];
        } else {
            app_error("compile: not understood: %s", argv[i]);
            good = false;
        }
    }
    if (good && options->output != NULL && options->path_count > 1) {
        app_error("compile: -o takes the code of one file, not of %zu", options->path_count);
        good = false;
    }
    if (good && options->narrow && (options->no_narrow || options->output == NULL)) {
        app_error("compile: --narrow goes with -o and without --no-narrow");
        good = false;
    }
    if (good && options->path_count == 0) {
        app_error("compile: no file is named");
        good = false;
    }
    return good;
}

/* Sums of logarithms over the files, for geometric means. */
struct stats_sum {
    double words;
    double instructions;
    int files;
    unsigned narrow_files;
    unsigned values;
    unsigned narrowed;
};

/* Percent of `whole`, 0 for nothing of nothing. */
static double percent(uint32_t part, uint32_t whole) {
    return whole > 0 ? 100.0 * part / whole : 0.0;
}

/* "narrow  5 of 7 values in bytes, 8 words, if samplers 0 1 are of 8 bits and nearest and 1 uniform is n/255" */
static void print_narrow(const struct glslc_stats *stats, struct stats_sum *sum) {
    sum->values += stats->values;
    sum->narrowed += stats->narrowed;
    if (stats->narrow_words == 0) {
        return;
    }
    sum->narrow_files++;
    printf("  narrow         %6u  of %u values are four bytes in a program of %u words", stats->narrowed, stats->values,
           stats->narrow_words);
    if (stats->narrow_samplers != 0) {
        printf("; 8 bits, nearest: samplers");
        for (unsigned i = 0; i < 32; i++) {
            if (stats->narrow_samplers >> i & 1u) {
                printf(" %u", i);
            }
        }
    }
    if (stats->narrow_uniforms != 0) {
        printf("; n/255: %u uniform registers", stats->narrow_uniforms);
    }
    printf("\n");
}

static bool print_stats(const char *path, const struct glslc_shader *shader, bool no_narrow,
                        struct stats_sum *sum) {
    struct glslc_options options;
    struct glslc_stats stats;
    struct vliw_error error;
    code_options(&options);
    options.no_narrow = no_narrow;
    if (!glslc_shader_stats(shader, &options, &stats, &error)) {
        app_error("%s: %s", path, error.message);
        return false;
    }
    const uint32_t fixed_words = 4 * stats.fixed_instructions;
    if (stats.words > 0 && stats.operations > 0 && fixed_words > 0) {
        sum->words += log(percent(stats.words, fixed_words));
        sum->instructions += log(percent(stats.instructions, stats.operations));
        sum->files++;
    }
    printf("%s\n", path);
    printf("  words          %6u  %5.1f %% of the fixed format's %u\n", stats.words,
           percent(stats.words, fixed_words), fixed_words);
    printf("  instructions   %6u  %5.1f %% of one operation an instruction, %u\n",
           stats.instructions, percent(stats.instructions, stats.operations), stats.operations);
    printf("  cycles         %6u  issue slots of a thread, each line once, memory in time\n", stats.cycles);
    printf("  both phases    %6u  %5.1f %% of the instructions\n", stats.dual,
           percent(stats.dual, stats.instructions));
    printf("  registers      %6u  spilled %u\n", stats.gprs, stats.spills);
    printf("  constants      %6u  literals %u\n", stats.globals, stats.literals);
    print_narrow(&stats, sum);
    return true;
}

static bool print_dump(const char *path, const struct glslc_shader *shader) {
    struct glslc_options options;
    code_options(&options);
    char *text = glslc_shader_dump(shader, &options);
    if (text == NULL) {
        app_error("%s: out of memory", path);
        return false;
    }
    fputs(text, stdout);
    vliw_free(text);
    return true;
}

static bool compile_file(const struct compile_options *options, const char *path,
                         struct stats_sum *sum) {
    enum vliw_stage stage;
    if (!code_stage_of(path, options->stage, &stage)) {
        app_error("%s: vertex or fragment shader? The name does not tell; use --stage", path);
        return false;
    }
    struct glslc_shader *shader = code_compile(path, stage);
    struct vliw_image *image = shader != NULL ? code_generate(path, shader) : NULL;
    if (image != NULL && options->narrow) {
        struct glslc_options code;
        code_options(&code);
        vliw_image_destroy(image);
        image = glslc_shader_narrow_image(shader, &code);
        if (image == NULL) {
            app_error("%s: there is no narrow program", path);
        }
    }
    bool ok = image != NULL && code_verify(path, image) &&
              (!options->stats || print_stats(path, shader, options->no_narrow, sum)) &&
              (!options->dump || print_dump(path, shader)) &&
              (options->output == NULL || code_write(options->output, image));
    vliw_image_destroy(image);
    glslc_shader_destroy(shader);
    return ok;
}

int cmd_compile(int argc, char **argv) {
    struct compile_options options = {.path_count = 0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage_text, stdout);
            return CLI_OK;
        }
    }
    enum vliw_stage unused;
    options.paths = app_alloc((size_t)argc * sizeof options.paths[0]);
    struct stats_sum sum = {.files = 0};
    int status = CLI_OK;
    if (!parse_options(argc, argv, &options)) {
        status = CLI_USAGE;
    } else if (options.stage != NULL && !code_stage_of("", options.stage, &unused)) {
        app_error("compile: --stage is vertex or fragment, not '%s'", options.stage);
        status = CLI_USAGE;
    }
    for (size_t i = 0; status != CLI_USAGE && i < options.path_count; i++) {
        if (!compile_file(&options, options.paths[i], &sum)) {
            status = CLI_FAILED;
        }
    }
    if (sum.files > 1) {
        printf("geometric mean of %d files: words %.1f %%, instructions %.1f %%\n", sum.files,
               exp(sum.words / sum.files), exp(sum.instructions / sum.files));
        if (!options.no_narrow) {
            printf("narrow programs: %u, in them %u of %u values are four bytes\n", sum.narrow_files, sum.narrowed,
                   sum.values);
        }
    }
    free(options.paths);
    return status;
}
