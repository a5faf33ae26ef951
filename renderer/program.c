/* SPDX-License-Identifier: MIT */
/*
 * A pair of linked programs and what draws need to know of it: where the position and point size
 * come out, which components the fragment program interpolates and from which vertex output each
 * comes.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "renderer/narrow.h"
#include "renderer/scene.h"

static int find_output(const struct vliw_info *info, unsigned semantic, unsigned index) {
    for (uint32_t i = 0; i < info->output_count && i < 0xFE; i++) {
        if (info->outputs[i].semantic == semantic && info->outputs[i].index == index) {
            return (int)i;
        }
    }
    return -1;
}

/* False when the inputs are more than the limits allow. */
static bool map_input(struct rn_program *program, uint32_t number) {
    const struct vliw_info *vertex = program->info[VLIW_STAGE_VERTEX];
    const struct vliw_io *io = &program->info[VLIW_STAGE_FRAGMENT]->inputs[number];
    const bool point_coord = io->semantic == VLIW_SEM_POINT_COORD;
    const int from = point_coord ? -1 : find_output(vertex, VLIW_SEM_VARYING, io->index);
    for (unsigned c = 0; c < 4; c++) {
        if (!(io->mask >> c & 1)) {
            continue;
        }
        if (program->coef_count == RN_MAX_COEFS) {
            return false;
        }
        struct rn_coef_map *map = &program->coefs[program->coef_count++];
        map->io = (uint8_t)number;
        map->comp = (uint8_t)c;
        map->vs_comp = (uint8_t)c;
        map->vs_output = 0xFE;
        if (point_coord) {
            map->vs_output = c < 2 ? 0xFF : 0xFE;
        } else if (from >= 0 && (vertex->outputs[from].mask >> c & 1)) {
            map->vs_output = (uint8_t)from;
        }
    }
    return true;
}

static bool map_inputs(struct rn_program *program) {
    const struct vliw_info *info = program->info[VLIW_STAGE_FRAGMENT];
    if (info->input_count > 127 || info->output_count > 127) {
        return false; /* numbers are stored in a byte; the compiler's limits are far below */
    }
    for (uint32_t i = 0; i < info->input_count; i++) {
        const struct vliw_io *io = &info->inputs[i];
        switch (io->semantic) {
        case VLIW_SEM_FRAG_COORD: program->frag_coord_input = (int8_t)i; break;
        case VLIW_SEM_FRONT_FACING: program->front_facing_input = (int8_t)i; break;
        case VLIW_SEM_LAST_FRAG:
            if (io->index < RN_MAX_COLORS) {
                program->last_frag_input[io->index] = (int8_t)i;
            }
            break;
        case VLIW_SEM_POINT_COORD:
            program->point_coord_input = (int8_t)i;
            if (!map_input(program, i)) {
                return false;
            }
            break;
        case VLIW_SEM_VARYING:
            if (!map_input(program, i)) {
                return false;
            }
            break;
        default: break;
        }
    }
    return true;
}

static void release(struct rn_program *program) {
    vliw_program_destroy(program->stage[VLIW_STAGE_VERTEX]);
    vliw_program_destroy(program->stage[VLIW_STAGE_FRAGMENT]);
    rn_narrow_destroy(program->narrow);
    free(program);
}

struct rn_program *rn_program_create(struct vliw_program *vertex, struct vliw_program *fragment) {
    struct rn_program *program = calloc(1, sizeof *program);
    if (!program) {
        vliw_program_destroy(vertex);
        vliw_program_destroy(fragment);
        return NULL;
    }
    program->refs = 1;
    program->stage[VLIW_STAGE_VERTEX] = vertex;
    program->stage[VLIW_STAGE_FRAGMENT] = fragment;
    program->frag_coord_input = program->front_facing_input = program->point_coord_input = -1;
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        program->last_frag_input[i] = -1;
    }
    for (unsigned s = 0; s < 2; s++) {
        program->info[s] = vliw_program_info(program->stage[s]);
    }
    const struct vliw_info *vs = program->info[VLIW_STAGE_VERTEX],
                           *fs = program->info[VLIW_STAGE_FRAGMENT];
    if (vs->output_count > 127 || vs->input_count > RN_MAX_ATTRIBS || !map_inputs(program)) {
        release(program);
        return NULL;
    }
    program->position_output = (int8_t)find_output(vs, VLIW_SEM_POSITION, 0);
    program->point_size_output = (int8_t)find_output(vs, VLIW_SEM_POINT_SIZE, 0);
    for (unsigned i = 0; i < RN_MAX_COLORS; i++) {
        program->color_output[i] = (int8_t)find_output(fs, VLIW_SEM_COLOR, i);
    }
    /* EXT_draw_buffers: gl_FragColor, the only color that comes alone, goes to every attachment. */
    bool several = false;
    for (unsigned i = 1; i < RN_MAX_COLORS; i++) {
        several = several || program->color_output[i] >= 0;
    }
    for (unsigned i = 1; i < RN_MAX_COLORS && !several; i++) {
        program->color_output[i] = program->color_output[0];
    }
    program->depth_output = (int8_t)find_output(fs, VLIW_SEM_DEPTH, 0);
    program->discards = (fs->flags & VLIW_USES_DISCARD) != 0;
    return program;
}

struct rn_program *rn_program_ref(struct rn_program *program) {
    if (program) {
        atomic_fetch_add((_Atomic(uint32_t) *)&program->refs, 1);
    }
    return program;
}

void rn_program_unref(struct rn_program *program) {
    if (program && atomic_fetch_sub((_Atomic(uint32_t) *)&program->refs, 1) == 1) {
        release(program);
    }
}

void rn_program_code(const struct rn_program *program, const struct vliw_program *code[2]) {
    code[VLIW_STAGE_VERTEX] = program->stage[VLIW_STAGE_VERTEX];
    code[VLIW_STAGE_FRAGMENT] = program->stage[VLIW_STAGE_FRAGMENT];
}
