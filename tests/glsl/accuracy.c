/* SPDX-License-Identifier: MIT */
/*
 * accuracy DOCUMENT [--update]: the error of every built-in function, compiled and run by the executor on many
 * arguments, against long double. Fails when an error is larger than the bound of accuracy.def, or when the table
 * of DOCUMENT (vm/glsl/ACCURACY.md) is not what is measured here; --update writes the table.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/read_file.h"
#include "vm/base/bits.h"
#include "vm/base/str.h"
#include "vm/include/glslc.h"

#define PI_L 3.14159265358979323846264338327950288L
#define EACH(...) for (int i = 0; i < 4; i++) { __VA_ARGS__; }

enum { BATCHES = 32000 / VM_LANES };

typedef void (*reference_fn)(const long double a[4], const long double b[4], long double want[4], long double scale[4]);

struct row {
    const char *name, *arguments, *expression, *scale;
    long double low, high;
    bool by_exponent;
    bool is_double;           /* one double over x, y, z, w instead of a vec4 over a, b */
    int bits;                 /* of the format in whose units the error is counted */
    double bound;
    reference_fn reference;
};

/* One reference function for each row, named by the line. */
#define JOIN2(x, y) x##y
#define JOIN(x, y) JOIN2(x, y)
#define ACC(name, arguments, low, high, by_exponent, expression, scale_text, bound, ...)                                  \
    static void JOIN(reference_, __LINE__)(const long double a[4], const long double b[4], long double want[4],          \
                                           long double scale[4]) {                                                      \
        (void)a, (void)b, (void)scale;                                                                                   \
        __VA_ARGS__                                                                                                      \
    }
#define DACC(name, arguments, low, high, by_exponent, expression, scale_text, bits, bound, ...) \
    ACC(name, arguments, low, high, by_exponent, expression, scale_text, bound, __VA_ARGS__)
#include "tests/glsl/accuracy.def"

static const struct row rows[] = {
#define ACC(name, arguments, low, high, by_exponent, expression, scale_text, bound, ...) \
    {name, arguments, expression, scale_text, low, high, by_exponent, false, 24, bound, JOIN(reference_, __LINE__)},
#define DACC(name, arguments, low, high, by_exponent, expression, scale_text, bits, bound, ...) \
    {name, arguments, expression, scale_text, low, high, by_exponent, true, bits, bound, JOIN(reference_, __LINE__)},
#include "tests/glsl/accuracy.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static uint64_t state;

static long double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (long double)(state >> 11) / 9007199254740992.0L;
}

static float draw(const struct row *row) {
    if (!row->by_exponent) {
        return (float)(row->low + (row->high - row->low) * uniform());
    }
    long double low = row->low < 0 ? 1 / row->high : row->low;
    float magnitude = (float)(low * powl(row->high / low, uniform()));
    return uniform() < 0.5L ? -magnitude : magnitude;
}

/* Units in the last place of a float (or of a number of so many bits) of this magnitude. */
static long double unit_of(long double magnitude, int bits) {
    int e;
    frexpl(magnitude, &e);
    return ldexpl(1, (e < -125 ? -125 : e) - bits);
}

static void check(bool good, const char *what, const char *message) {
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, message);
        exit(2);
    }
}

/* Attributes and gl_Position are floats: a double comes as two and leaves as three, whose sum it is exactly. */
#define LOW_PART 7.450580596923828125e-9 /* 2^-27 */
static const char double_shader[] =
    "#extension GL_VLGL_fp64 : require\n"
    "attribute vec4 a, b;\n"
    "double whole(float high, float low) { return double(high) + double(low) * 7.450580596923828125e-9lf; }\n"
    "void main() {\n"
    "    double x = whole(a.x, a.y), y = whole(a.z, a.w), z = whole(b.x, b.y), w = whole(b.z, b.w), r = %s;\n"
    "    float high = float(r), middle = float(r - double(high));\n"
    "    gl_Position = vec4(high, middle, float(r - double(high) - double(middle)), 0.0);\n"
    "}\n";

static struct vliw_program *compile(const struct row *row) {
    struct str text;
    struct glslc_options options;
    struct vliw_error error = {0};
    struct vliw_program *program = NULL;
    str_init(&text);
    str_printf(&text, row->is_double ? double_shader : "attribute vec4 a, b;\nvoid main() { gl_Position = %s; }\n",
               row->expression);
    const char *string = text.text;
    glslc_options_init(&options);
    options.extensions = GLSLC_EXT_FP64;
    struct glslc_shader *shader = glslc_compile(VLIW_STAGE_VERTEX, 1, &string, NULL, &options);
    check(shader && glslc_shader_ok(shader), row->expression, shader ? glslc_shader_log(shader) : "out of memory");
    struct vliw_image *image = glslc_shader_image(shader, &options, &error);
    check(image && vliw_program_create(image, &program, &error) == VLIW_OK, row->name, error.message);
    vliw_image_destroy(image);
    glslc_shader_destroy(shader);
    str_fini(&text);
    return program;
}

static long double error_of(const struct row *row, const float *a, const float *b, const float *got) {
    long double la[4], lb[4], want[4] = {0}, scale[4] = {0}, values[4], worst = 0;
    for (int i = 0; i < 4; i++) {
        la[i] = (long double)a[i], lb[i] = (long double)b[i], values[i] = (long double)got[i];
    }
    if (row->is_double) {
        for (int i = 0; i < 4; i++) {
            const float *parts = (i < 2 ? a : b) + i % 2 * 2;
            double low = (double)parts[1] * LOW_PART, whole = (double)parts[0] + low;
            la[i] = (long double)whole;
            lb[i] = (long double)a[i];
        }
        values[0] = values[0] + values[1] + values[2];
    }
    row->reference(la, lb, want, scale);
    for (int i = 0; i < (row->is_double ? 1 : 4); i++) {
        long double error = fabsl(values[i] - want[i]);
        error = error / unit_of(scale[i] != 0 ? scale[i] : want[i], row->bits);
        worst = error > worst || error != error ? error : worst;
    }
    return worst;
}

static double measure(const struct row *row) {
    struct vliw_program *program = compile(row);
    const struct vliw_info *info = vliw_program_info(program);
    float *constants = aligned_alloc(64, (vliw_program_constants(program) * sizeof *constants + 64) & ~(size_t)63);
    struct vliw_batch *batch = vliw_batch_create();
    long double worst = 0;
    check(constants && batch && vliw_batch_bind(batch, program) == VLIW_OK, row->name, "out of memory");
    vliw_program_prepare(program, NULL, 0, constants);
    state = 20240607;
    for (unsigned n = 0; n < BATCHES; n++) {
        static float args[2][VM_LANES][4];
        struct vliw_run run = {.constants = constants};
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            run.active.w[lane / 64] |= (uint64_t)1 << lane % 64;
            for (unsigned k = 0; k < 8; k++) {
                args[k / 4][lane][k % 4] = draw(row);
            }
        }
        for (uint32_t i = 0; i < info->input_count; i++) {
            for (unsigned c = 0; c < 4; c++) {
                float *lanes = vliw_batch_input(batch, i, c);
                for (unsigned lane = 0; lanes && lane < VM_LANES; lane++) {
                    lanes[lane] = args[info->inputs[i].index][lane][c];
                }
            }
        }
        check(vliw_batch_run(batch, &run) == VLIW_OK, row->name, "does not run");
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            float got[4];
            for (unsigned c = 0; c < 4; c++) {
                got[c] = vliw_batch_output(batch, 0, c)[lane];
            }
            long double error = error_of(row, args[0][lane], args[1][lane], got);
            worst = error > worst || error != error ? error : worst;
        }
    }
    vliw_batch_destroy(batch);
    vliw_program_destroy(program);
    free(constants);
    return (double)worst;
}

static const char double_head[] =
    "\n"
    "## Doubles (GL_VLGL_fp64)\n"
    "\n"
    "The same for the functions, operators and conversions of doubles, counted in units of a double but for the conversion to float.\n"
    "\n"
    "| function | arguments | bound, ulp | of | largest found |\n"
    "|---|---|---|---|---|\n";

static const char head[] =
    "# Accuracy of the built-in functions\n"
    "\n"
    "All precisions are computed as highp: 32-bit floats, every operation rounded to nearest, denormals kept, and the same\n"
    "bits on every machine. The table is written by `tests/glsl/accuracy.c` (`build/tests/accuracy vm/glsl/ACCURACY.md --update`),\n"
    "which compares the executor with long double on 32,000 random vectors a row; the test fails when an error exceeds its\n"
    "bound. An error is counted in units in the last place (ulp) of the magnitude in the fourth column; a bound of 0.5 is\n"
    "a correctly rounded result, 0 an exact one. Texture functions are the sampler's business (`renderer/README.md`), dFdx and dFdy\n"
    "are one subtraction, fwidth the sum of two. What the specification leaves undefined is defined in `vm/glsl/emit_builtin.c`:\n"
    "atan(0, 0) = 0, pow(0, 0) = 1, normalize(0) = 0, division by zero as IEEE says.\n"
    "\n"
    "| function | arguments | bound, ulp | of | largest found |\n"
    "|---|---|---|---|---|\n";

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: accuracy DOCUMENT [--update]\n");
        return 2;
    }
    struct str table;
    unsigned failed = 0;
    str_init(&table);
    str_append(&table, head);
    for (unsigned i = 0; i < ROWS; i++) {
        if (rows[i].is_double && LDBL_MANT_DIG < 64) {
            break; /* nothing to measure them with: they are the last */
        }
        if (rows[i].is_double && !rows[i - 1].is_double) {
            str_append(&table, double_head);
        }
        double found = measure(&rows[i]);
        bool good = found <= rows[i].bound;
        failed += !good;
        if (!good) {
            printf("%s (%s): error %.3f, bound %.3f\n", rows[i].name, rows[i].arguments, found, rows[i].bound);
        }
        str_append(&table, "| ");
        for (const char *c = rows[i].name; *c; c++) {
            str_printf(&table, "%s%c", *c == '|' || *c == '*' ? "\\" : "", *c);
        }
        str_append(&table, " | ");
        for (const char *c = rows[i].arguments; *c; c++) {
            str_printf(&table, "%s%c", *c == '|' ? "\\" : "", *c);
        }
        str_printf(&table, " | %g | ", rows[i].bound);
        for (const char *c = rows[i].scale; *c; c++) {
            str_printf(&table, "%s%c", *c == '|' || *c == '*' ? "\\" : "", *c);
        }
        str_printf(&table, " | %.2f |\n", found);
    }
    if (argc > 2 && strcmp(argv[2], "--update") == 0) {
        FILE *out = fopen(argv[1], "wb");
        check(out && fputs(table.text, out) >= 0 && fclose(out) == 0, argv[1], "cannot be written");
    } else if (LDBL_MANT_DIG == 64) { /* another long double gives other last digits of what was found */
        char *old = read_file(argv[1]);
        bool same = old && strcmp(old, table.text) == 0;
        failed += !same;
        if (!same) {
            printf("%s is not what is measured: run accuracy %s --update and look at the difference\n", argv[1], argv[1]);
        }
        free(old);
    }
    str_fini(&table);
    printf("%u rows, %u failed\n", (unsigned)ROWS, failed);
    return failed ? 1 : 0;
}
