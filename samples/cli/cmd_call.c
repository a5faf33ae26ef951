/* SPDX-License-Identifier: MIT */
/*
 * vlgl call: evaluates GLSL expressions over the functions of a shader file and prints the values
 * exactly; or runs files of tests, one expected value a line.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/image.h"
#include "../common/textbuf.h"
#include "call.h"
#include "cli.h"
#include "code_file.h"

#define CALL_FILE_LIMIT_BYTES ((size_t)4 << 20)

static const char usage_text[] =
    "usage: vlgl call FILE 'EXPRESSION'... [options]\n"
    "       vlgl call --test TESTFILE...\n"
    "\n"
    "Evaluates GLSL ES expressions with the functions of a shader file (- for none) and prints\n"
    "each value as the shortest text that reads back as the same number, and as bits. Numbers in\n"
    "the expression reach the VM as uniforms: it computes what a shader would at run time.\n"
    "\n"
    "  --set NAME=N,N,...  value of a uniform, varying or attribute (0), or of gl_FragCoord\n"
    "  --stage STAGE       vertex or fragment, whatever the file's name says\n"
    "  --fold              let the compiler compute with the numbers beforehand\n"
    "  --cost              also the VL-IW instructions executed and the words of code\n"
    "  --json              print JSON\n"
    "  --test              the files are tests; exit status 1 if one fails\n"
    "\n"
    "A test file has one command or test a line, # begins a comment:\n"
    "  file shading.glsl\n"
    "  stage fragment\n"
    "  set light = 0, 1, 0\n"
    "  luminance(vec3(1.0, 0.0, 0.0)) => 0.2126\n"
    "  gamma(0.5) => 0.735 +- 0.001\n"
    "  wave(vec2(0.25, 1.0)) => vec2(0.5, 1.0) ulp 2\n"
    "Without a tolerance every bit must be right (0.0 is not -0.0; nan is any NaN).\n"
    "\n"
    "examples:\n"
    "  vlgl call shading.glsl 'luminance(vec3(1, 0, 0))'\n"
    "  vlgl call - 'smoothstep(0.0, 1.0, 0.3)' 'mat2(1.0) * vec2(2, 3)' '1.0lf / 3.0lf'\n"
    "  vlgl call --test tests/*.calltest\n";

/* ---- files ---- */

static bool load_file(struct call_file *file, const char *path, const char *stage) {
    struct image_error err;
    size_t size = 0;
    memset(file, 0, sizeof *file);
    if (strcmp(path, "-") == 0) {
        file->path = "";
        file->text = app_alloc(1);
    } else {
        file->path = path;
        file->text = (char *)image_read_file(path, CALL_FILE_LIMIT_BYTES, &size, &err);
        if (file->text == NULL) {
            app_error("%s", err.text);
            return false;
        }
        if (memchr(file->text, '\0', size) != NULL) {
            app_error("%s: a zero byte: this is no shader text", path);
            free(file->text);
            file->text = NULL;
            return false;
        }
    }
    file->stage = VLIW_STAGE_FRAGMENT;
    if (stage != NULL || strcmp(path, "-") != 0) {
        code_stage_of(path, stage, &file->stage);
    }
    return true;
}

/* ---- printing ---- */

static void add_component(const struct call_value *value, double number, struct textbuf *out) {
    char text[32];
    if (value->base == CALL_BOOL) {
        textbuf_add(out, number != 0.0 ? "true" : "false");
        return;
    }
    call_format_number(value->base, number, text);
    textbuf_add(out, text);
    if (value->base != CALL_INT && isfinite(number)) {
        textbuf_add(out, strpbrk(text, ".e") == NULL ? ".0" : "");
        textbuf_add(out, value->base == CALL_DOUBLE ? "lf" : "");
    }
}

static void add_value(const struct call_value *value, struct textbuf *out) {
    const unsigned count = value->columns * value->rows;
    if (value->discarded) {
        textbuf_add(out, "discarded");
        return;
    }
    if (count > 1) {
        textbuf_addf(out, "%s(", call_type_name(value));
    }
    for (unsigned i = 0; i < count; i++) {
        textbuf_add(out, i > 0 ? ", " : "");
        add_component(value, value->components[i], out);
    }
    textbuf_add(out, count > 1 ? ")" : "");
}

static void add_bits(const struct call_value *value, const char *separator, const char *quote,
                     struct textbuf *out) {
    for (unsigned i = 0; i < value->columns * value->rows; i++) {
        const double number = value->components[i];
        const float single = (float)number;
        uint32_t bits;
        uint64_t wide;
        memcpy(&bits, &single, sizeof bits);
        memcpy(&wide, &number, sizeof wide);
        textbuf_addf(out, "%s%s", i > 0 ? separator : "", quote);
        if (value->base == CALL_DOUBLE) {
            textbuf_addf(out, "0x%016llx", isnan(number) ? 0x7ff8000000000000ull : (unsigned long long)wide);
        } else {
            textbuf_addf(out, "0x%08x", isnan(number) ? 0x7fc00000u : bits);
        }
        textbuf_add(out, quote);
    }
}

static void print_line(const char *expression, const struct call_value *value, bool cost) {
    struct textbuf line = {NULL, 0, 0};
    textbuf_addf(&line, "%s = ", expression);
    add_value(value, &line);
    if ((value->base == CALL_FLOAT || value->base == CALL_DOUBLE) && !value->discarded) {
        textbuf_add(&line, "    ");
        add_bits(value, " ", "", &line);
    }
    if (cost) {
        textbuf_addf(&line, "    %llu instructions, %u words",
                     (unsigned long long)value->instructions, value->words);
    }
    printf("%s\n", line.text);
    textbuf_free(&line);
}

static void add_json(const char *expression, const struct call_value *value, struct textbuf *out) {
    textbuf_add(out, "  {\"expression\": ");
    textbuf_add_json(out, expression);
    textbuf_addf(out, ", \"type\": \"%s\", ", call_type_name(value));
    if (value->discarded) {
        textbuf_add(out, "\"discarded\": true, ");
    } else {
        textbuf_add(out, "\"value\": [");
        for (unsigned i = 0; i < value->columns * value->rows; i++) {
            textbuf_add(out, i > 0 ? ", " : "");
            if (value->base == CALL_DOUBLE && isfinite(value->components[i])) {
                textbuf_addf(out, "%.17g", value->components[i]);
            } else {
                textbuf_add_json_number(out, value->components[i]);
            }
        }
        textbuf_add(out, "], \"text\": \"");
        add_value(value, out);
        textbuf_add(out, "\", \"bits\": [");
        add_bits(value, ", ", "\"", out);
        textbuf_add(out, "], ");
    }
    textbuf_addf(out, "\"instructions\": %llu, \"words\": %u}",
                 (unsigned long long)value->instructions, value->words);
}

/* ---- tests ---- */

struct test_run {
    const char *path;
    int line;
    struct call_file file;
    char *file_path;
    size_t passed;
    size_t failed;
};

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
        text[--length] = '\0';
    }
    return text;
}

/* The last " word " outside of any parenthesis, or NULL. */
static char *find_last(char *text, const char *word) {
    char *found = NULL;
    for (char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        found = at;
    }
    return found;
}

static bool test_fault(const struct test_run *run, const char *message) {
    app_error("%s:%d: %s", run->path, run->line, message);
    return false;
}

/* "+- X" and "ulp N" behind the expected value; cut off there. */
static bool cut_tolerance(const struct test_run *run, char *expected, double *within,
                          uint32_t *ulps) {
    char *plus = find_last(expected, "+-");
    char *ulp = find_last(expected, " ulp ");
    char *end = NULL;
    *within = -1.0;
    *ulps = 0;
    if (plus != NULL) {
        *within = strtod(trim(plus + 2), &end);
        if (end == plus + 2 || *end != '\0' || !(*within >= 0.0)) {
            return test_fault(run, "behind +- stands no tolerance");
        }
        *plus = '\0';
    } else if (ulp != NULL) {
        int value = 0;
        if (!app_parse_int(trim(ulp + 5), 0, 1 << 30, &value)) {
            return test_fault(run, "behind ulp stands no whole number");
        }
        *ulps = (uint32_t)value;
        *ulp = '\0';
    }
    return true;
}

static bool is_close(const struct call_value *got, const struct call_value *wanted, double within,
                     uint32_t ulps, double *off, uint32_t *off_ulps) {
    bool close = got->discarded == wanted->discarded;
    *off = 0.0;
    *off_ulps = 0;
    for (unsigned i = 0; i < got->columns * got->rows && !got->discarded; i++) {
        const double a = got->components[i];
        const double b = wanted->components[i];
        const uint32_t distance = call_ulp_distance(got->base, a, b);
        const double gap = a == b ? 0.0 : fabs(a - b);
        *off_ulps = distance > *off_ulps ? distance : *off_ulps;
        *off = gap > *off ? gap : *off;
        if (within >= 0.0) {
            close = close && (distance == 0 || gap <= within);
        } else if (ulps > 0) {
            close = close && distance <= ulps;
        } else {
            close = close && distance == 0 && (isnan(a) || signbit(a) == signbit(b));
        }
    }
    return close;
}

/* One test. False if the file itself makes no sense there. */
static bool run_test(struct test_run *run, char *expression, char *expected) {
    char error[CALL_ERROR_CHARS];
    struct call_value got;
    struct call_value wanted;
    double within;
    double off;
    uint32_t ulps;
    uint32_t off_ulps;
    if (!cut_tolerance(run, expected, &within, &ulps)) {
        return false;
    }
    expected = trim(expected);
    const bool discard = strcmp(expected, "discarded") == 0;
    if (!call_evaluate(&run->file, expression, &got, error)) {
        return test_fault(run, error);
    }
    wanted = got;
    wanted.discarded = true;
    if (!discard && !call_evaluate(&run->file, expected, &wanted, error)) {
        return test_fault(run, error);
    }
    struct textbuf line = {NULL, 0, 0};
    bool same_type = discard || strcmp(call_type_name(&got), call_type_name(&wanted)) == 0;
    bool ok = same_type && is_close(&got, &wanted, within, ulps, &off, &off_ulps);
    textbuf_addf(&line, "%s %s:%d: %s", ok ? "ok    " : "FAILED", run->path, run->line, expression);
    if (!ok) {
        textbuf_add(&line, " is ");
        add_value(&got, &line);
        textbuf_add(&line, ", wanted ");
        add_value(&wanted, &line);
        if (!same_type) {
            textbuf_addf(&line, ": %s is not %s", call_type_name(&got), call_type_name(&wanted));
        } else if (!got.discarded && !wanted.discarded) {
            textbuf_addf(&line, ": off by %.3g (%u ulp)", off, off_ulps);
        }
    }
    printf("%s\n", line.text);
    textbuf_free(&line);
    run->passed += ok;
    run->failed += !ok;
    return true;
}

/* A path beside the test file, unless it is absolute. */
static char *beside(const char *test_path, const char *name) {
    const char *slash = name[0] != '/' ? strrchr(test_path, '/') : NULL;
    size_t folder = slash != NULL ? (size_t)(slash - test_path) + 1 : 0;
    char *path = app_alloc(folder + strlen(name) + 1);
    memcpy(path, test_path, folder);
    strcpy(path + folder, name);
    return path;
}

static bool test_command(struct test_run *run, char *line) {
    char error[CALL_ERROR_CHARS];
    if (strncmp(line, "file ", 5) == 0) {
        free(run->file.text);
        free(run->file_path);
        run->file_path = strcmp(trim(line + 5), "-") == 0 ? beside("", "-") : beside(run->path, trim(line + 5));
        return load_file(&run->file, run->file_path, NULL);
    }
    if (strncmp(line, "stage ", 6) == 0) {
        return code_stage_of("", trim(line + 6), &run->file.stage) ||
               test_fault(run, "the stage is vertex or fragment");
    }
    if (strncmp(line, "set ", 4) == 0) {
        return call_file_set(&run->file, trim(line + 4), error) || test_fault(run, error);
    }
    char *arrow = strstr(line, "=>");
    if (arrow == NULL) {
        return test_fault(run, "neither file, stage, set nor EXPRESSION => VALUE");
    }
    if (run->file.text == NULL) {
        return test_fault(run, "there is no file yet: 'file NAME' or 'file -' comes first");
    }
    *arrow = '\0';
    return run_test(run, trim(line), trim(arrow + 2));
}

/* False if the file cannot be read or makes no sense; failed tests only count. */
static bool run_tests(const char *path, size_t *passed, size_t *failed) {
    struct image_error err;
    size_t size = 0;
    struct test_run run;
    memset(&run, 0, sizeof run);
    run.path = path;
    char *text = (char *)image_read_file(path, CALL_FILE_LIMIT_BYTES, &size, &err);
    if (text == NULL) {
        app_error("%s", err.text);
        return false;
    }
    bool ok = true;
    for (char *line = text; ok && line != NULL;) {
        char *end = strchr(line, '\n');
        run.line++;
        if (end != NULL) {
            *end = '\0';
        }
        line[strcspn(line, "#")] = '\0';
        line = trim(line);
        ok = line[0] == '\0' || test_command(&run, line);
        line = end != NULL ? end + 1 : NULL;
    }
    if (ok && run.passed + run.failed == 0) {
        app_error("%s: no test in it", path);
        ok = false;
    }
    *passed += run.passed;
    *failed += run.failed;
    free(text);
    free(run.file.text);
    free(run.file_path);
    return ok;
}

/* ---- the command ---- */

struct call_options {
    const char **words;
    size_t word_count;
    const char **settings;
    size_t setting_count;
    const char *stage;
    bool fold, cost, json, test;
};

static bool parse_options(int argc, char **argv, struct call_options *options) {
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        bool *flag = strcmp(word, "--fold") == 0   ? &options->fold
                     : strcmp(word, "--cost") == 0 ? &options->cost
                     : strcmp(word, "--json") == 0 ? &options->json
                     : strcmp(word, "--test") == 0 ? &options->test
                                                   : NULL;
        if (only_words || strncmp(word, "--", 2) != 0) { /* "-1.0" is an expression */
            options->words[options->word_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_words = true;
        } else if (flag != NULL) {
            *flag = true;
        } else if (strcmp(word, "--set") == 0 || strcmp(word, "--stage") == 0) {
            if (++i >= argc) {
                app_error("call: %s needs a value", word);
                return false;
            }
            if (word[3] == 'e') {
                options->settings[options->setting_count++] = argv[i];
            } else {
                options->stage = argv[i];
            }
        } else {
            app_error("call: no option '%s'", word);
            return false;
        }
    }
    enum vliw_stage unused;
    if (options->stage != NULL && !code_stage_of("", options->stage, &unused)) {
        app_error("call: --stage is vertex or fragment, not '%s'", options->stage);
        return false;
    }
    if (options->word_count < (options->test ? 1 : 2)) {
        app_error(options->test ? "call: no test file" : "call: a file and an expression are needed");
        return false;
    }
    return true;
}

static int evaluate_all(const struct call_options *options) {
    char error[CALL_ERROR_CHARS];
    struct call_file file;
    struct textbuf json = {NULL, 0, 0};
    if (!load_file(&file, options->words[0], options->stage)) {
        return CLI_FAILED;
    }
    file.fold = options->fold;
    bool ok = true;
    for (size_t i = 0; ok && i < options->setting_count; i++) {
        ok = call_file_set(&file, options->settings[i], error);
    }
    for (size_t i = 1; ok && i < options->word_count; i++) {
        struct call_value value;
        ok = call_evaluate(&file, options->words[i], &value, error);
        if (ok && options->json) {
            textbuf_add(&json, i > 1 ? ",\n" : "");
            add_json(options->words[i], &value, &json);
        } else if (ok) {
            print_line(options->words[i], &value, options->cost);
        }
    }
    if (!ok) {
        app_error("%s", error);
    } else if (options->json) {
        printf("[\n%s\n]\n", json.text);
    }
    textbuf_free(&json);
    free(file.text);
    return ok ? CLI_OK : CLI_FAILED;
}

int cmd_call(int argc, char **argv) {
    struct call_options options;
    memset(&options, 0, sizeof options);
    if (cli_wants_help(argc, argv)) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    options.words = app_alloc((size_t)argc * sizeof options.words[0]);
    options.settings = app_alloc((size_t)argc * sizeof options.settings[0]);
    int status = CLI_OK;
    if (!parse_options(argc, argv, &options)) {
        status = CLI_USAGE;
    } else if (options.test) {
        size_t passed = 0;
        size_t failed = 0;
        for (size_t i = 0; i < options.word_count; i++) {
            status = run_tests(options.words[i], &passed, &failed) ? status : CLI_FAILED;
        }
        printf("%zu passed, %zu failed\n", passed, failed);
        status = failed > 0 ? CLI_FAILED : status;
    } else {
        status = evaluate_all(&options);
    }
    free(options.words);
    free(options.settings);
    return status;
}
