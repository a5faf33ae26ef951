/* SPDX-License-Identifier: MIT */
/* One lane's life, step by step, as JSON. The reference interpreter runs the words; nothing is decided here. */
#include "api/trace_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/base/bits.h"

#define MAX_STEPS 20000  /* more are counted, not told */
#define MAX_TEXELS 64    /* of one read (anisotropic filters take many) */

/* ---- pieces ---- */

void trace_number(struct str *out, double value, bool is_float) {
    char text[40];
    if (value != value || value > 1.7e308 || value < -1.7e308) {
        str_append(out, value != value ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) {
            break;
        }
    }
    str_append(out, text);
}

void trace_numbers(struct str *out, const float *values, unsigned count, unsigned step) {
    str_char(out, '[');
    for (unsigned i = 0; i < count; i++) {
        str_append(out, i ? ", " : "");
        trace_number(out, (double)values[i * step], true);
    }
    str_char(out, ']');
}

void trace_string(struct str *out, const char *text) {
    str_char(out, '"');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '\n') {
            str_append(out, "\\n");
        } else if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '<') {
            str_printf(out, "\\u%04x", c);
        } else {
            str_char(out, (char)c);
        }
    }
    str_char(out, '"');
}

static double double_of(uint32_t low, uint32_t high) {
    const uint64_t bits = (uint64_t)high << 32 | low;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- code ---- */

/* The assembler text of each instruction: the disassembler ends its lines with "// UNIT: words". */
static void add_instructions(struct str *out, const struct vliw_program *program) {
    struct vliw_image_desc desc;
    vliw_program_describe(program, &desc);
    desc.lines = NULL; /* an instruction of several lines would be printed as bare words */
    struct vliw_image *image = vliw_image_create(&desc);
    char *text = image ? vliw_disassemble(image) : NULL;
    bool first = true;
    str_append(out, "[");
    for (char *line = text; line && *line;) {
        char *end = line + strcspn(line, "\n");
        const bool last = *end == '\0';
        *end = '\0';
        char *mark = strstr(line, "// ");
        char *after = NULL;
        const unsigned long unit = mark ? strtoul(mark + 3, &after, 10) : 0;
        if (mark && after != mark + 3 && *after == ':') {
            uint32_t words = 0; /* the instruction's, in hexadecimal behind the colon */
            for (const char *at = after; (at = strchr(at, ' ')) != NULL && at[1] != '-'; at++) {
                words++;
            }
            while (mark > line && mark[-1] == ' ') {
                mark--;
            }
            *mark = '\0';
            str_printf(out, "%s\n      {\"unit\": %lu, \"lines\": [", first ? "" : ",", unit);
            uint32_t told[8], told_count = 0;
            for (uint32_t w = 0; w < words && told_count < 8; w++) {
                const uint32_t source_line = vliw_program_line(program, (uint32_t)unit + w);
                bool known = source_line == 0;
                for (uint32_t k = 0; k < told_count; k++) {
                    known = known || told[k] == source_line;
                }
                if (!known) {
                    str_printf(out, "%s%u", told_count ? ", " : "", source_line);
                    told[told_count++] = source_line;
                }
            }
            str_append(out, "], \"text\": ");
            trace_string(out, line);
            str_append(out, "}");
            first = false;
        }
        line = last ? end : end + 1;
    }
    str_append(out, "]");
    vliw_free(text);
    vliw_image_destroy(image);
}

static void add_uniforms(struct str *out, const struct es_exec *exec, enum vliw_stage stage) {
    bool first = true;
    str_append(out, "[");
    for (unsigned i = 0; i < exec->uniform_count; i++) {
        const struct es_uniform *u = &exec->uniforms[i];
        if (u->info.stage[stage].reg < 0) {
            continue;
        }
        str_append(out, first ? "\n      {\"name\": " : ",\n      {\"name\": ");
        trace_string(out, u->info.name);
        if (u->base == ES_BASE_SAMPLER) {
            str_printf(out, ", \"sampler\": %d, \"unit\": %d}", u->info.stage[stage].reg, u->ints ? u->ints[0] : 0);
        } else {
            str_printf(out, ", \"register\": \"c%d\", \"values\": [", u->info.stage[stage].reg);
            for (uint32_t e = 0; e < u->info.stage[stage].elements; e++) {
                for (unsigned c = 0; c < u->columns; c++) {
                    const float *values = es_exec_registers(exec, u, stage, e, c);
                    if (values && u->base == ES_BASE_DOUBLE) {
                        str_append(out, e || c ? ", [" : "[");
                        trace_number(out, double_of(bits_from_float(values[0]), bits_from_float(values[1])), false);
                        str_append(out, "]");
                    } else if (values) {
                        str_append(out, e || c ? ", " : "");
                        trace_numbers(out, values, u->components, 1);
                    }
                }
            }
            str_append(out, "]}");
        }
        first = false;
    }
    str_append(out, "]");
}

void trace_code_text(struct str *out, const struct es_exec *exec, enum vliw_stage stage, const char *source) {
    const struct vliw_program *code[2];
    rn_program_code(exec->program, code);
    str_printf(out, "{\"stage\": \"%s\", \"source\": ", stage == VLIW_STAGE_VERTEX ? "vertex" : "fragment");
    trace_string(out, source ? source : "");
    str_append(out, ",\n     \"uniforms\": ");
    add_uniforms(out, exec, stage);
    str_append(out, ",\n     \"code\": ");
    add_instructions(out, code[stage]);
    str_append(out, "}");
}

/* ---- steps ---- */

struct run_state {
    const struct trace_quad *quad;
    const struct vliw_info *info;
    struct str *out;
    uint32_t *before;   /* registers of the lane, before the instruction */
    bool *is_double;    /* pairs of components that hold doubles then */
    bool *now_double;   /* the same behind it */
    struct str reads;   /* texture reads of the instruction that executes */
    uint32_t steps;
};

struct texel_state {
    struct run_state *run;
    const struct rn_view_desc *desc; /* NULL: the texture cannot be described */
    unsigned count;
};

/* Whose texel lies there, and what it holds. */
static void add_texel(void *user, unsigned lane, const void *block, uint64_t offset, uint32_t bytes) {
    struct texel_state *state = user;
    struct str *out = &state->run->reads;
    (void)bytes;
    if (lane != state->run->quad->lane || !state->desc || state->count >= MAX_TEXELS) {
        return;
    }
    const unsigned faces = state->desc->type == RN_TEXTURE_CUBE ? 6 : 1;
    for (unsigned face = 0; face < faces; face++) {
        for (unsigned level = 0; level < state->desc->levels; level++) {
            const struct rn_image *image = state->desc->images[face][level];
            if (!image || image->data != block || image->slice_bytes == 0 || image->row_bytes == 0) {
                continue;
            }
            const struct rn_format_info *format = rn_format_info((enum rn_format)image->format);
            const uint64_t row = offset % image->slice_bytes / image->row_bytes;
            const struct rn_box box = {(int32_t)(offset % image->row_bytes / format->bytes), (int32_t)row,
                                       (int32_t)(offset / image->slice_bytes), 1, 1, 1};
            float value[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            if (format->kind == RN_KIND_DEPTH) {
                uint32_t depth = 0;
                rn_image_read(image, &box, RN_LAYOUT_D_U32, &depth, sizeof depth);
                value[0] = (float)((double)depth / 4294967295.0);
            } else {
                rn_image_read(image, &box, RN_LAYOUT_RGBA_F32, value, sizeof value);
            }
            str_printf(out, "%s{\"level\": %u, \"face\": %u, \"at\": [%d, %d, %d], \"value\": ", state->count++ ? ", " : "",
                       level, face, box.x, box.y, box.z);
            trace_numbers(out, value, format->kind == RN_KIND_DEPTH ? 1 : 4, 1);
            str_append(out, "}");
            return;
        }
    }
}

static void run_sample(void *context, const struct vliw_tex_request *request) {
    static const char *const kinds[] = {"implicit", "bias", "explicit", "gradient"};
    struct run_state *run = context;
    const struct trace_quad *quad = run->quad;
    const unsigned lane = quad->lane;
    const struct es_exec *exec = quad->exec;
    const bool told = (request->mask.w[0] >> lane & 1) && run->steps < MAX_STEPS;
    struct str *out = &run->reads;
    if (told) {
        _Alignas(64) int32_t levels[VM_LANES] = {0};
        struct rn_view_desc desc;
        const uint32_t s = request->sampler;
        const struct es_texture *texture =
            s < ES_MAX_STAGE_SAMPLERS
                ? quad->ctx->textures[exec->sampler_unit[quad->stage][s]][exec->sampler_type[quad->stage][s]]
                : NULL;
        struct texel_state texels = {run, texture && es_texture_describe(texture, &desc) ? &desc : NULL, 0};
        rn_sample_levels(quad->sample_context, request, levels);
        str_printf(out, "%s{\"sampler\": %u, \"texture\": %u, \"kind\": \"%s\", \"at\": [", out->length ? ", " : "", s,
                   texture ? texture->name : 0, kinds[request->kind]);
        for (unsigned c = 0; c < 3 && request->coord[c]; c++) {
            str_append(out, c ? ", " : "");
            trace_number(out, (double)request->coord[c][lane], true);
        }
        str_append(out, "], \"level\": ");
        trace_number(out, (double)levels[lane] / 256.0, false);
        str_append(out, ", \"texels\": [");
        if (texels.desc) {
            rn_sample_texels(quad->sample_context, request, add_texel, &texels);
        }
        str_append(out, "], \"value\": ");
    }
    quad->sample(quad->sample_context, request);
    if (told) {
        const float value[4] = {request->result[0][lane], request->result[1][lane], request->result[2][lane],
                                request->result[3][lane]};
        trace_numbers(out, value, 4, 1);
        str_append(out, "}");
    }
}

/* A pair of the lane's registers as it was: does a double with these bits stand in one? Then this is a copy of it. */
static bool copies_double(const struct run_state *run, uint32_t low, uint32_t high) {
    for (uint32_t i = 0; (low | high) != 0 && i < run->info->gprs * 2; i++) { /* zeros are anybody's */
        if (run->is_double[i] && run->before[2 * i] == low && run->before[2 * i + 1] == high) {
            return true;
        }
    }
    return false;
}

/* Pairs of components that the instruction filled with doubles: register, first component, before, after. */
static void add_doubles(struct run_state *run, uint32_t unit, const uint32_t *gpr, bool told) {
    const unsigned lane = run->quad->lane;
    uint32_t reg;
    const unsigned mask = vliw_program_doubles(run->quad->program, unit, &reg);
    bool first = true;
    for (uint32_t i = 0; i < run->info->gprs * 2; i++) {
        const uint32_t low = gpr[(size_t)2 * i * 4 + lane], high = gpr[((size_t)2 * i + 1) * 4 + lane];
        const bool made = i / 2 == reg && (mask >> i % 2 * 2 & 1);
        const bool changed = low != run->before[2 * i] || high != run->before[2 * i + 1];
        run->now_double[i] = made || (changed ? copies_double(run, low, high) : run->is_double[i]);
        if (!told || !changed || !run->now_double[i]) {
            continue;
        }
        str_printf(run->out, "%s[%u, %u, ", first ? ", \"doubles\": [" : ", ", i / 2, i % 2 * 2);
        trace_number(run->out, double_of(run->before[2 * i], run->before[2 * i + 1]), false);
        str_append(run->out, ", ");
        trace_number(run->out, double_of(low, high), false);
        str_append(run->out, "]");
        first = false;
    }
    str_append(run->out, first ? "" : "]");
    memcpy(run->is_double, run->now_double, run->info->gprs * 2);
}

static void run_step(void *context, uint32_t unit, uint32_t next, unsigned lanes, const uint32_t *gpr) {
    struct run_state *run = context;
    const unsigned lane = run->quad->lane;
    struct str *out = run->out;
    (void)next;
    if (lanes >> lane & 1u) {
        if (run->steps < MAX_STEPS) {
            bool first = true;
            str_printf(out, "%s\n      {\"unit\": %u, \"writes\": [", run->steps ? "," : "", unit);
            for (uint32_t i = 0; i < run->info->gprs * 4; i++) {
                const uint32_t now = gpr[(size_t)i * 4 + lane];
                if (now != run->before[i]) {
                    str_printf(out, "%s[%u, %u, ", first ? "" : ", ", i / 4, i % 4);
                    trace_number(out, (double)bits_to_float(run->before[i]), true);
                    str_append(out, ", ");
                    trace_number(out, (double)bits_to_float(now), true);
                    str_append(out, "]");
                    first = false;
                }
            }
            str_append(out, "]");
            add_doubles(run, unit, gpr, true);
            if (run->reads.length) {
                str_append(out, ", \"reads\": [");
                str_append_n(out, run->reads.text, run->reads.length);
                str_append(out, "]");
            }
            str_append(out, "}");
        } else {
            add_doubles(run, unit, gpr, false);
        }
        run->steps++;
    }
    for (uint32_t i = 0; i < run->info->gprs * 4; i++) {
        run->before[i] = gpr[(size_t)i * 4 + lane];
    }
    str_clear(&run->reads);
}

/* ---- what goes in and comes out ---- */

static const char *input_name(const struct trace_quad *quad, const struct vliw_io *io, char text[32]) {
    switch (io->semantic) {
    case VLIW_SEM_FRAG_COORD: return "gl_FragCoord";
    case VLIW_SEM_FRONT_FACING: return "gl_FrontFacing";
    case VLIW_SEM_POINT_COORD: return "gl_PointCoord";
    case VLIW_SEM_LAST_FRAG: return "gl_LastFragData";
    case VLIW_SEM_POSITION: return "gl_Position";
    case VLIW_SEM_POINT_SIZE: return "gl_PointSize";
    case VLIW_SEM_COLOR: snprintf(text, 32, "color %u", io->index); return text;
    case VLIW_SEM_DEPTH: return "depth";
    case VLIW_SEM_ATTRIB:
        for (unsigned i = 0; i < quad->exec->attrib_count; i++) {
            const struct glslc_attribute *a = &quad->exec->attribs[i];
            if (io->index >= (unsigned)a->location && io->index < (unsigned)a->location + 4 &&
                (io->index == (unsigned)a->location || a->type >= GLSLC_FLOAT_MAT2)) {
                return a->name;
            }
        }
        break;
    default: break;
    }
    return "";
}

/* Varyings share registers: the names of those in this one. */
static void add_varying_names(struct str *out, const struct trace_quad *quad, const struct vliw_io *io) {
    const struct glslc_varying *varyings;
    const unsigned count = glslc_program_varyings(quad->exec->linked, &varyings);
    struct str names;
    str_init(&names);
    for (unsigned i = 0; i < count; i++) {
        if (varyings[i].reg == io->index) {
            str_printf(&names, "%s%s.%.*s", names.length ? ", " : "", varyings[i].name, varyings[i].components,
                       &"xyzwxyzw"[varyings[i].comp & 3]);
        }
    }
    trace_string(out, names.text);
    str_fini(&names);
}

static void add_io(struct str *out, const struct trace_quad *quad, const struct vliw_io *io, const float *values,
                   unsigned step, bool first) {
    char text[32];
    str_append(out, first ? "\n      {\"name\": " : ",\n      {\"name\": ");
    if (io->semantic == VLIW_SEM_VARYING) {
        add_varying_names(out, quad, io);
    } else {
        trace_string(out, input_name(quad, io, text));
    }
    str_printf(out, ", \"register\": %u, \"mask\": %u, \"values\": ", io->reg, io->mask);
    trace_numbers(out, values, 4, step);
    str_append(out, "}");
}

/* Same bits, or two NaNs. */
static bool same_value(uint32_t a, float b) {
    const float value = bits_to_float(a);
    return a == bits_from_float(b) || (value != value && b != b);
}

void trace_run_text(struct str *out, const struct trace_quad *quad) {
    const struct vliw_info *info = vliw_program_info(quad->program);
    struct run_state run = {.quad = quad, .info = info, .out = out};
    uint32_t *gpr = calloc((size_t)info->gprs * 16 + 16, sizeof *gpr);
    run.before = calloc((size_t)info->gprs * 4 + 4, sizeof *run.before);
    run.is_double = calloc((size_t)info->gprs * 2 + 2, sizeof *run.is_double);
    run.now_double = calloc((size_t)info->gprs * 2 + 2, sizeof *run.now_double);
    str_init(&run.reads);
    str_append(out, "\"inputs\": [");
    for (uint32_t i = 0; gpr && run.before && i < info->input_count; i++) {
        const struct vliw_io *io = &info->inputs[i];
        for (unsigned c = 0; c < 4; c++) {
            for (unsigned lane = 0; lane < 4 && (io->mask >> c & 1); lane++) {
                gpr[((size_t)io->reg * 4 + c) * 4 + lane] = bits_from_float(quad->inputs[((size_t)i * 4 + c) * 4 + lane]);
            }
        }
        add_io(out, quad, io, quad->inputs + (size_t)i * 16 + quad->lane, 4, i == 0);
    }
    str_append(out, "],\n     \"steps\": [");
    enum vliw_status status = VLIW_ERR_MEMORY;
    bool live = true;
    if (gpr && run.before && run.is_double && run.now_double) {
        struct vliw_run request = {.sample = run_sample,
                                   .sample_context = &run,
                                   .step = run_step,
                                   .step_context = &run};
        request.active.w[0] = 15;
        for (uint32_t i = 0; i < info->gprs * 4; i++) {
            run.before[i] = gpr[(size_t)i * 4 + quad->lane];
        }
        status = vliw_ref_run(quad->program, gpr, (const uint32_t *)(const void *)quad->exec->globals[quad->stage],
                              quad->exec->global_count[quad->stage], &request);
        live = request.live.w[0] >> quad->lane & 1;
    }
    str_printf(out, "],\n     \"step_count\": %u, \"status\": ", run.steps);
    trace_string(out, status == VLIW_OK ? "ok" : vliw_status_text(status));
    str_append(out, ", \"outputs\": [");
    bool agrees = status == VLIW_OK && (!quad->outputs || live == quad->live);
    for (uint32_t i = 0; status == VLIW_OK && i < info->output_count; i++) {
        const struct vliw_io *io = &info->outputs[i];
        float values[4];
        for (unsigned c = 0; c < 4; c++) {
            const uint32_t bits = gpr[((size_t)io->reg * 4 + c) * 4 + quad->lane];
            values[c] = bits_to_float(bits);
            agrees = agrees && (!quad->outputs || !live || !(io->mask >> c & 1) || same_value(bits, quad->outputs[i * 4 + c]));
        }
        add_io(out, quad, io, values, 1, i == 0);
    }
    str_printf(out, "], \"discarded\": %s, \"agrees\": %s", live ? "false" : "true", agrees ? "true" : "false");
    str_fini(&run.reads);
    free(run.before);
    free(run.is_double);
    free(run.now_double);
    free(gpr);
}
