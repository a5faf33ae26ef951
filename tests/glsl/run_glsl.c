/* SPDX-License-Identifier: MIT */
/*
 * run_glsl FOLDER [--update]: text cases of the compiler, numbered pairs NAME.vert or NAME.frag and
 * NAME.expected.
 *
 * In a folder whose name ends in "errors" the expected text is the shader's log, exactly; "accepted" alone
 * stands for an empty log. In every other folder the shader is compiled with and without optimisation, run
 * by the reference interpreter on one quad (2 x 2 pixels at (0.5, 0.5)), and must print, both times, the
 * expected values: gl_FragColor (gl_Position of a vertex shader) of each lane, one line if all are equal.
 * Comment lines "//! name = v v ..." set a uniform (arrays element after element), an attribute or a
 * varying (the same in all lanes). --update writes the expected files instead of comparing: read the
 * difference before it is committed.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/read_file.h"
#include "vm/base/bits.h"
#include "vm/base/str.h"
#include "vm/include/glslc.h"

enum { LANES = 4 };

static bool update;
static unsigned passed, failed;

static void finish(const char *path, const char *got) {
    char expected_path[1024];
    snprintf(expected_path, sizeof expected_path, "%.*s.expected", (int)(strrchr(path, '.') - path), path);
    if (update) {
        FILE *file = fopen(expected_path, "wb");
        if (file) {
            fputs(got, file);
            fclose(file);
        }
        passed++;
        return;
    }
    char *expected = read_file(expected_path);
    if (expected && strcmp(expected, got) == 0) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s\n--- expected\n%s--- got\n%s", path, expected ? expected : "(no file)\n", got);
    }
    free(expected);
}

/* ---- values ----------------------------------------------------------------------------------------- */

struct setting {
    char name[128];
    float values[256];
    double doubles[256];      /* the same, for uniforms that are doubles */
    unsigned count;
};

struct run_state {
    struct setting settings[32];
    unsigned setting_count;
};

static void read_settings(const char *text, struct run_state *state) {
    state->setting_count = 0;
    for (const char *at = strstr(text, "//!"); at && state->setting_count < 32; at = strstr(at + 3, "//!")) {
        struct setting *s = &state->settings[state->setting_count];
        int used = 0;
        if (sscanf(at, "//! %127[^ =] = %n", s->name, &used) < 1 || !used) {
            continue;
        }
        const char *number = at + used;
        s->count = 0;
        for (char *end; *number && *number != '\n' && s->count < 256; number = end) {
            float value = strtof(number, &end);
            if (end == number) {
                break;
            }
            s->doubles[s->count] = strtod(number, NULL);
            s->values[s->count++] = value;
        }
        state->setting_count++;
    }
}

static const struct setting *find_setting(const struct run_state *state, const char *name) {
    for (unsigned i = 0; i < state->setting_count; i++) {
        if (strcmp(state->settings[i].name, name) == 0) {
            return &state->settings[i];
        }
    }
    return NULL;
}

/* Writes the settings of uniforms into the global registers of a stage. */
static void set_uniforms(const struct glslc_program *p, unsigned stage, const struct run_state *state, float *globals) {
    const struct glslc_uniform *uniforms;
    unsigned count = glslc_program_uniforms(p, &uniforms);
    for (unsigned i = 0; i < count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", uniforms[i].name);
        char *bracket = uniforms[i].is_array ? strrchr(name, '[') : NULL;
        if (bracket) {
            *bracket = '\0';
        }
        const struct setting *s = find_setting(state, name);
        unsigned columns, comps = glslc_type_shape(uniforms[i].type, &columns), at = 0;
        for (unsigned e = 0; s && uniforms[i].stage[stage].reg >= 0 && e < uniforms[i].stage[stage].elements; e++) {
            for (unsigned c = 0; c < columns; c++) {
                unsigned reg = (unsigned)uniforms[i].stage[stage].reg + e * uniforms[i].stage[stage].stride + c;
                if (glslc_type_is_double(uniforms[i].type) && at < s->count) {
                    uint64_t bits;
                    memcpy(&bits, &s->doubles[at++], sizeof bits);
                    const uint32_t words[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
                    memcpy(&globals[reg * 4 + uniforms[i].stage[stage].comp], words, sizeof words);
                    continue;
                }
                for (unsigned k = 0; k < comps && at < s->count; k++) {
                    globals[reg * 4 + uniforms[i].stage[stage].comp + k] = s->values[at++];
                }
            }
        }
    }
}

static void set_gpr(uint32_t *gpr, const struct vliw_io *io, unsigned comp, unsigned lane, float value) {
    if (io->mask & (1u << comp)) {
        gpr[(io->reg * 4u + comp) * LANES + lane] = bits_from_float(value);
    }
}

static void set_inputs(const struct vliw_info *info, const struct glslc_program *p, const struct run_state *state,
                       uint32_t *gpr) {
    for (uint32_t i = 0; i < info->input_count; i++) {
        const struct vliw_io *io = &info->inputs[i];
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (io->semantic == VLIW_SEM_FRAG_COORD) {
                set_gpr(gpr, io, 0, lane, 0.5f + (float)(lane & 1));
                set_gpr(gpr, io, 1, lane, 0.5f + (float)(lane >> 1));
                set_gpr(gpr, io, 2, lane, 0.25f);
                set_gpr(gpr, io, 3, lane, 1.0f);
            } else if (io->semantic == VLIW_SEM_FRONT_FACING) {
                set_gpr(gpr, io, 0, lane, 1.0f);
            }
        }
    }
    const struct glslc_attribute *attributes;
    const struct glslc_varying *varyings;
    unsigned attribute_count = glslc_program_attributes(p, &attributes);
    unsigned varying_count = glslc_program_varyings(p, &varyings);
    for (uint32_t i = 0; i < info->input_count; i++) {
        const struct vliw_io *io = &info->inputs[i];
        for (unsigned k = 0; io->semantic == VLIW_SEM_ATTRIB && k < attribute_count; k++) {
            const struct setting *s = find_setting(state, attributes[k].name);
            unsigned columns, comps = glslc_type_shape(attributes[k].type, &columns);
            unsigned column = io->index - (unsigned)attributes[k].location;
            for (unsigned c = 0; s && column < columns && c < comps; c++) {
                for (unsigned lane = 0; lane < LANES; lane++) {
                    set_gpr(gpr, io, c, lane, s->values[column * comps + c]);
                }
            }
        }
        for (unsigned k = 0, row = 0; io->semantic == VLIW_SEM_VARYING && k < varying_count; k++) {
            row = k && strcmp(varyings[k].name, varyings[k - 1].name) == 0 ? row + 1 : 0;
            const struct setting *s = find_setting(state, varyings[k].name);
            for (unsigned c = 0; s && varyings[k].reg == io->index && c < varyings[k].components; c++) {
                for (unsigned lane = 0; lane < LANES; lane++) {
                    set_gpr(gpr, io, varyings[k].comp + c, lane, s->values[row * varyings[k].components + c]);
                }
            }
        }
    }
}

/* A texture whose texel depends on the request alone: (s, t, r, level), level -1 if implicit. */
static void sample(void *context, const struct vliw_tex_request *request) {
    (void)context;
    for (unsigned lane = 0; lane < LANES; lane++) {
        request->result[0][lane] = request->coord[0][lane];
        request->result[1][lane] = request->coord[1][lane];
        request->result[2][lane] = request->coord[2] ? request->coord[2][lane] : (float)request->sampler;
        request->result[3][lane] = request->lod ? request->lod[lane] : request->reference ? request->reference[lane] : -1.0f;
    }
}

static void print_values(const struct vliw_info *info, unsigned stage, const uint32_t *gpr, const struct vliw_run *run,
                         struct str *out) {
    uint8_t semantic = stage == VLIW_STAGE_VERTEX ? VLIW_SEM_POSITION : VLIW_SEM_COLOR;
    char lines[LANES][200];
    bool same = true;
    for (unsigned lane = 0; lane < LANES; lane++) {
        int used = 0;
        bool live = stage == VLIW_STAGE_VERTEX || (run->live.w[0] >> lane & 1);
        lines[lane][0] = '\0';
        for (uint32_t i = 0; live && i < info->output_count; i++) {
            for (unsigned c = 0; info->outputs[i].semantic == semantic && info->outputs[i].index == 0 && c < 4; c++) {
                float value = bits_to_float(gpr[(info->outputs[i].reg * 4u + c) * LANES + lane]);
                const char *space = c ? " " : "";
                used += value != value ? snprintf(lines[lane] + used, sizeof lines[lane] - (size_t)used, "%snan", space)
                                       : snprintf(lines[lane] + used, sizeof lines[lane] - (size_t)used, "%s%.9g", space,
                                                  (double)value);
            }
        }
        if (!live) {
            strcpy(lines[lane], "discarded");
        }
        same &= strcmp(lines[lane], lines[0]) == 0;
    }
    for (unsigned lane = 0; lane < (same ? 1u : LANES); lane++) {
        str_printf(out, "%s\n", lines[lane]);
    }
}

static void run_image(const struct glslc_program *p, unsigned stage, const struct run_state *state, struct str *out) {
    struct vliw_program *program;
    struct vliw_error error;
    if (vliw_program_create(glslc_program_image(p, (enum vliw_stage)stage), &program, &error) != VLIW_OK) {
        str_printf(out, "refused by the verifier: %s\n", error.message);
        return;
    }
    const struct vliw_info *info = vliw_program_info(program);
    float *globals = calloc((size_t)info->globals + 1, 4 * sizeof *globals);
    uint32_t *bits = calloc((size_t)info->globals + 1, 4 * sizeof *bits);
    uint32_t *gpr = calloc((size_t)info->gprs + 1, 4 * LANES * sizeof *gpr);
    struct vliw_run run = {.sample = sample};
    run.active.w[0] = 15;
    if (globals && bits && gpr) {
        set_uniforms(p, stage, state, globals);
        memcpy(bits, globals, info->globals * 4 * sizeof *bits);
        set_inputs(info, p, state, gpr);
        enum vliw_status status = vliw_ref_run(program, gpr, bits, glslc_program_globals(p, (enum vliw_stage)stage), &run);
        if (status == VLIW_OK) {
            print_values(info, stage, gpr, &run, out);
        } else {
            str_printf(out, "%s\n", vliw_status_text(status));
        }
    }
    free(globals);
    free(bits);
    free(gpr);
    vliw_program_destroy(program);
}

/* The partner that makes a program of a single stage: it declares what the text's varyings are. */
static char *make_partner(unsigned stage, const char *text) {
    struct str out;
    str_init(&out);
    if (stage == VLIW_STAGE_FRAGMENT) {
        for (const char *at = strstr(text, "varying "); at; at = strstr(at + 1, "varying ")) {
            str_append_n(&out, at, strcspn(at, ";") + 1);
            str_char(&out, '\n');
        }
        str_append(&out, "void main() { gl_Position = vec4(0.0); }\n");
    } else {
        str_append(&out, "void main() { gl_FragColor = vec4(0.0); }\n");
    }
    return str_take(&out);
}

static void run_values(const char *path, const char *text, unsigned stage) {
    struct run_state *state = calloc(1, sizeof *state);
    char *partner = make_partner(stage, text);
    struct str results[2];
    for (unsigned round = 0; state && partner && round < 2; round++) {
        struct glslc_options options;
        glslc_options_init(&options);
        options.extensions = GLSLC_EXT_ALL;
        options.no_optimise = round == 1;
        const char *texts[2] = {stage == VLIW_STAGE_VERTEX ? text : partner, stage == VLIW_STAGE_VERTEX ? partner : text};
        struct glslc_shader *v = glslc_compile(VLIW_STAGE_VERTEX, 1, &texts[0], NULL, &options);
        struct glslc_shader *f = glslc_compile(VLIW_STAGE_FRAGMENT, 1, &texts[1], NULL, &options);
        struct glslc_program *p = v && f ? glslc_link(v, f, NULL, 0, path, &options) : NULL;
        str_init(&results[round]);
        read_settings(text, state);
        if (p && glslc_program_ok(p)) {
            run_image(p, stage, state, &results[round]);
        } else if (p) {
            str_append(&results[round], glslc_shader_log(v));
            str_append(&results[round], glslc_shader_log(f));
            str_append(&results[round], glslc_program_log(p));
        }
        glslc_program_destroy(p);
        glslc_shader_destroy(v);
        glslc_shader_destroy(f);
    }
    if (strcmp(results[0].text, results[1].text) != 0) {
        failed++;
        printf("FAIL %s: optimised and not optimised differ\n%s---\n%s", path, results[0].text, results[1].text);
    } else {
        finish(path, results[0].text);
    }
    str_fini(&results[0]);
    str_fini(&results[1]);
    free(partner);
    free(state);
}

/* ---- folders ---------------------------------------------------------------------------------------- */

static void run_errors(const char *path, const char *text, unsigned stage) {
    struct glslc_options options;
    glslc_options_init(&options);
    options.extensions = GLSLC_EXT_ALL;
    const char *strings[1] = {text};
    struct glslc_shader *shader = glslc_compile((enum vliw_stage)stage, 1, strings, NULL, &options);
    if (shader) {
        const char *log = glslc_shader_log(shader);
        finish(path, *log ? log : "accepted\n");
    }
    glslc_shader_destroy(shader);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void run_case(const char *path, bool errors) {
    const char *dot = strrchr(path, '.');
    bool vertex = dot && strcmp(dot, ".vert") == 0;
    if (!vertex && !(dot && strcmp(dot, ".frag") == 0)) {
        return;
    }
    char *text = read_file(path);
    if (!text) {
        failed++;
        return;
    }
    (errors ? run_errors : run_values)(path, text, vertex ? VLIW_STAGE_VERTEX : VLIW_STAGE_FRAGMENT);
    free(text);
}

int main(int argc, char **argv) {
    update = argc > 2 && strcmp(argv[2], "--update") == 0;
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: run_glsl FOLDER [--update]\n");
        return 2;
    }
    static char *names[4096];
    size_t count = 0;
    for (struct dirent *entry; count < 4096 && (entry = readdir(dir)) != NULL;) {
        names[count] = malloc(strlen(argv[1]) + strlen(entry->d_name) + 2);
        if (!names[count]) {
            return 2;
        }
        sprintf(names[count++], "%s/%s", argv[1], entry->d_name);
    }
    closedir(dir);
    qsort(names, count, sizeof *names, by_name);
    size_t length = strlen(argv[1]);
    bool errors = length >= 6 && strcmp(argv[1] + length - 6, "errors") == 0;
    for (size_t i = 0; i < count; i++) {
        run_case(names[i], errors);
        free(names[i]);
    }
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
