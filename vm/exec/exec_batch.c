/* SPDX-License-Identifier: MIT */
/*
 * Whole-batch operations of the executor that need no SIMD of their own: texture reads through the
 * caller's sampler, and memory. In: the group and operand slots. Out: result slots, memory.
 */
#define SIMD_ISA_SCALAR 1
#include "vm/base/simd.h"

#include "vm/exec/exec.h"

#include <stddef.h>
#include <string.h>

#include "vm/base/bits.h"

/* Lanes that take part: the group, and where the operation is predicated the condition. */
static struct vliw_mask lanes_of(const struct vm_frame *frame, const struct vm_batch_op *op) {
    struct vliw_mask m = frame->group;
    for (int i = 0; op->predicated && i < VM_MASK_WORDS; i++) {
        m.w[i] &= op->inverted ? ~frame->cond.w[i] : frame->cond.w[i];
    }
    return m;
}

static bool any(const struct vliw_mask *m) {
    uint64_t all = 0;
    for (int i = 0; i < VM_MASK_WORDS; i++) {
        all |= m->w[i];
    }
    return all != 0;
}

/* CONV: towards zero, saturating, NaN gives 0. */
static int32_t truncate(float x) {
    return x >= 2147483648.0f ? INT32_MAX : x < -2147483648.0f ? INT32_MIN : x == x ? (int32_t)x : 0;
}

/* ---- Textures ---- */

/* Colours to words, as f_F2B of kernel_u8_tmpl.c packs them. */
static void pack(const struct vliw_mask *mask, float *const color[4], float *out) {
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (mask->w[lane / 64] >> lane % 64 & 1u) {
            uint32_t word = 0;
            for (unsigned c = 0; c < 4; c++) {
                vf v = vf_min(vf_max(color[c][lane], vf_zero()), vf_set1(1.0f));
                word |= (uint32_t)vi_from_vf_rint_fast(vf_mul(v, vf_set1(255.0f))) << 8 * c;
            }
            out[lane] = bits_to_float(word);
        }
    }
}

static void sample(const struct vliw_program *program, struct vm_frame *frame, struct vliw_run *run,
                   const struct vm_batch_op *op, uint32_t sampler, const struct vliw_mask *mask, float *const *result) {
    static const uint8_t kinds[] = {
        [ISA_MEM_TEX] = VLIW_TEX_IMPLICIT, [ISA_MEM_TXB] = VLIW_TEX_BIAS, [ISA_MEM_TXL] = VLIW_TEX_LOD,
        [ISA_MEM_TXD] = VLIW_TEX_GRAD, [ISA_MEM_TXP] = VLIW_TEX_IMPLICIT, [ISA_MEM_TXBP] = VLIW_TEX_BIAS,
        [ISA_MEM_TXLP] = VLIW_TEX_LOD,
    };
    uint8_t type = program->info.samplers[sampler];
    bool third = type == VLIW_SAMPLER_CUBE || type == VLIW_SAMPLER_3D;
    struct vliw_tex_request request; /* every field is set below: clearing it all first takes longer than that */
    request.sampler = sampler;
    request.kind = kinds[op->op];
    request.mask = *mask;
    for (unsigned c = 0; c < 3; c++) {
        const bool has = c < 2 || third, gradients = has && op->op == ISA_MEM_TXD;
        request.coord[c] = has ? vm_slot(frame, op->in[VM_TEX_COORD + c]) : NULL;
        request.ddx[c] = gradients ? vm_slot(frame, op->in[VM_TEX_DDX + c]) : NULL;
        request.ddy[c] = gradients ? vm_slot(frame, op->in[VM_TEX_DDY + c]) : NULL;
    }
    request.reference = type == VLIW_SAMPLER_2D_SHADOW ? vm_slot(frame, op->in[VM_TEX_COORD + 2]) : NULL;
    request.lod = op->in[VM_TEX_LOD] != VM_NO_SLOT ? vm_slot(frame, op->in[VM_TEX_LOD]) : NULL;
    BITS_ALIGN(64) float floats[4][VM_LANES];
    const bool packs = op->bytes && run->sample_bytes == NULL && run->sample != NULL;
    for (unsigned c = 0; c < 4; c++) {
        request.result[c] = packs ? floats[c] : result[c];
    }
    if (op->bytes && run->sample_bytes != NULL) {
        run->sample_bytes(run->sample_context, &request);
        return;
    }
    if (packs) {
        run->sample(run->sample_context, &request);
        pack(mask, request.result, result[0]);
        return;
    }
    if (run->sample != NULL) {
        run->sample(run->sample_context, &request);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            request.result[c][lane] = mask->w[lane / 64] >> lane % 64 & 1u ? 0.0f : request.result[c][lane];
        }
    }
}

void vm_batch_texture(const struct vliw_program *program, struct vm_frame *frame, struct vliw_run *run,
                      const struct vm_batch_op *op) {
    struct vliw_mask mask = lanes_of(frame, op);
    if (!any(&mask)) {
        return;
    }
    float *result[4];
    for (unsigned c = 0; c < 4; c++) {
        result[c] = vm_slot(frame, op->out[op->bytes ? 0 : c]);
    }
    if (!op->indexed) {
        sample(program, frame, run, op, (uint32_t)op->base, &mask, result);
        return;
    }
    /* One read for each sampler; a read may spoil lanes outside its mask, so it goes through a buffer. */
    BITS_ALIGN(64) float buffer[4][VM_LANES];
    float *part[4] = {buffer[0], buffer[op->bytes ? 0 : 1], buffer[op->bytes ? 0 : 2], buffer[op->bytes ? 0 : 3]};
    const float *index = vm_slot(frame, op->in[VM_BATCH_INDEX]);
    struct vliw_mask by_sampler[ISA_SAMPLERS];
    memset(by_sampler, 0, sizeof by_sampler);
    int64_t last = (int64_t)program->info.sampler_count - 1;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (mask.w[lane / 64] >> lane % 64 & 1u) {
            int64_t s = (int64_t)truncate(index[lane]) + op->base;
            s = s < 0 ? 0 : s > last ? last : s;
            by_sampler[s].w[lane / 64] |= 1ull << lane % 64;
        }
    }
    for (uint32_t s = 0; s < program->info.sampler_count; s++) {
        if (any(&by_sampler[s])) {
            sample(program, frame, run, op, s, &by_sampler[s], part);
        }
        for (unsigned lane = 0; lane < VM_LANES; lane++) {
            const unsigned parts = op->bytes ? 1 : 4;
            for (unsigned c = 0; (by_sampler[s].w[lane / 64] >> lane % 64 & 1u) && c < parts; c++) {
                result[c][lane] = buffer[c][lane];
            }
        }
    }
}

/* ---- Memory ---- */

/* One lane's access; 'live' lanes write. Slots hold bits. */
static void access(struct vm_frame *frame, struct vliw_memory *memory, const struct vm_batch_op *op, unsigned lane,
                   int64_t address, bool live) {
    for (unsigned c = 0; c < 4; c++) {
        if (!(op->mask >> c & 1u)) {
            continue;
        }
        int64_t at = address + c;
        bool inside = memory != NULL && at >= 0 && (uint64_t)at < memory->words;
        uint32_t old = inside ? memory->data[at] : 0, data = 0;
        if (op->op != ISA_MEM_LD) {
            memcpy(&data, vm_slot(frame, op->in[VM_MEM_DATA + c]) + lane, sizeof data);
        }
        if (op->op != ISA_MEM_LD && inside && live) {
            memory->data[at] = op->op == ISA_MEM_ST ? data : old + data;
        }
        if (op->op != ISA_MEM_ST) {
            old = op->op == ISA_MEM_FADD && !live ? 0 : old;
            memcpy(vm_slot(frame, op->out[c]) + lane, &old, sizeof old);
        }
    }
}

void vm_batch_memory(struct vm_frame *frame, struct vliw_run *run, const struct vm_batch_op *op) {
    struct vliw_mask mask = lanes_of(frame, op);
    const float *address = vm_slot(frame, op->in[VM_MEM_ADDRESS]);
    const float *index = op->indexed ? vm_slot(frame, op->in[VM_BATCH_INDEX]) : NULL;
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        if (mask.w[lane / 64] >> lane % 64 & 1u) {
            int64_t at = (int64_t)truncate(address[lane]) + op->base;
            at += index != NULL ? (int64_t)truncate(index[lane]) : 0;
            access(frame, run->memory, op, lane, at, run->live.w[lane / 64] >> lane % 64 & 1u);
        }
    }
}
