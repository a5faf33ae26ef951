/* SPDX-License-Identifier: MIT */
/*
 * Evaluates one GLSL expression. The text that is compiled:
 *
 *   #version of the file, if it has one | helper macros | the file, its main renamed |
 *   the numbers as uniforms | main: TYPE r = (EXPRESSION); the output = a column of r
 *
 * GLSL ES converts nothing implicitly, so exactly one TYPE compiles: it is the expression's. The
 * result is computed by the reference interpreter and by the executor, which must agree. A double leaves
 * the shader as three floats that sum up to it, after it was multiplied by a power of two.
 */
#include "call.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"
#include "../common/textbuf.h"
#include "code_file.h"

#define MAX_NUMBERS 256
#define LANES 4

static const struct call_type {
    const char *name;
    uint8_t base, columns, rows;
} types[] = {
    {"float", CALL_FLOAT, 1, 1}, {"vec2", CALL_FLOAT, 1, 2},  {"vec3", CALL_FLOAT, 1, 3},
    {"vec4", CALL_FLOAT, 1, 4},  {"int", CALL_INT, 1, 1},     {"bool", CALL_BOOL, 1, 1},
    {"ivec2", CALL_INT, 1, 2},   {"ivec3", CALL_INT, 1, 3},   {"ivec4", CALL_INT, 1, 4},
    {"bvec2", CALL_BOOL, 1, 2},  {"bvec3", CALL_BOOL, 1, 3},  {"bvec4", CALL_BOOL, 1, 4},
    {"mat2", CALL_FLOAT, 2, 2},  {"mat3", CALL_FLOAT, 3, 3},  {"mat4", CALL_FLOAT, 4, 4},
    {"double", CALL_DOUBLE, 1, 1}, {"dvec2", CALL_DOUBLE, 1, 2}, {"dvec3", CALL_DOUBLE, 1, 3},
    {"dvec4", CALL_DOUBLE, 1, 4},  {"dmat2", CALL_DOUBLE, 2, 2}, {"dmat3", CALL_DOUBLE, 3, 3},
    {"dmat4", CALL_DOUBLE, 4, 4},
};
#define TYPE_COUNT (sizeof types / sizeof types[0])

/* An expression whose numbers have become names of uniforms. */
struct call_text {
    struct textbuf expression;
    struct textbuf uniforms;
    double numbers[MAX_NUMBERS];
    unsigned number_count;
};

/* ---- values ---- */

const char *call_type_name(const struct call_value *value) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].base == value->base && types[i].columns == value->columns &&
            types[i].rows == value->rows) {
            return types[i].name;
        }
    }
    return "?";
}

void call_format_number(enum call_base base, double value, char text[32]) {
    if (isnan(value)) {
        strcpy(text, "nan");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (base == CALL_DOUBLE ? strtod(text, NULL) == value : (double)strtof(text, NULL) == value) {
            return;
        }
    }
}

/* Numbers in order as whole numbers in order; both zeros are the same one. */
static uint64_t number_order(enum call_base base, double value) {
    const uint64_t middle = UINT64_C(1) << 63;
    uint64_t bits;
    if (base == CALL_DOUBLE) {
        memcpy(&bits, &value, sizeof bits);
    } else {
        const float single = (float)value;
        uint32_t half;
        memcpy(&half, &single, sizeof half);
        bits = (uint64_t)(half >> 31) << 63 | (half & 0x7fffffffu);
    }
    return bits & middle ? middle - (bits & ~middle) : middle + bits;
}

uint32_t call_ulp_distance(enum call_base base, double a, double b) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b) ? 0 : UINT32_MAX;
    }
    const uint64_t x = number_order(base, a), y = number_order(base, b), distance = x > y ? x - y : y - x;
    return distance > UINT32_MAX ? UINT32_MAX : (uint32_t)distance;
}

bool call_file_set(struct call_file *file, const char *text, char error[CALL_ERROR_CHARS]) {
    const char *equals = strchr(text, '=');
    const char *end = equals;
    while (end != NULL && end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
    if (file->setting_count == CALL_MAX_SETTINGS) {
        snprintf(error, CALL_ERROR_CHARS, "more than %d values are set", CALL_MAX_SETTINGS);
        return false;
    }
    struct call_setting *setting = &file->settings[file->setting_count];
    size_t length = end != NULL ? (size_t)(end - text) : 0;
    if (length == 0 || length >= sizeof setting->name) {
        snprintf(error, CALL_ERROR_CHARS, "'%.200s' is not NAME=NUMBER,NUMBER,...", text);
        return false;
    }
    memcpy(setting->name, text, length);
    setting->name[length] = '\0';
    setting->count = 0;
    const char *at = equals + 1;
    while (*at != '\0') {
        char *after = NULL;
        float value;
        double wide;
        if (*at == ',' || isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) {
            value = *at == 't' ? 1.0f : 0.0f;
            wide = (double)value;
            at += *at == 't' ? 4 : 5;
        } else {
            value = strtof(at, &after);
            wide = strtod(at, NULL);
            if (after == at) {
                break;
            }
            at = after;
            at += strncmp(at, "lf", 2) == 0 || strncmp(at, "LF", 2) == 0 ? 2 : 0;
        }
        if (setting->count == CALL_MAX_VALUES || (*at != '\0' && *at != ',' && !isspace((unsigned char)*at))) {
            break;
        }
        setting->doubles[setting->count] = wide;
        setting->values[setting->count++] = value;
    }
    if (*at != '\0' || setting->count == 0) {
        snprintf(error, CALL_ERROR_CHARS, "'%.200s' is not NAME=NUMBER,NUMBER,... (at most %d)", text,
                 CALL_MAX_VALUES);
        return false;
    }
    file->setting_count++;
    return true;
}

/* ---- text ---- */

static void add_number(struct call_text *text, enum call_base base, double value) {
    textbuf_addf(&text->expression, "vlgl_n%u", text->number_count);
    textbuf_addf(&text->uniforms, "uniform %s vlgl_n%u;",
                 base == CALL_INT      ? "highp int"
                 : base == CALL_DOUBLE ? "double"
                                       : "highp float",
                 text->number_count);
    text->numbers[text->number_count++] = value;
}

/* The length of a number at `at`, 0 if there is none. */
static size_t number_length(const char *at, bool *is_int) {
    size_t length = strspn(at, "0123456789");
    *is_int = true;
    if (length == 1 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        return 2 + strspn(at + 2, "0123456789abcdefABCDEF");
    }
    size_t fraction = at[length] == '.' ? strspn(at + length + 1, "0123456789") : 0;
    if (at[length] == '.' && length + fraction > 0) {
        length += 1 + fraction;
        *is_int = false;
    }
    if (length > 0 && (at[length] == 'e' || at[length] == 'E')) {
        size_t sign = at[length + 1] == '+' || at[length + 1] == '-';
        size_t digits = strspn(at + length + 1 + sign, "0123456789");
        if (digits > 0) {
            length += 1 + sign + digits;
            *is_int = false;
        }
    }
    return length;
}

/*
 * Numbers to uniforms, but for those in brackets: an index may have to be constant. The words nan
 * and inf are numbers too.
 */
static void replace_numbers(const char *expression, bool fold, struct call_text *text) {
    int brackets = 0;
    memset(text, 0, sizeof *text);
    textbuf_add(&text->expression, "");
    textbuf_add(&text->uniforms, "");
    while (*expression != '\0') {
        bool is_int = false;
        size_t word = 0;
        if (isalpha((unsigned char)*expression) || *expression == '_') {
            while (isalnum((unsigned char)expression[word]) || expression[word] == '_') {
                word++;
            }
        }
        size_t number = word > 0 ? 0 : number_length(expression, &is_int);
        const char *suffix = expression + number;
        const bool is_double = number > 0 && !is_int && (strncmp(suffix, "lf", 2) == 0 || strncmp(suffix, "LF", 2) == 0);
        number += is_double ? 2 : 0;
        if (number > 0 && (isalnum((unsigned char)expression[number]) || expression[number] == '_')) {
            word = number + strspn(expression + number, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
            number = 0; /* no number of GLSL ES: for the compiler to say so */
        }
        const bool room = text->number_count < MAX_NUMBERS;
        if (word == 3 && room &&
            (strncmp(expression, "nan", 3) == 0 || strncmp(expression, "inf", 3) == 0)) {
            add_number(text, CALL_FLOAT, *expression == 'n' ? (double)NAN : (double)INFINITY);
        } else if (number > 0 && room && !fold && brackets == 0) {
            const double value = is_double ? strtod(expression, NULL)
                                 : is_int  ? (double)(float)strtol(expression, NULL, 0)
                                           : (double)strtof(expression, NULL);
            add_number(text, is_double ? CALL_DOUBLE : is_int ? CALL_INT : CALL_FLOAT, value);
        } else {
            textbuf_add_bytes(&text->expression, expression, word + number > 0 ? word + number : 1);
        }
        brackets += *expression == '[';
        brackets -= *expression == ']';
        expression += word + number > 0 ? word + number : 1;
    }
}

/* The part of the text that must stay in front: all up to a #version line and its end. */
static size_t version_length(const char *text) {
    const char *at = text;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *end = strstr(at + 2, "*/");
            at = end != NULL ? end + 2 : at + strlen(at);
        } else {
            break;
        }
    }
    if (*at != '#' || strncmp(at + 1 + strspn(at + 1, " \t"), "version", 7) != 0) {
        return 0;
    }
    at += strcspn(at, "\n");
    return (size_t)(at - text) + (*at == '\n');
}

/* True if the file may declare extensions, which must come before any declaration. */
static bool has_directive(const char *text, const char *name) {
    for (const char *at = strchr(text, '#'); at != NULL; at = strchr(at + 1, '#')) {
        if (strncmp(at + 1 + strspn(at + 1, " \t"), name, strlen(name)) == 0) {
            return true;
        }
    }
    return false;
}

/* Compiles the file with this text behind it; `line` numbers are the file's own. */
static struct glslc_shader *compile(const struct call_file *file, const char *behind) {
    struct glslc_options options;
    const size_t front = version_length(file->text);
    int line = 1;
    for (size_t i = 0; i < front; i++) {
        line += file->text[i] == '\n';
    }
    /* One string: at the border of two a compiler may count strings on its own. */
    struct textbuf all = {NULL, 0, 0};
    textbuf_add_bytes(&all, file->text, front);
    if (file->path[0] == '\0') { /* no file that could ask for doubles */
        textbuf_add(&all, "#extension GL_VLGL_fp64 : enable\n");
    }
    textbuf_add(&all, "#define main vlgl_file_main\n");
    if (file->stage == VLIW_STAGE_FRAGMENT && !has_directive(file->text, "extension")) {
        textbuf_add(&all, "precision highp float;\n");
    }
    textbuf_addf(&all, "#line %d 0\n%s\n#undef main\n#line 1 1\n%s", line, file->text + front, behind);
    const char *const strings[1] = {all.text};
    const int lengths[1] = {(int)all.size};
    code_options(&options);
    struct glslc_shader *shader = glslc_compile(file->stage, 1, strings, lengths, &options);
    textbuf_free(&all);
    if (shader == NULL) {
        app_error("out of memory");
        exit(1);
    }
    return shader;
}

/*
 * The log with names in place of string numbers: 0 is the file, 1 what was put around the
 * expression, of which only the message is of use.
 */
static void explain(const struct call_file *file, const char *expression, const char *log,
                    char error[CALL_ERROR_CHARS]) {
    const char *place = strstr(log, "error:");
    const bool in_file = strncmp(log, "0:", 2) == 0;
    if (in_file) {
        snprintf(error, CALL_ERROR_CHARS, "%s%.*s", file->path, (int)strcspn(log, "\n") - 1, log + 1);
    } else {
        const char *message = place != NULL ? place + 6 + strspn(place + 6, " ") : log;
        snprintf(error, CALL_ERROR_CHARS, "'%.300s': %.*s", expression,
                 (int)strcspn(message, "\n"), message);
    }
}

/* ---- running ---- */

static const struct call_setting *find_setting(const struct call_file *file, const char *name) {
    for (unsigned i = 0; i < file->setting_count; i++) {
        const size_t length = strlen(file->settings[i].name);
        if (strcmp(file->settings[i].name, name) == 0 ||
            (strncmp(file->settings[i].name, name, length) == 0 &&
             strcmp(name + length, "[0]") == 0)) {
            return &file->settings[i];
        }
    }
    return NULL;
}

static bool is_of_doubles(enum glslc_type type) {
    return type == GLSLC_DOUBLE || (type >= GLSLC_DOUBLE_VEC2 && type <= GLSLC_DOUBLE_VEC4) ||
           (type >= GLSLC_DOUBLE_MAT2 && type <= GLSLC_DOUBLE_MAT4);
}

/* A double: its low word, then its high word. */
static void set_double(float *place, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t words[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
    memcpy(place, words, sizeof words);
}

static void set_uniforms(const struct call_file *file, const struct call_text *text,
                         const struct glslc_program *program, float *globals) {
    const struct glslc_uniform *uniforms;
    const unsigned count = glslc_program_uniforms(program, &uniforms);
    for (unsigned i = 0; i < count; i++) {
        const struct glslc_uniform *u = &uniforms[i];
        const struct call_setting *setting = find_setting(file, u->name);
        const float *values = setting != NULL ? setting->values : NULL;
        const double *doubles = setting != NULL ? setting->doubles : NULL;
        unsigned left = setting != NULL ? setting->count : 0;
        float single = 0.0f;
        if (strncmp(u->name, "vlgl_n", 6) == 0 && isdigit((unsigned char)u->name[6])) {
            unsigned index = (unsigned)strtoul(u->name + 6, NULL, 10);
            left = index < text->number_count;
            doubles = &text->numbers[left != 0 ? index : 0];
            single = (float)*doubles;
            values = &single;
        }
        unsigned columns;
        const unsigned rows = glslc_type_shape(u->type, &columns);
        for (unsigned e = 0; u->stage[file->stage].reg >= 0 && e < u->stage[file->stage].elements; e++) {
            for (unsigned c = 0; c < columns; c++) {
                unsigned reg = (unsigned)u->stage[file->stage].reg + e * u->stage[file->stage].stride + c;
                float *place = globals + reg * 4 + u->stage[file->stage].comp;
                for (unsigned k = 0; k < rows && left > 0; k++, left--) {
                    if (is_of_doubles(u->type)) {
                        set_double(place + 2 * k, *doubles++);
                    } else {
                        place[k] = *values++;
                    }
                }
            }
        }
    }
}

/* What a component of an input is in a lane of the quad. */
static float input_value(const struct call_file *file, const struct glslc_program *program,
                         const struct vliw_io *io, unsigned comp, unsigned lane) {
    const struct call_setting *setting = NULL;
    unsigned index = comp;
    float value = 0.0f;
    if (io->semantic == VLIW_SEM_FRAG_COORD) {
        setting = find_setting(file, "gl_FragCoord");
        const float quad[4] = {0.5f + (float)(lane & 1), 0.5f + (float)(lane >> 1), 0.5f, 1.0f};
        value = quad[comp];
    } else if (io->semantic == VLIW_SEM_FRONT_FACING) {
        setting = find_setting(file, "gl_FrontFacing");
        value = 1.0f;
    } else if (io->semantic == VLIW_SEM_POINT_COORD) {
        setting = find_setting(file, "gl_PointCoord");
        value = 0.5f;
    } else if (io->semantic == VLIW_SEM_ATTRIB) {
        const struct glslc_attribute *attributes;
        const unsigned count = glslc_program_attributes(program, &attributes);
        for (unsigned i = 0; i < count && setting == NULL; i++) {
            unsigned columns;
            const unsigned rows = glslc_type_shape(attributes[i].type, &columns);
            const unsigned column = io->index - (unsigned)attributes[i].location;
            if (column < columns) {
                setting = find_setting(file, attributes[i].name);
                index = column * rows + comp;
            }
        }
    } else if (io->semantic == VLIW_SEM_VARYING) {
        const struct glslc_varying *varyings;
        const unsigned count = glslc_program_varyings(program, &varyings);
        for (unsigned i = 0, row = 0; i < count && setting == NULL; i++) {
            row = i > 0 && strcmp(varyings[i].name, varyings[i - 1].name) == 0 ? row + 1 : 0;
            if (varyings[i].reg == io->index && comp >= varyings[i].comp &&
                comp - varyings[i].comp < varyings[i].components) {
                setting = find_setting(file, varyings[i].name);
                index = row * varyings[i].components + comp - varyings[i].comp;
            }
        }
    }
    return setting != NULL && index < setting->count ? setting->values[index] : value;
}

struct outcome {
    float column[4];
    bool discarded;
    uint64_t instructions;
};

static bool is_result(const struct vliw_io *io, enum vliw_stage stage) {
    return io->semantic == (stage == VLIW_STAGE_VERTEX ? VLIW_SEM_POSITION : VLIW_SEM_COLOR) &&
           io->index == 0;
}

static bool run_reference(const struct call_file *file, const struct glslc_program *linked,
                          const struct vliw_program *program, const float *globals, uint32_t budget,
                          struct outcome *out, enum vliw_status *status) {
    const struct vliw_info *info = vliw_program_info(program);
    uint32_t *gpr = app_alloc(((size_t)info->gprs + 1) * 4 * LANES * sizeof gpr[0]);
    uint32_t *bits = app_alloc(((size_t)info->globals + 1) * 4 * sizeof bits[0]);
    struct vliw_run run;
    memset(&run, 0, sizeof run);
    run.active.w[0] = 15;
    run.budget = budget;
    memcpy(bits, globals, (size_t)info->globals * 4 * sizeof bits[0]);
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned k = 0; k < 4 * LANES; k++) {
            if (info->inputs[i].mask >> (k / LANES) & 1) {
                float value = input_value(file, linked, &info->inputs[i], k / LANES, k % LANES);
                memcpy(&gpr[(info->inputs[i].reg * 4u + k / LANES) * LANES + k % LANES], &value, 4);
            }
        }
    }
    *status = vliw_ref_run(program, gpr, bits, glslc_program_globals(linked, file->stage), &run);
    for (uint32_t i = 0; i < info->output_count; i++) {
        for (unsigned c = 0; c < 4 && is_result(&info->outputs[i], file->stage); c++) {
            memcpy(&out->column[c], &gpr[(info->outputs[i].reg * 4u + c) * LANES], 4);
        }
    }
    out->discarded = file->stage == VLIW_STAGE_FRAGMENT && (run.live.w[0] & 1) == 0;
    free(gpr);
    free(bits);
    return *status == VLIW_OK;
}

/* Instructions that an evaluation may take: VLGL_BUDGET, or 0 for the default. False if it is no number. */
static bool read_budget(uint32_t *budget) {
    const char *text = getenv("VLGL_BUDGET");
    char *end = NULL;
    unsigned long long number = text != NULL ? strtoull(text, &end, 10) : 0;
    *budget = (uint32_t)number;
    return text == NULL || (end != text && *end == '\0' && number > 0 && number <= UINT32_MAX);
}

static bool run_executor(const struct call_file *file, const struct glslc_program *linked,
                         const struct vliw_program *program, const float *globals, uint32_t budget,
                         struct outcome *out, enum vliw_status *status) {
    const struct vliw_info *info = vliw_program_info(program);
    float *constants = app_alloc((vliw_program_constants(program) + 1) * sizeof constants[0]);
    struct vliw_batch *batch = vliw_batch_create();
    struct vliw_run run;
    memset(&run, 0, sizeof run);
    run.active.w[0] = 15;
    run.budget = budget;
    run.constants = constants;
    vliw_program_prepare(program, globals, glslc_program_globals(linked, file->stage), constants);
    *status = batch == NULL ? VLIW_ERR_MEMORY : vliw_batch_bind(batch, program);
    for (uint32_t i = 0; *status == VLIW_OK && i < info->input_count; i++) {
        for (unsigned c = 0; c < 4; c++) {
            float *lanes = vliw_batch_input(batch, i, c);
            for (unsigned lane = 0; lanes != NULL && lane < LANES; lane++) {
                lanes[lane] = input_value(file, linked, &info->inputs[i], c, lane);
            }
        }
    }
    if (*status == VLIW_OK) {
        *status = vliw_batch_run(batch, &run);
    }
    for (uint32_t i = 0; *status == VLIW_OK && i < info->output_count; i++) {
        for (unsigned c = 0; c < 4 && is_result(&info->outputs[i], file->stage); c++) {
            const float *lanes = vliw_batch_output(batch, i, c);
            out->column[c] = lanes != NULL ? lanes[0] : 0.0f;
        }
    }
    out->discarded = file->stage == VLIW_STAGE_FRAGMENT && (run.live.w[0] & 1) == 0;
    out->instructions = run.instructions / LANES;
    vliw_batch_destroy(batch);
    free(constants);
    return *status == VLIW_OK;
}

/* A partner that declares what the file's shader takes: its varyings, as far as the text shows them. */
static char *make_partner(const struct call_file *file) {
    struct textbuf out = {NULL, 0, 0};
    if (file->stage == VLIW_STAGE_VERTEX) {
        textbuf_add(&out, "void main() { gl_FragColor = vec4(0.0); }\n");
        return out.text;
    }
    for (const char *at = strstr(file->text, "varying"); at != NULL; at = strstr(at + 1, "varying")) {
        const bool alone = (at == file->text || isspace((unsigned char)at[-1]) || at[-1] == ';' || at[-1] == '}') &&
                           isspace((unsigned char)at[7]);
        if (alone && memchr(at, ';', strcspn(at, "{")) != NULL) {
            textbuf_add_bytes(&out, at, strcspn(at, ";") + 1);
            textbuf_add(&out, "\n");
        }
    }
    textbuf_add(&out, "void main() { gl_Position = vec4(0.0); }\n");
    return out.text;
}

/* Links with the partner; NULL with a message. */
static struct glslc_program *link_text(const struct call_file *file, const char *expression,
                                       const struct glslc_shader *shader,
                                       char error[CALL_ERROR_CHARS]) {
    struct glslc_options options;
    code_options(&options);
    char *partner_text = make_partner(file);
    const char *const strings[1] = {partner_text};
    enum vliw_stage other =
        file->stage == VLIW_STAGE_VERTEX ? VLIW_STAGE_FRAGMENT : VLIW_STAGE_VERTEX;
    struct glslc_shader *partner = glslc_compile(other, 1, strings, NULL, &options);
    free(partner_text);
    struct glslc_program *program = NULL;
    if (partner != NULL) {
        const struct glslc_shader *vertex = file->stage == VLIW_STAGE_VERTEX ? shader : partner;
        const struct glslc_shader *fragment = file->stage == VLIW_STAGE_VERTEX ? partner : shader;
        program = glslc_link(vertex, fragment, NULL, 0, file->path, &options);
    }
    glslc_shader_destroy(partner);
    if (program == NULL) {
        snprintf(error, CALL_ERROR_CHARS, "out of memory");
    } else if (!glslc_program_ok(program)) {
        const char *log = glslc_program_log(program);
        snprintf(error, CALL_ERROR_CHARS, "'%.300s': %.*s", expression, (int)strcspn(log, "\n"), log);
        glslc_program_destroy(program);
        program = NULL;
    }
    return program;
}

/* One column of the result, by both interpreters. */
static bool run_column(const struct call_file *file, const char *expression,
                       const struct call_text *text, const struct glslc_shader *shader,
                       struct outcome *out, uint32_t *words, char error[CALL_ERROR_CHARS]) {
    struct vliw_error fault;
    struct vliw_program *program = NULL;
    struct outcome other;
    enum vliw_status status[2] = {VLIW_OK, VLIW_OK};
    uint32_t budget;
    if (!read_budget(&budget)) {
        snprintf(error, CALL_ERROR_CHARS, "VLGL_BUDGET is no number of instructions from 1 to 4294967295");
        return false;
    }
    struct glslc_program *linked = link_text(file, expression, shader, error);
    if (linked == NULL) {
        return false;
    }
    memset(&other, 0, sizeof other);
    bool ok = vliw_program_create(glslc_program_image(linked, file->stage), &program, &fault) == VLIW_OK;
    if (!ok) {
        snprintf(error, CALL_ERROR_CHARS, "'%.300s': %s", expression, fault.message);
    } else if (vliw_program_info(program)->sampler_count > 0) {
        snprintf(error, CALL_ERROR_CHARS, "'%.300s' reads a texture, and there are none here",
                 expression);
        ok = false;
    } else {
        const struct vliw_info *info = vliw_program_info(program);
        float *globals = app_alloc(((size_t)info->globals + 1) * 4 * sizeof globals[0]);
        *words = info->units;
        set_uniforms(file, text, linked, globals);
        ok = run_executor(file, linked, program, globals, budget, out, &status[0]);
        ok = run_reference(file, linked, program, globals, budget, &other, &status[1]) && ok;
        free(globals);
        /* Behind a fault nothing but the status counts. */
        bool agree = status[0] == status[1] && (status[0] != VLIW_OK || out->discarded == other.discarded);
        for (int c = 0; c < 4 && ok && !out->discarded; c++) {
            agree = agree && call_ulp_distance(CALL_FLOAT, (double)out->column[c], (double)other.column[c]) == 0;
        }
        if (!agree) {
            snprintf(error, CALL_ERROR_CHARS,
                     "'%.300s': executor and reference interpreter disagree: a fault of vlgl",
                     expression);
            ok = false;
        } else if (!ok) {
            snprintf(error, CALL_ERROR_CHARS, "'%.300s': %s", expression,
                     vliw_status_text(status[0]));
        }
    }
    vliw_program_destroy(program);
    glslc_program_destroy(linked);
    return ok;
}

/* ---- evaluation ---- */

static const char *output_name(const struct call_file *file) {
    return file->stage == VLIW_STAGE_VERTEX             ? "gl_Position"
           : strstr(file->text, "gl_FragData") != NULL ? "gl_FragData[0]"
                                                        : "gl_FragColor";
}

/*
 * main() for a type of doubles, giving one of them: three floats and the exponent of two that they are to be multiplied
 * by. It is brought to 2^-60 .. 2^100, where no part of it is too small or too large for a float.
 */
static void make_main_double(const struct call_file *file, const struct call_text *text,
                             const struct call_type *type, unsigned number, struct textbuf *out) {
    char from[48] = "vlgl_result";
    if (type->columns > 1) {
        snprintf(from, sizeof from, "vlgl_result[%u][%u]", number / type->rows, number % type->rows);
    } else if (type->rows > 1) {
        snprintf(from, sizeof from, "vlgl_result[%u]", number);
    }
    textbuf_addf(out, "%s void main() { %s vlgl_result = (%s); double vlgl_d = %s; highp float vlgl_e = 0.0;\n",
                 text->uniforms.text, type->name, text->expression.text, from);
    textbuf_add(out, "for (int i = 0; i < 7; i++) { if (abs(vlgl_d) >= 1267650600228229401496703205376.0lf) {"
                     " vlgl_d *= 1.0lf / 1461501637330902918203684832716283019655932542976.0lf; vlgl_e += 160.0; } }\n"
                     "for (int i = 0; i < 7; i++) { if (abs(vlgl_d) < 1.0lf / 1152921504606846976.0lf) {"
                     " vlgl_d *= 1461501637330902918203684832716283019655932542976.0lf; vlgl_e -= 160.0; } }\n"
                     "highp float vlgl_a = float(vlgl_d); vlgl_d -= double(vlgl_a);"
                     " highp float vlgl_b = float(vlgl_d); vlgl_d -= double(vlgl_b);\n");
    textbuf_addf(out, "%s = vec4(vlgl_a, vlgl_b, float(vlgl_d), vlgl_e); }\n", output_name(file));
}

/* What make_main_double's output says. */
static double double_of(const float column[4]) {
    if (!isfinite(column[0]) || column[0] == 0.0f) {
        return (double)column[0];
    }
    return ldexp((double)column[0] + (double)column[1] + (double)column[2], (int)column[3]);
}

/* main() around the expression for a type, giving one column. */
static void make_main(const struct call_file *file, const struct call_text *text,
                      const struct call_type *type, unsigned column, struct textbuf *out) {
    const char *const pads[5] = {"", ", 0.0, 0.0, 0.0", ", 0.0, 0.0", ", 0.0", ""};
    char from[32] = "vlgl_result";
    if (type->columns > 1) {
        snprintf(from, sizeof from, "vlgl_result[%u]", column);
    }
    textbuf_addf(out, "%s void main() { highp %s vlgl_result = (%s); %s = vec4(%s%s%s%s); }\n",
                 text->uniforms.text, type->name, text->expression.text, output_name(file),
                 type->base == CALL_FLOAT || type->rows == 1 ? "" : type->rows == 2 ? "vec2("
                 : type->rows == 3 ? "vec3(" : "vec4(",
                 from, type->base == CALL_FLOAT || type->rows == 1 ? "" : ")", pads[type->rows]);
    if (type->base == CALL_BOOL) { /* bool takes no precision */
        char *at = strstr(out->text, "{ highp ");
        memcpy(at + 2, "     ", 5);
    }
}

static struct glslc_shader *compile_as(const struct call_file *file, const struct call_text *text,
                                       const struct call_type *type, unsigned column) {
    struct textbuf behind = {NULL, 0, 0};
    (type->base == CALL_DOUBLE ? make_main_double : make_main)(file, text, type, column, &behind);
    struct glslc_shader *shader = compile(file, behind.text);
    textbuf_free(&behind);
    return shader;
}

/* Finds out what is wrong: with the file alone, with the expression alone, or with its type. */
static void find_fault(const struct call_file *file, const struct call_text *text,
                       const char *expression, char error[CALL_ERROR_CHARS]) {
    struct textbuf behind = {NULL, 0, 0};
    struct glslc_shader *shader = compile(file, "void main() {}\n");
    bool found = !glslc_shader_ok(shader);
    if (!found) {
        glslc_shader_destroy(shader);
        textbuf_addf(&behind, "%s void main() { (%s); }\n", text->uniforms.text, text->expression.text);
        shader = compile(file, behind.text);
        found = !glslc_shader_ok(shader);
    }
    if (found) {
        explain(file, expression, glslc_shader_log(shader), error);
    } else {
        snprintf(error, CALL_ERROR_CHARS,
                 "'%.300s' has no value that can be shown: neither number, vector nor matrix",
                 expression);
    }
    glslc_shader_destroy(shader);
    textbuf_free(&behind);
}

bool call_evaluate(const struct call_file *file, const char *expression, struct call_value *value,
                   char error[CALL_ERROR_CHARS]) {
    struct call_text text;
    struct glslc_shader *shader = NULL;
    const struct call_type *type = NULL;
    memset(value, 0, sizeof *value);
    replace_numbers(expression, file->fold, &text);
    for (size_t i = 0; type == NULL && i < TYPE_COUNT; i++) {
        shader = compile_as(file, &text, &types[i], 0);
        if (glslc_shader_ok(shader)) {
            type = &types[i];
        } else {
            glslc_shader_destroy(shader);
            shader = NULL;
        }
    }
    bool ok = type != NULL;
    if (!ok) {
        find_fault(file, &text, expression, error);
    } else {
        value->base = (enum call_base)type->base;
        value->columns = type->columns;
        value->rows = type->rows;
    }
    const bool doubles = ok && type->base == CALL_DOUBLE; /* one a run */
    for (unsigned c = 0; ok && c < type->columns * (doubles ? type->rows : 1u); c++) {
        struct outcome out;
        memset(&out, 0, sizeof out);
        if (c > 0) {
            glslc_shader_destroy(shader);
            shader = compile_as(file, &text, type, c);
        }
        ok = run_column(file, expression, &text, shader, &out, &value->words, error);
        if (doubles) {
            value->components[c] = double_of(out.column);
        }
        for (unsigned k = 0; !doubles && k < type->rows; k++) {
            value->components[c * type->rows + k] = (double)out.column[k];
        }
        value->discarded = value->discarded || out.discarded;
        value->instructions = out.instructions > value->instructions ? out.instructions
                                                                     : value->instructions;
    }
    glslc_shader_destroy(shader);
    textbuf_free(&text.expression);
    textbuf_free(&text.uniforms);
    return ok;
}
