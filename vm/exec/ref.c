/* SPDX-License-Identifier: MIT */
/*
 * The reference interpreter: one quad, straight from the words of a verified program, one instruction a
 * turn as ISA.md says it, with no micro-operations and no SIMD. It is the oracle of every backend and slow
 * on purpose; it shares only the polynomials of math_tmpl.h with the kernels. Its four lanes have a PC
 * each; of those that run, the ones with the lowest PC execute together.
 */
#define SIMD_ISA_SCALAR 1
#include <math.h>
#include <string.h>

#include "vm/base/fpenv.h"
#include "vm/base/simd.h"
#include "vm/exec/exec.h"
#include "vm/exec/math_tmpl.h"
#include "vm/isa/word.h"

enum { LANES = 4 };

struct ref {
    const struct vliw_program *program;
    struct vliw_run *run;
    uint32_t *gpr;
    const uint32_t *globals;
    uint32_t global_count;
    uint32_t pc[LANES], executed[LANES];
    bool running[LANES], helper[LANES];
    uint32_t front[LANES];       /* value of the FRONT status register */
    uint32_t scratch;
    uint32_t budget;
};

/* Operands of a phase: slot 0 and slot 1, every lane, every component. */
struct operands {
    uint32_t slot[2][4][LANES];
};

/* What an instruction will write: one for each phase, and one for LD, FADD and textures. */
struct writes {
    uint32_t reg[LANES];
    uint32_t value[4][LANES];
    uint8_t mask[LANES];
};

/* ---- registers --------------------------------------------------------------------------------------- */

static uint32_t *gpr_at(struct ref *r, uint32_t reg, unsigned c, int lane) {
    return &r->gpr[(reg * 4 + c) * LANES + (uint32_t)lane];
}

static uint32_t read_global(const struct ref *r, uint32_t reg, unsigned c) {
    const struct vliw_info *info = &r->program->info;
    for (uint32_t i = 0; i < info->literal_count; i++) {
        if (info->literals[i].reg == reg && (info->literals[i].mask >> c) & 1u) {
            return info->literals[i].bits[c];
        }
    }
    return reg < r->global_count ? r->globals[reg * 4 + c] : 0;
}

static uint32_t read_reg(struct ref *r, unsigned file, uint32_t reg, unsigned c, int lane) {
    return file == ISA_FILE_GLOBAL ? read_global(r, reg, c) : *gpr_at(r, reg, c, lane);
}

/* Float to int32: towards zero, saturating, NaN gives 0. */
static int32_t to_int(uint32_t bits) {
    float f = bits_to_float(bits);
    if (f != f) {
        return 0;
    }
    if (f >= 2147483648.0f) {
        return INT32_MAX;
    }
    return f < -2147483648.0f ? INT32_MIN : (int32_t)f;
}

/* A register number with ADDR applied and clamped to its file; 'addr' may be NULL. */
static uint32_t address(struct ref *r, const struct isa_unit *addr, unsigned file, uint32_t reg, int lane) {
    if (!addr) {
        return reg;
    }
    int64_t sum = (int64_t)reg + addr->base;
    if (addr->indexed) {
        sum += to_int(read_reg(r, addr->src.file, addr->src.reg, addr->src.sel[0], lane));
    }
    const struct vliw_info *info = &r->program->info;
    int64_t last = (int64_t)(file == ISA_FILE_GLOBAL ? info->globals : info->gprs) - 1;
    sum = sum > last ? last : sum;
    return (uint32_t)(sum < 0 ? 0 : sum);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static void load_source(struct ref *r, const struct isa_src *src, const struct isa_unit *addr, uint32_t out[4][LANES]) {
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t reg = address(r, addr, src->file, src->reg, lane);
        for (unsigned c = 0; c < 4; c++) {
            uint32_t v = read_reg(r, src->file, reg, src->sel[c], lane);
            out[c][lane] = src->negate ? v ^ 0x80000000u : v;
        }
    }
}

/* binary16 to binary32 bits. */
static uint32_t half_bits(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 31u, mantissa = half & 1023u;
    if (exponent == 31) {
        return sign | 0x7F800000u | mantissa << 13;
    }
    if (exponent == 0) {
        return sign | bits_from_float((float)mantissa * (1.0f / 16777216.0f));
    }
    return sign | (exponent + 112u) << 23 | mantissa << 13;
}

static void load_phase(struct ref *r, const struct isa_inst *inst, int phase, const struct operands *before,
                       struct operands *out) {
    memset(out, 0, sizeof *out);
    if (inst->main[phase] < 0) {
        return;
    }
    const struct isa_unit *main = &inst->unit[inst->main[phase]];
    const struct isa_unit *sub = inst->sub[phase] >= 0 ? &inst->unit[inst->sub[phase]] : NULL;
    const struct isa_unit *addr0 = phase ? isa_addr_for(inst, ISA_ADDR_SLOT0) : NULL;
    const struct isa_unit *addr1 = phase ? isa_addr_for(inst, ISA_ADDR_SLOT1) : NULL;
    if (main->op != ISA_OP_MVS) {
        load_source(r, &main->src, addr0, out->slot[0]);
    }
    if (!sub) {
        struct isa_src dest = {main->dest, ISA_FILE_GPR, false, {0, 1, 2, 3}};
        load_source(r, &dest, phase ? isa_addr_for(inst, ISA_ADDR_DEST) : NULL, out->slot[1]);
    } else if (sub->has_imm) {
        for (unsigned i = 0; i < 4 * LANES; i++) {
            out->slot[1][i / LANES][i % LANES] = half_bits(sub->imm16);
        }
    } else if (sub->op != ISA_OP_MVS) {
        load_source(r, &sub->src, addr1, out->slot[1]);
    }
    for (unsigned c = 0; sub && c < 4; c++) {
        if ((sub->smask >> c) & 1u) {
            memcpy(out->slot[0][c], before->slot[0][c], sizeof out->slot[0][c]);
            memcpy(out->slot[1][c], before->slot[1][c], sizeof out->slot[1][c]);
        }
    }
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

/* Bits of a float as an integer operation takes them: any NaN is the one NaN. */
static uint32_t canonical(uint32_t bits) { return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : bits; }

static uint32_t shift(uint32_t count_bits, uint32_t value) {
    int32_t count = (int32_t)count_bits;
    if (count >= 0) {
        return count < 32 ? value << count : 0;
    }
    return count > -32 ? value >> -count : 0;
}

static float compare(float a, float b) {
    if (a != a || b != b) {
        return bits_to_float(0x7FC00000u);
    }
    return a < b ? -1.0f : (a > b ? 1.0f : 0.0f);
}

static float sign(float a) { return a > 0.0f ? 1.0f : (a < 0.0f ? -1.0f : 0.0f); }

static float round_even(float x) {
    if (!(fabsf(x) < 8388608.0f)) {
        return x;
    }
    float magic = 8388608.0f, a = fabsf(x);
    volatile float sum = a + magic; /* rounds to a whole number */
    float rounded = sum - magic;
    return copysignf(rounded, x);
}

static uint32_t apply_xop(unsigned xop, uint32_t a, uint32_t b, uint32_t d) {
    float x = bits_to_float(a), y = bits_to_float(b);
    switch (xop) {
    case ISA_XOP_MAD: {
        volatile float product = x * y;
        return bits_from_float(product + bits_to_float(d));
    }
    case ISA_XOP_DIV: return bits_from_float(x / y);
    case ISA_XOP_SQRT: return bits_from_float(sqrtf(x));
    case ISA_XOP_ABS: return a & 0x7FFFFFFFu;
    case ISA_XOP_SSG: return bits_from_float(sign(x));
    case ISA_XOP_TRUNC: return bits_from_float(truncf(x));
    case ISA_XOP_CEIL: return bits_from_float(ceilf(x));
    default: return bits_from_float(round_even(x)); /* ROUND: the verifier lets no other pass */
    }
}

/* One component of one lane; a and b are the slots (a one-slot operation reads a). */
static uint32_t apply(unsigned op, uint32_t a, uint32_t b) {
    float x = bits_to_float(a), y = bits_to_float(b), f;
    switch (op) {
    case ISA_OP_MUL: f = x * y; break;
    case ISA_OP_ADD: f = x + y; break;
    case ISA_OP_MIN: return x < y ? a : b;
    case ISA_OP_MAX: return x > y ? a : b;
    case ISA_OP_RCP: f = 1.0f / x; break;
    case ISA_OP_MAN: f = math_man(x); break;
    case ISA_OP_RSQ: f = 1.0f / sqrtf(x); break;
    case ISA_OP_EXP: f = math_exp(x); break;
    case ISA_OP_CMP: f = compare(x, y); break;
    case ISA_OP_FLR: f = floorf(x); break;
    case ISA_OP_CONV: return (uint32_t)to_int(a);
    case ISA_OP_FRC: f = x - floorf(x); break;
    case ISA_OP_SLT: f = x < y ? 1.0f : 0.0f; break;
    case ISA_OP_SGE: f = x >= y ? 1.0f : 0.0f; break;
    case ISA_OP_SEQ: f = x == y ? 1.0f : 0.0f; break;
    case ISA_OP_SNE: f = x != y ? 1.0f : 0.0f; break;
    case ISA_OP_LG2: f = math_log2(x); break;
    case ISA_OP_EX2: f = math_exp2(x); break;
    case ISA_OP_SIN: f = math_sin(x); break;
    case ISA_OP_COS: f = math_cos(x); break;
    case ISA_OP_AND: return canonical(a) & canonical(b);
    case ISA_OP_OR: return canonical(a) | canonical(b);
    case ISA_OP_XOR: return canonical(a) ^ canonical(b);
    case ISA_OP_SHF: return shift(canonical(a), canonical(b));
    default: return a; /* MOV */
    }
    return bits_from_float(f);
}

/* Derivative of the quad's operands v for one lane. */
static uint32_t derivative(unsigned op, const uint32_t v[LANES], int lane) {
    int from = op == ISA_OP_DDX ? lane & 2 : lane & 1, step = op == ISA_OP_DDX ? 1 : 2;
    return bits_from_float(bits_to_float(v[from + step]) - bits_to_float(v[from]));
}

static uint32_t saturate(uint32_t bits) {
    float v = bits_to_float(bits);
    return bits_from_float(v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f);
}

/* Value that MVS writes; SCRATCH has been drawn by the caller. */
static uint32_t status_value(struct ref *r, unsigned number, uint32_t next_pc, int lane, const uint32_t *scratch) {
    switch (number) {
    case ISA_STATUS_PC: return bits_from_float((float)next_pc);
    case ISA_STATUS_THREAD: return bits_from_float(r->program->info.stage == VLIW_STAGE_COMPUTE ? (float)lane : 0.0f);
    case ISA_STATUS_SCRATCH: return bits_from_float((float)scratch[lane]);
    case ISA_STATUS_FRONT: return r->front[lane];
    default: return 0; /* CRITICAL: memory answers at once */
    }
}

static void draw_scratch(struct ref *r, const bool *group, uint32_t *scratch) {
    for (int lane = 0; lane < LANES; lane++) {
        scratch[lane] = group[lane] && !r->helper[lane] ? r->scratch++ : 0;
    }
}

/* Results of one arithmetic unit on its own components. */
static void run_unit(struct ref *r, const struct isa_inst *inst, int index, const struct operands *in, uint32_t next_pc,
                     const bool *group, struct writes *out) {
    const struct isa_unit *unit = &inst->unit[index];
    unsigned xop = isa_unit_xop(inst, index), mask = isa_unit_mask(inst, index);
    unsigned sources = xop ? isa_xop_infos[xop].sources : isa_op_infos[unit->op].sources;
    int first = unit->kind == ISA_UNIT_SUB && sources == 1 ? 1 : 0;
    uint32_t scratch[LANES];
    if (mask && unit->op == ISA_OP_MVS && unit->src.reg == ISA_STATUS_SCRATCH) {
        draw_scratch(r, group, scratch);
    }
    for (unsigned c = 0; c < 4; c++) {
        for (int lane = 0; lane < LANES && ((mask >> c) & 1u); lane++) {
            uint32_t a = in->slot[first][c][lane], b = in->slot[1][c][lane], v;
            if (unit->op == ISA_OP_MVS) {
                v = status_value(r, unit->src.reg, next_pc, lane, scratch);
            } else if (xop) {
                v = apply_xop(xop, a, b, *gpr_at(r, out->reg[lane], c, lane));
            } else if (unit->op == ISA_OP_DDX || unit->op == ISA_OP_DDY) {
                v = derivative(unit->op, in->slot[first][c], lane);
            } else {
                v = apply(unit->op, a, b);
            }
            out->value[c][lane] = unit->saturate ? saturate(v) : v;
        }
    }
}

/* ---- predicates -------------------------------------------------------------------------------------------- */

static bool condition(const struct isa_unit *pred, uint32_t bits) {
    float f = bits_to_float(bits);
    int32_t i = (int32_t)bits;
    bool whole = pred->int_compare;
    switch (pred->cond) {
    case ISA_COND_Z: return whole ? i == 0 : f == 0.0f;
    case ISA_COND_NZ: return whole ? i != 0 : !(f == 0.0f);
    case ISA_COND_N: return whole ? i < 0 : f < 0.0f;
    case ISA_COND_GE: return whole ? i >= 0 : f >= 0.0f;
    case ISA_COND_P: return whole ? i > 0 : f > 0.0f;
    default: return whole ? i <= 0 : f <= 0.0f;
    }
}

/* Applies all PREDs of the instruction: phase-1 write masks, and whether the process unit acts. */
static void predicate(struct ref *r, const struct isa_inst *inst, struct writes *phase1, bool *process) {
    for (int k = 0; k < 2; k++) {
        const struct isa_unit *pred = inst->coord[k] >= 0 ? &inst->unit[inst->coord[k]] : NULL;
        if (!pred || pred->kind != ISA_UNIT_PRED) {
            continue;
        }
        for (int lane = 0; lane < LANES; lane++) {
            for (unsigned c = 0; c < 4; c++) {
                bool holds = condition(pred, read_reg(r, pred->src.file, pred->src.reg, pred->src.sel[c], lane));
                if (!holds && ((pred->mask >> c) & 1u) && !pred->sl) {
                    phase1->mask[lane] = (uint8_t)(phase1->mask[lane] & ~(1u << c));
                }
                if (!holds && c == 0) {
                    process[lane] = false;
                }
            }
        }
    }
}

/* ---- process units ------------------------------------------------------------------------------------------ */

static void access_memory(struct ref *r, const struct isa_inst *inst, const struct isa_unit *mem, const struct operands *phase0,
                          const bool *act, struct writes *out) {
    struct vliw_memory none = {NULL, 0}, *memory = r->run->memory ? r->run->memory : &none;
    const struct isa_unit *addr = isa_addr_for(inst, ISA_ADDR_PROCESS);
    for (int lane = 0; lane < LANES; lane++) {
        if (!act[lane]) {
            continue;
        }
        unsigned comp = mem->src.sel[0];
        uint32_t base = mem->option ? phase0->slot[0][comp][lane] : *gpr_at(r, mem->src.reg, comp, lane);
        int64_t at = (int64_t)to_int(base) + 4 * (int64_t)mem->offset;
        if (addr) {
            at += addr->base;
            at += addr->indexed ? to_int(read_reg(r, addr->src.file, addr->src.reg, addr->src.sel[0], lane)) : 0;
        }
        for (unsigned c = 0; c < 4; c++) {
            if (!((mem->mask >> c) & 1u)) {
                continue;
            }
            bool inside = at + c >= 0 && (uint64_t)(at + c) < memory->words;
            uint32_t old = inside ? memory->data[at + c] : 0, data = *gpr_at(r, mem->dest, c, lane);
            if (inside && !r->helper[lane] && mem->op != ISA_MEM_LD) {
                memory->data[at + c] = mem->op == ISA_MEM_ST ? data : old + data;
            }
            if (mem->op == ISA_MEM_FADD && r->helper[lane]) {
                old = 0;
            }
            out->value[c][lane] = old;
        }
        out->reg[lane] = mem->dest;
        out->mask[lane] = mem->op == ISA_MEM_ST ? 0 : mem->mask;
    }
}

static bool projective(unsigned op) { return op >= ISA_MEM_TXP; }

static unsigned texture_kind(unsigned op) {
    switch (op) {
    case ISA_MEM_TXB:
    case ISA_MEM_TXBP: return VLIW_TEX_BIAS;
    case ISA_MEM_TXL:
    case ISA_MEM_TXLP: return VLIW_TEX_LOD;
    case ISA_MEM_TXD: return VLIW_TEX_GRAD;
    default: return VLIW_TEX_IMPLICIT;
    }
}

struct texture_arrays {
    _Alignas(64) float coord[4][VM_LANES], ddx[3][VM_LANES], ddy[3][VM_LANES], lod[VM_LANES], result[4][VM_LANES];
};

/* Coordinates, level and gradients of the quad into batch arrays (only the first four lanes count). */
static void fill_arrays(struct ref *r, const struct isa_unit *tex, const struct operands *phase0, struct texture_arrays *a) {
    for (int lane = 0; lane < LANES; lane++) {
        float v[4];
        for (unsigned c = 0; c < 4; c++) {
            v[c] = bits_to_float(tex->option ? phase0->slot[0][c][lane] : *gpr_at(r, tex->src.reg, c, lane));
        }
        a->lod[lane] = v[projective(tex->op) ? 2 : 3];
        for (unsigned c = 0; c < 3; c++) {
            a->coord[c][lane] = projective(tex->op) ? v[c] / v[3] : v[c];
            a->ddx[c][lane] = bits_to_float(phase0->slot[0][c][lane]);
            a->ddy[c][lane] = bits_to_float(phase0->slot[1][c][lane]);
        }
    }
}

static uint32_t sampler_of(struct ref *r, const struct isa_inst *inst, const struct isa_unit *tex, int lane) {
    const struct isa_unit *addr = isa_addr_for(inst, ISA_ADDR_PROCESS);
    int64_t sampler = tex->offset;
    if (addr) {
        sampler += addr->base;
        sampler += addr->indexed ? to_int(read_reg(r, addr->src.file, addr->src.reg, addr->src.sel[0], lane)) : 0;
    }
    int64_t last = (int64_t)r->program->info.sampler_count - 1;
    sampler = sampler > last ? last : sampler;
    return (uint32_t)(sampler < 0 ? 0 : sampler);
}

static void sample(struct ref *r, const struct isa_inst *inst, const struct isa_unit *tex, const struct operands *phase0,
                   const bool *act, struct writes *out) {
    struct texture_arrays a;
    memset(&a, 0, sizeof a);
    fill_arrays(r, tex, phase0, &a);
    bool left[LANES];
    memcpy(left, act, sizeof left);
    for (int first = 0; first < LANES; first++) {
        if (!left[first]) {
            continue;
        }
        uint32_t sampler = sampler_of(r, inst, tex, first);
        struct vliw_tex_request request;
        memset(&request, 0, sizeof request);
        request.sampler = sampler;
        request.kind = texture_kind(tex->op);
        for (int lane = first; lane < LANES; lane++) {
            if (left[lane] && sampler_of(r, inst, tex, lane) == sampler) {
                request.mask.w[0] |= 1ull << lane;
                left[lane] = false;
            }
        }
        for (unsigned c = 0; c < 3; c++) {
            request.coord[c] = a.coord[c];
            request.ddx[c] = request.kind == VLIW_TEX_GRAD ? a.ddx[c] : NULL;
            request.ddy[c] = request.kind == VLIW_TEX_GRAD ? a.ddy[c] : NULL;
        }
        request.lod = request.kind == VLIW_TEX_BIAS || request.kind == VLIW_TEX_LOD ? a.lod : NULL;
        bool shadow = r->program->info.samplers[sampler] == VLIW_SAMPLER_2D_SHADOW;
        request.reference = shadow ? a.coord[2] : NULL;
        for (unsigned c = 0; c < 4; c++) {
            request.result[c] = a.result[c];
        }
        r->run->sample(r->run->sample_context, &request);
    }
    for (int lane = 0; lane < LANES; lane++) {
        out->reg[lane] = tex->dest;
        out->mask[lane] = act[lane] ? tex->mask : 0;
        for (unsigned c = 0; c < 4; c++) {
            out->value[c][lane] = bits_from_float(a.result[c][lane]);
        }
    }
}

static enum vliw_status fault(struct ref *r, enum vliw_status status, uint32_t pc) {
    r->run->fault_unit = pc;
    return status;
}

/* BL of one lane: its next PC. */
static enum vliw_status branch(struct ref *r, const struct isa_inst *inst, const struct isa_unit *brc, uint32_t pc,
                               uint32_t next, int lane) {
    const struct isa_unit *addr = isa_addr_for(inst, ISA_ADDR_PROCESS);
    int64_t target = brc->option ? (int64_t)next + brc->imm : (int64_t)(uint16_t)brc->imm;
    if (addr) {
        target += addr->base;
        target += addr->indexed ? to_int(read_reg(r, addr->src.file, addr->src.reg, addr->src.sel[0], lane)) : 0;
    }
    if (target < 0 || target >= (int64_t)r->program->info.units ||
        !((r->program->starts[target / 32] >> (target % 32)) & 1u)) {
        return fault(r, VLIW_ERR_TRAP, pc);
    }
    r->pc[lane] = (uint32_t)target;
    return VLIW_OK;
}

static enum vliw_status control(struct ref *r, const struct isa_inst *inst, const struct isa_unit *brc, uint32_t pc,
                                uint32_t next, const bool *act) {
    for (int lane = 0; lane < LANES; lane++) {
        if (!act[lane]) {
            continue;
        }
        switch (brc->op) {
        case ISA_BRC_BL: {
            enum vliw_status status = branch(r, inst, brc, pc, next, lane);
            if (status != VLIW_OK) {
                return status;
            }
            break;
        }
        case ISA_BRC_KIL:
            r->helper[lane] = true;
            r->run->live.w[0] &= ~(1ull << lane);
            break;
        case ISA_BRC_END:
            r->running[lane] = false;
            break;
        case ISA_BRC_TRAP:
            return fault(r, VLIW_ERR_TRAP, pc);
        default: /* WAIT, WAKE: masks are always 0 here */
            break;
        }
    }
    return VLIW_OK;
}

/* ---- one instruction ------------------------------------------------------------------------------------------- */

static void prepare_writes(struct ref *r, const struct isa_inst *inst, int phase, const bool *group, struct writes *out) {
    memset(out, 0, sizeof *out);
    if (inst->main[phase] < 0) {
        return;
    }
    const struct isa_unit *main = &inst->unit[inst->main[phase]];
    for (int lane = 0; lane < LANES; lane++) {
        out->reg[lane] = address(r, phase ? isa_addr_for(inst, ISA_ADDR_DEST) : NULL, ISA_FILE_GPR, main->dest, lane);
        out->mask[lane] = group[lane] ? main->mask : 0;
    }
}

static void commit(struct ref *r, const struct writes *w) {
    for (int lane = 0; lane < LANES; lane++) {
        for (unsigned c = 0; c < 4; c++) {
            if ((w->mask[lane] >> c) & 1u) {
                *gpr_at(r, w->reg[lane], c, lane) = w->value[c][lane];
            }
        }
    }
}

static enum vliw_status step(struct ref *r, const struct isa_inst *inst, uint32_t pc, uint32_t next, const bool *group) {
    struct operands in[2];
    struct writes out[2], loaded;
    memset(&loaded, 0, sizeof loaded);
    load_phase(r, inst, 0, NULL, &in[0]);
    load_phase(r, inst, 1, &in[0], &in[1]);
    for (int phase = 0; phase < 2; phase++) {
        prepare_writes(r, inst, phase, group, &out[phase]);
        if (inst->main[phase] >= 0) {
            run_unit(r, inst, inst->main[phase], &in[phase], next, group, &out[phase]);
        }
        if (inst->sub[phase] >= 0) {
            run_unit(r, inst, inst->sub[phase], &in[phase], next, group, &out[phase]);
        }
    }
    bool act[LANES];
    memcpy(act, group, sizeof act);
    predicate(r, inst, &out[1], act);
    enum vliw_status status = VLIW_OK;
    for (int lane = 0; lane < LANES; lane++) {
        r->pc[lane] = group[lane] ? next : r->pc[lane];
    }
    if (inst->process >= 0) {
        const struct isa_unit *unit = &inst->unit[inst->process];
        if (unit->kind == ISA_UNIT_BRC) {
            status = control(r, inst, unit, pc, next, act);
        } else if (unit->op >= ISA_MEM_TEX) {
            sample(r, inst, unit, &in[0], act, &loaded);
        } else {
            access_memory(r, inst, unit, &in[0], act, &loaded);
        }
    }
    commit(r, &out[0]);
    commit(r, &out[1]);
    commit(r, &loaded);
    return status;
}

/* The lanes at the lowest PC; false when none runs. */
static bool choose(const struct ref *r, bool *group, uint32_t *pc) {
    *pc = UINT32_MAX;
    for (int lane = 0; lane < LANES; lane++) {
        if (r->running[lane] && r->pc[lane] < *pc) {
            *pc = r->pc[lane];
        }
    }
    for (int lane = 0; lane < LANES; lane++) {
        group[lane] = r->running[lane] && r->pc[lane] == *pc;
    }
    return *pc != UINT32_MAX;
}

static void start(struct ref *r) {
    const struct vliw_info *info = &r->program->info;
    for (int lane = 0; lane < LANES; lane++) {
        r->running[lane] = (r->run->active.w[0] >> lane) & 1u;
        r->front[lane] = bits_from_float(1.0f);
        for (uint32_t i = 0; i < info->input_count; i++) {
            if (info->inputs[i].semantic == VLIW_SEM_FRONT_FACING) {
                r->front[lane] = *gpr_at(r, info->inputs[i].reg, 0, lane);
            }
        }
    }
    memset(&r->run->live, 0, sizeof r->run->live);
    r->run->live.w[0] = r->run->active.w[0] & 15u;
    r->run->instructions = 0;
    r->run->fault_unit = 0;
}

enum vliw_status vliw_ref_run(const struct vliw_program *program, uint32_t *gpr, const uint32_t *globals,
                              uint32_t global_count, struct vliw_run *run) {
    struct ref r = {.program = program, .run = run, .gpr = gpr, .globals = globals, .global_count = global_count};
    r.budget = run->budget ? run->budget : VLIW_BUDGET_DEFAULT;
    start(&r);
    enum vliw_status status = VLIW_OK;
    bool group[LANES];
    uint32_t pc;
    struct fpenv saved = fpenv_enter();
    while (status == VLIW_OK && choose(&r, group, &pc)) {
        struct isa_inst inst;
        const char *text;
        unsigned unit, length = isa_unpack_inst(program->words, program->info.units, pc, &inst, &text, &unit);
        for (int lane = 0; lane < LANES && status == VLIW_OK; lane++) {
            if (group[lane] && ++r.executed[lane] > r.budget) {
                status = fault(&r, VLIW_ERR_BUDGET, pc);
            }
            run->instructions += group[lane];
        }
        if (status == VLIW_OK) {
            status = step(&r, &inst, pc, pc + length, group);
        }
    }
    fpenv_leave(&saved);
    return status;
}
