/* SPDX-License-Identifier: MIT */
/*
 * Random well-formed fragment shaders: the bytes choose among the productions of the language. Each shader
 * is compiled with and without optimisation and run by the reference interpreter on one quad, the optimised one
 * by the executor too; the outputs must have the same bits (any NaN equals any NaN). A shader that does not
 * compile is a finding too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/bits.h"
#include "vm/base/str.h"
#include "vm/include/glslc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity);

enum { LANES = 4, MAX_VARS = 40, MAX_FUNCTIONS = 4 };

/* Types by index; the first four of a kind are 1..4 components. */
enum { FLOAT, VEC2, VEC3, VEC4, INT, IVEC2, IVEC3, IVEC4, BOOL, BVEC2, BVEC3, BVEC4, MAT2, MAT3, MAT4, TYPES };
static const char *const type_names[TYPES] = {"float", "vec2", "vec3", "vec4", "int", "ivec2", "ivec3", "ivec4",
                                              "bool", "bvec2", "bvec3", "bvec4", "mat2", "mat3", "mat4"};

struct variable {
    char name[16];
    unsigned type, length;      /* length 0: no array */
    bool writable;
};

struct function {
    char name[8];
    unsigned result, params[3], count;
    bool inout[3];
};

struct gen {
    const uint8_t *at, *end;
    struct str out;
    struct variable vars[MAX_VARS];
    unsigned var_count, next_name, function_count, depth, loops, budget;
    struct function functions[MAX_FUNCTIONS];
};

static unsigned pick(struct gen *g, unsigned n) {
    return g->at < g->end ? *g->at++ % n : 0;
}

static void expression(struct gen *g, unsigned type, unsigned depth);

/* An expression between two texts. */
static void call_text(struct gen *g, const char *before, unsigned a, unsigned depth, const char *after) {
    str_append(&g->out, before);
    expression(g, a, depth);
    str_append(&g->out, after);
}

static void literal(struct gen *g, unsigned type) {
    static const char *const floats[] = {"0.0", "1.0", "0.5", "-2.0", "3.25", "1e-3", "100.0", "-0.75"};
    if (type == FLOAT) {
        str_append(&g->out, floats[pick(g, 8)]);
    } else if (type == INT) {
        str_printf(&g->out, "%d", (int)pick(g, 9) - 3);
    } else if (type == BOOL) {
        str_append(&g->out, pick(g, 2) ? "true" : "false");
    } else {
        unsigned scalar = type < INT ? FLOAT : type < BOOL ? INT : type < MAT2 ? BOOL : FLOAT;
        str_printf(&g->out, "%s(", type_names[type]);
        literal(g, scalar);
        str_char(&g->out, ')');
    }
}

/* A variable of the type (an element of an array, a column or components of something wider), or nothing. */
static bool reference(struct gen *g, unsigned type, bool write) {
    static const char *const swizzles[4][3] = {{"x", "y", "x"}, {"xy", "yx", "ts"}, {"xyz", "bgr", "yzx"}, {"xyzw", "wzyx", "rgba"}};
    unsigned start = g->var_count ? pick(g, g->var_count) : 0;
    for (unsigned k = 0; k < g->var_count; k++) {
        const struct variable *v = &g->vars[(start + k) % g->var_count];
        if (write && !v->writable) {
            continue;
        }
        if (v->type == type) {
            str_append(&g->out, v->name);
            if (v->length) {
                str_char(&g->out, '[');
                if (pick(g, 2)) {
                    str_printf(&g->out, "%u", pick(g, v->length));
                } else { /* never a constant, which would be checked */
                    call_text(g, "(", INT, 3, ") - 2 + v1");
                }
                str_char(&g->out, ']');
            }
            return true;
        }
        bool same_kind = type < MAT2 && v->type < MAT2 && type / 4 == v->type / 4;
        if (!v->length && same_kind && v->type > type) {
            str_printf(&g->out, "%s.%s", v->name, swizzles[type % 4][pick(g, 3)]);
            return true;
        }
        if (!v->length && v->type >= MAT2 && type == VEC2 + (v->type - MAT2)) {
            str_printf(&g->out, "%s[%u]", v->name, pick(g, v->type - MAT2 + 2));
            return true;
        }
    }
    return false;
}

static void float_function(struct gen *g, unsigned type, unsigned depth) {
    static const char *const ones[] = {"sin", "cos", "abs", "floor", "fract", "sign", "sqrt", "exp2", "ceil", "normalize",
                                       "inversesqrt", "log2", "tan", "atan", "radians", "asin"};
    static const char *const twos[] = {"min", "max", "mod", "step", "pow", "reflect", "atan"};
    static const char *const threes[] = {"clamp", "mix", "smoothstep", "faceforward"};
    unsigned kind = pick(g, 4);
    if (kind < 2) {
        str_append(&g->out, ones[pick(g, 16)]);
        call_text(g, "(", type, depth, ")");
    } else if (kind == 2) {
        str_append(&g->out, twos[pick(g, 7)]);
        call_text(g, "(", type, depth, ", ");
        call_text(g, "", type, depth, ")");
    } else {
        str_append(&g->out, threes[pick(g, 4)]);
        call_text(g, "(", type, depth, ", ");
        call_text(g, "", type, depth, ", ");
        call_text(g, "", type, depth, ")");
    }
}

static void bool_expression(struct gen *g, unsigned type, unsigned depth) {
    static const char *const relations[] = {"<", ">", "<=", ">=", "==", "!="};
    static const char *const logic[] = {"&&", "||", "^^"};
    if (type != BOOL) {
        static const char *const functions[] = {"lessThan", "greaterThanEqual", "equal", "notEqual"};
        unsigned operand = (pick(g, 2) ? FLOAT : INT) + (type - BOOL);
        str_append(&g->out, functions[pick(g, 4)]);
        call_text(g, "(", operand, depth, ", ");
        call_text(g, "", operand, depth, ")");
        return;
    }
    switch (pick(g, 5)) {
    case 0: call_text(g, "!(", BOOL, depth, ")"); break;
    case 1: call_text(g, "(", BOOL, depth, " "); call_text(g, logic[pick(g, 3)], BOOL, depth, ")"); break;
    case 2: call_text(g, pick(g, 2) ? "any(" : "all(", BVEC2 + pick(g, 3), depth, ")"); break;
    default: {
        unsigned operand = pick(g, 2) ? FLOAT : INT;
        call_text(g, "(", operand, depth, " ");
        str_append(&g->out, relations[pick(g, 6)]);
        call_text(g, " ", operand, depth, ")");
    }
    }
}

static bool function_call(struct gen *g, unsigned type, unsigned depth) {
    for (unsigned i = 0; i < g->function_count; i++) {
        const struct function *f = &g->functions[i];
        bool plain = true;
        for (unsigned k = 0; k < f->count; k++) {
            plain &= !f->inout[k];
        }
        if (f->result != type || !plain) {
            continue;
        }
        str_printf(&g->out, "%s(", f->name);
        for (unsigned k = 0; k < f->count; k++) {
            call_text(g, k ? ", " : "", f->params[k], depth, "");
        }
        str_char(&g->out, ')');
        return true;
    }
    return false;
}

/* A constructor from parts that fill the type exactly. */
static void constructor(struct gen *g, unsigned type, unsigned depth) {
    unsigned scalar = type < INT ? FLOAT : type < BOOL ? INT : type < MAT2 ? BOOL : FLOAT;
    unsigned need = type < MAT2 ? type % 4 + 1 : (type - MAT2 + 2) * (type - MAT2 + 2);
    str_printf(&g->out, "%s(", type_names[type]);
    for (unsigned have = 0; have < need;) {
        unsigned part = pick(g, need - have < 4 ? need - have : 4), kind = pick(g, 3);
        call_text(g, have ? ", " : "", (kind == 0 ? scalar : kind == 1 ? FLOAT : INT) + part, depth, "");
        have += part + 1;
    }
    str_char(&g->out, ')');
}

static void arithmetic(struct gen *g, unsigned type, unsigned depth) {
    static const char *const ops[] = {" + ", " - ", " * ", " / "};
    unsigned scalar = type >= INT && type < BOOL ? INT : FLOAT, op = pick(g, 4);
    if (op == 2 && type >= VEC2 && type <= VEC4 && pick(g, 3) == 0) { /* with a matrix */
        unsigned matrix = MAT2 + (type - VEC2), first = pick(g, 2);
        call_text(g, "(", first ? matrix : type, depth, " * ");
        call_text(g, "", first ? type : matrix, depth, ")");
        return;
    }
    unsigned shape = pick(g, 4);
    call_text(g, "(", shape == 1 ? scalar : type, depth, ops[op]);
    call_text(g, "", shape == 2 ? scalar : type, depth, ")");
}

static void expression(struct gen *g, unsigned type, unsigned depth) {
    if (depth >= 5 || g->budget == 0) {
        if (!reference(g, type, false)) {
            literal(g, type);
        }
        return;
    }
    g->budget--;
    depth++;
    switch (pick(g, 9)) {
    case 0: literal(g, type); return;
    case 1:
    case 2:
        if (!reference(g, type, false)) {
            literal(g, type);
        }
        return;
    case 3:
        if (type < MAT2 || pick(g, 2)) {
            constructor(g, type, depth);
            return;
        }
        literal(g, type);
        return;
    case 4:
        call_text(g, "(", BOOL, depth, " ? ");
        call_text(g, "", type, depth, " : ");
        call_text(g, "", type, depth, ")");
        return;
    case 5:
        if (function_call(g, type, depth)) {
            return;
        }
        break;
    case 6:
        if (type == FLOAT) {
            unsigned vector = VEC2 + pick(g, 3);
            call_text(g, pick(g, 2) ? "dot(" : "distance(", vector, depth, ", ");
            call_text(g, "", vector, depth, ")");
            return;
        }
        if (type == VEC4) {
            call_text(g, "texture2D(tex, ", VEC2, depth, ")");
            return;
        }
        break;
    default: break;
    }
    if (type >= BOOL && type < MAT2) {
        bool_expression(g, type, depth);
    } else if (type <= VEC4 && pick(g, 3) == 0) {
        float_function(g, type, depth);
    } else {
        arithmetic(g, type, depth);
    }
}

/* ---- statements ------------------------------------------------------------------------------------- */

static void declare(struct gen *g, unsigned type, unsigned length, bool writable) {
    if (g->var_count < MAX_VARS) {
        struct variable *v = &g->vars[g->var_count++];
        snprintf(v->name, sizeof v->name, "v%u", g->next_name++);
        v->type = type;
        v->length = length;
        v->writable = writable;
    }
}

static void block(struct gen *g);

static void declaration(struct gen *g) {
    unsigned type = pick(g, TYPES), length = pick(g, 5) == 0 ? 2 + pick(g, 3) : 0;
    if (g->var_count >= MAX_VARS) {
        return;
    }
    str_printf(&g->out, "%s v%u", type_names[type], g->next_name);
    if (length) {
        str_printf(&g->out, "[%u]", length);
    } else if (pick(g, 4)) {
        call_text(g, " = ", type, 0, "");
    }
    str_append(&g->out, ";\n");
    declare(g, type, length, true);
}

static void assignment(struct gen *g) {
    static const char *const ops[] = {" = ", " += ", " *= ", " -= "};
    unsigned type = pick(g, TYPES);
    size_t length = g->out.length;
    if (!reference(g, type, true)) {
        return;
    }
    if (strstr(g->out.text + length, ".x") && type > FLOAT && type != INT && type != BOOL && strstr(g->out.text + length, "xx")) {
        g->out.length = length; /* no component twice */
        g->out.text[length] = '\0';
        return;
    }
    bool boolean = type >= BOOL && type < MAT2;
    call_text(g, ops[boolean ? 0 : pick(g, 4)], type, 0, ";\n");
}

static void counted_loop(struct gen *g) {
    unsigned vars = g->var_count, name = g->next_name;
    if (g->loops >= 2 || vars >= MAX_VARS) {
        return;
    }
    switch (pick(g, 3)) {
    case 0: str_printf(&g->out, "for (int v%u = 0; v%u < %u; v%u++) {\n", name, name, 1 + pick(g, 5), name); break;
    case 1: str_printf(&g->out, "for (int v%u = %u; v%u > 0; --v%u) {\n", name, 1 + pick(g, 4), name, name); break;
    default:
        str_printf(&g->out, "for (int v%u = 0; v%u < 6; v%u += 2) {\nif (", name, name, name);
        expression(g, BOOL, 1);
        str_append(&g->out, pick(g, 2) ? ") break;\n" : ") continue;\n");
    }
    declare(g, INT, 0, false);
    g->loops++;
    block(g);
    g->loops--;
    str_append(&g->out, "}\n");
    g->var_count = vars;
}

static void branch(struct gen *g) {
    unsigned vars = g->var_count;
    call_text(g, "if (", BOOL, 0, ") {\n");
    block(g);
    g->var_count = vars;
    if (pick(g, 2)) {
        str_append(&g->out, "} else {\n");
        block(g);
        g->var_count = vars;
    }
    str_append(&g->out, "}\n");
}

/* A call with inout parameters, each a variable of its own. */
static void procedure_call(struct gen *g) {
    if (!g->function_count) {
        return;
    }
    const struct function *f = &g->functions[pick(g, g->function_count)];
    size_t length = g->out.length;
    str_printf(&g->out, "%s(", f->name);
    for (unsigned k = 0; k < f->count; k++) {
        str_append(&g->out, k ? ", " : "");
        if (!f->inout[k]) {
            expression(g, f->params[k], 2);
        } else {
            unsigned i = 0;
            while (i < g->var_count && !(g->vars[i].type == f->params[k] && !g->vars[i].length && g->vars[i].writable)) {
                i++;
            }
            if (i == g->var_count) {
                g->out.length = length;
                g->out.text[length] = '\0';
                return;
            }
            str_append(&g->out, g->vars[i].name);
        }
    }
    str_append(&g->out, ");\n");
}

static void block(struct gen *g) {
    unsigned count = 1 + pick(g, 4);
    if (++g->depth < 5) {
        for (unsigned i = 0; i < count && g->budget; i++) {
            switch (pick(g, 9)) {
            case 0:
            case 1: declaration(g); break;
            case 2:
            case 3:
            case 4: assignment(g); break;
            case 5: counted_loop(g); break;
            case 6: branch(g); break;
            case 7: procedure_call(g); break;
            default: str_append(&g->out, "if (p.x > 1.0 && v2.y > 2.75) discard;\n");
            }
        }
    }
    g->depth--;
}

static void function(struct gen *g) {
    struct function f;
    unsigned vars = g->var_count;
    snprintf(f.name, sizeof f.name, "f%u", g->function_count);
    f.result = pick(g, TYPES);
    f.count = 1 + pick(g, 3);
    str_printf(&g->out, "%s %s(", type_names[f.result], f.name);
    for (unsigned k = 0; k < f.count; k++) {
        f.params[k] = pick(g, TYPES);
        f.inout[k] = pick(g, 3) == 0;
        str_printf(&g->out, "%s%s%s v%u", k ? ", " : "", f.inout[k] ? "inout " : "", type_names[f.params[k]], g->next_name);
        declare(g, f.params[k], 0, true);
    }
    str_append(&g->out, ") {\n");
    block(g);
    if (pick(g, 2)) {
        call_text(g, "if (", BOOL, 2, ") return ");
        call_text(g, "", f.result, 2, ";\n");
    }
    block(g);
    call_text(g, "return ", f.result, 1, ";\n}\n");
    g->var_count = vars;
    g->functions[g->function_count++] = f;
}

static void generate(struct gen *g) {
    str_append(&g->out, "precision highp float;\nprecision highp int;\nuniform sampler2D tex;\nuniform vec4 v0[3];\nuniform int v1;\n"
                        "uniform vec3 v2;\nuniform mat3 v3;\nvec4 v4 = vec4(0.5);\nvec2 p;\n");
    declare(g, VEC4, 3, false);
    declare(g, INT, 0, false);
    declare(g, VEC3, 0, false);
    declare(g, MAT3, 0, false);
    declare(g, VEC4, 0, true);
    for (unsigned i = pick(g, MAX_FUNCTIONS); i > 0; i--) {
        function(g);
    }
    str_append(&g->out, "void main() {\np = gl_FragCoord.xy;\n");
    str_printf(&g->out, "vec2 v%u = gl_FragCoord.yx;\n", g->next_name);
    declare(g, VEC2, 0, true);
    for (unsigned i = 0; i < 6; i++) {
        block(g);
    }
    g->budget += 10;
    call_text(g, "gl_FragColor = v4 + ", VEC4, 1, ";\n}\n");
}

/* ---- running ---------------------------------------------------------------------------------------- */

static void sample(void *context, const struct vliw_tex_request *request) {
    (void)context;
    for (unsigned lane = 0; lane < LANES; lane++) {
        float s = request->coord[0][lane], t = request->coord[1][lane];
        request->result[0][lane] = s == s ? s : 0.0f;
        request->result[1][lane] = t == t ? t : 0.0f;
        request->result[2][lane] = 0.25f;
        request->result[3][lane] = 1.0f;
    }
}

static float global_value(unsigned i) { return (float)(i % 7) - 1.5f + (float)(i % 3) * 0.25f; }

/* Uniforms get values by name, so that both programs see the same whatever their registers. */
static void fill_globals(const struct glslc_program *p, uint32_t *globals) {
    const struct glslc_uniform *list;
    unsigned count = glslc_program_uniforms(p, &list);
    for (unsigned i = 0; i < count; i++) {
        unsigned columns = list[i].type == GLSLC_FLOAT_MAT3 ? 3 : 1;
        unsigned comps = list[i].type == GLSLC_INT ? 1 : list[i].type == GLSLC_FLOAT_VEC4 ? 4 : 3;
        for (unsigned e = 0; list[i].type != GLSLC_SAMPLER_2D && list[i].stage[1].reg >= 0 && e < list[i].array_size * columns; e++) {
            for (unsigned c = 0; c < comps; c++) {
                float value = list[i].type == GLSLC_INT ? 2.0f : global_value(e * 4 + c + (unsigned)list[i].name[1] * 5);
                globals[((unsigned)list[i].stage[1].reg + e) * 4 + list[i].stage[1].comp + c] = bits_from_float(value);
            }
        }
    }
}

/* NaN is one value, whatever its bits. */
static uint32_t canonical(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits; }

static void set_coordinate(unsigned lane, float coord[4]) {
    coord[0] = 0.5f + (float)(lane & 1);
    coord[1] = 0.5f + (float)(lane >> 1);
    coord[2] = 0.25f;
    coord[3] = 1.0f;
}

/* The same quad by the executor. */
static enum vliw_status run_fast(const struct vliw_program *program, const uint32_t *globals, uint32_t out[4 * LANES]) {
    const struct vliw_info *info = vliw_program_info(program);
    float *constants = aligned_alloc(64, (vliw_program_constants(program) * sizeof *constants + 64) & ~(size_t)63);
    struct vliw_batch *batch = vliw_batch_create();
    struct vliw_run run_state = {.sample = sample, .budget = 1u << 20, .constants = constants};
    run_state.active.w[0] = 15;
    vliw_program_prepare(program, (const float *)globals, info->globals, constants);
    vliw_batch_bind(batch, program);
    for (uint32_t i = 0; i < info->input_count; i++) {
        for (unsigned c = 0; info->inputs[i].semantic == VLIW_SEM_FRAG_COORD && c < 4; c++) {
            float *lanes = vliw_batch_input(batch, i, c);
            for (unsigned lane = 0; lanes && lane < LANES; lane++) {
                float coord[4];
                set_coordinate(lane, coord);
                lanes[lane] = coord[c];
            }
        }
    }
    enum vliw_status status = vliw_batch_run(batch, &run_state);
    for (uint32_t i = 0; i < info->output_count; i++) {
        for (unsigned k = 0; k < 4 * LANES; k++) {
            const float *lanes = vliw_batch_output(batch, i, k / LANES);
            bool live = lanes && (run_state.live.w[0] >> (k % LANES) & 1);
            out[k] = !live || status != VLIW_OK ? 0 : canonical(bits_from_float(lanes[k % LANES]));
        }
    }
    vliw_batch_destroy(batch);
    free(constants);
    return status;
}

/* Outputs of the four lanes as bits; NaN as one value; dead lanes 0. Returns false if it could not run, or if the
   executor differs. */
static bool run(const char *text, bool no_optimise, uint32_t out[4 * LANES], enum vliw_status *status) {
    struct glslc_options options;
    glslc_options_init(&options);
    options.no_optimise = no_optimise;
    const char *vertex = "void main() { gl_Position = vec4(0.0); }";
    struct glslc_shader *v = glslc_compile(VLIW_STAGE_VERTEX, 1, &vertex, NULL, &options);
    struct glslc_shader *f = glslc_compile(VLIW_STAGE_FRAGMENT, 1, &text, NULL, &options);
    struct glslc_program *p = glslc_link(v, f, NULL, 0, "fuzz", &options);
    struct vliw_program *program = NULL;
    struct vliw_error error = {0};
    memset(out, 0, 4 * LANES * sizeof *out);
    if (!glslc_program_ok(p)) {
        printf("%s\n%s%s", text, glslc_shader_log(f), glslc_program_log(p));
    } else if (vliw_program_create(glslc_program_image(p, VLIW_STAGE_FRAGMENT), &program, &error) != VLIW_OK) {
        printf("%s\nrefused: %s\n", text, error.message);
    }
    bool ok = program != NULL;
    if (ok) {
        const struct vliw_info *info = vliw_program_info(program);
        uint32_t *globals = calloc((size_t)info->globals + 1, 16), *gpr = calloc((size_t)info->gprs + 1, 16 * LANES);
        struct vliw_run run_state = {.sample = sample, .budget = 1u << 20};
        run_state.active.w[0] = 15;
        fill_globals(p, globals);
        for (uint32_t i = 0; i < info->input_count; i++) {
            for (unsigned c = 0; info->inputs[i].semantic == VLIW_SEM_FRAG_COORD && c < 4; c++) {
                for (unsigned lane = 0; lane < LANES; lane++) {
                    float coord[4];
                    set_coordinate(lane, coord);
                    gpr[(info->inputs[i].reg * 4u + c) * LANES + lane] = bits_from_float(coord[c]);
                }
            }
        }
        *status = vliw_ref_run(program, gpr, globals, info->globals, &run_state);
        for (uint32_t i = 0; i < info->output_count; i++) {
            for (unsigned k = 0; k < 4 * LANES; k++) {
                uint32_t bits = gpr[(info->outputs[i].reg * 4u + k / LANES) * LANES + k % LANES];
                bool live = run_state.live.w[0] >> (k % LANES) & 1;
                out[k] = !live || *status != VLIW_OK ? 0 : canonical(bits);
            }
        }
        uint32_t fast[4 * LANES] = {0};
        if (!no_optimise && (run_fast(program, globals, fast) != *status || memcmp(fast, out, sizeof fast) != 0)) {
            printf("%s\nthe executor differs from the reference interpreter\n", text);
            ok = false;
        }
        free(globals);
        free(gpr);
    }
    vliw_program_destroy(program);
    glslc_program_destroy(p);
    glslc_shader_destroy(v);
    glslc_shader_destroy(f);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct gen *g = calloc(1, sizeof *g);
    uint32_t fast[4 * LANES], slow[4 * LANES];
    enum vliw_status status[2] = {VLIW_OK, VLIW_OK};
    g->at = data;
    g->end = data + size;
    g->budget = 120;
    str_init(&g->out);
    generate(g);
    if (!run(g->out.text, false, fast, &status[0]) || !run(g->out.text, true, slow, &status[1])) {
        fflush(stdout);
        abort();
    }
    if (status[0] == VLIW_OK && status[1] == VLIW_OK && memcmp(fast, slow, sizeof fast) != 0) {
        printf("%s\n", g->out.text);
        for (unsigned k = 0; k < 4 * LANES; k++) {
            printf("lane %u .%c: optimised %08x not %08x\n", k % LANES, "xyzw"[k / LANES], fast[k], slow[k]);
        }
        fflush(stdout);
        abort();
    }
    str_fini(&g->out);
    free(g);
    return 0;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity) {
    size_t size = capacity < 1500 ? capacity : 1500;
    uint32_t state = 12345u + number * 7919u;
    if (number >= 64) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        out[i] = (uint8_t)(state >> 24);
    }
    return size;
}
