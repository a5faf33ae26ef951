/* SPDX-License-Identifier: MIT */
/*
 * Units on element types other than f32 (TYPE): doubles in pairs of components, 32-bit integers, four bytes in a
 * component. In: the latches of a thread's instruction; the unit that reads a slot decides how its immediate and its N
 * are meant. Out: result components. One operation on one element is the reference interpreter's.
 */
#include "vm/exec/ref_ops.h"
#include "vm/model/core.h"

static uint64_t immediate(const struct core_operand *o, unsigned type) {
    switch (type) {
    case ISA_TYPE_F64: return ref_element_op(ISA_TYPED_F2D, 0, 0, o->imm, 0);
    case ISA_TYPE_I32: return (uint32_t)((int32_t)(o->imm16 ^ 0x8000u) - 0x8000);
    case ISA_TYPE_U32: return o->imm16;
    case ISA_TYPE_U8X4: return (o->imm16 & 255u) | (o->imm16 & 255u) << 8 | (o->imm16 & 255u) << 16 | (o->imm16 >> 8) * 0x1000000u;
    default: return o->imm;
    }
}

static uint64_t negative(uint64_t v, unsigned type) {
    switch (type) {
    case ISA_TYPE_F64: return v ^ UINT64_C(1) << 63;
    case ISA_TYPE_I32:
    case ISA_TYPE_U32: return (uint32_t)(0u - (uint32_t)v);
    case ISA_TYPE_U8X4: return (uint32_t)~(uint32_t)v;
    default: return v ^ 0x80000000u;
    }
}

/* Element of component c of a slot: one component, or the pair that begins where Sel says. */
static uint64_t element(const struct sim_core *core, const struct core_flight *f, unsigned slot, unsigned c, unsigned type) {
    const struct core_inst *in = f->inst;
    const struct core_operand *o = &in->slot[in->smask >> c & 1u ? 0 : 1][slot];
    if (o->source == CORE_IMM) {
        return immediate(o, type);
    }
    if (o->source == CORE_NONE) {
        return 0;
    }
    uint64_t v = core_component(core, f, o, o->sel[c]);
    if (type == ISA_TYPE_F64) {
        v |= (uint64_t)core_component(core, f, o, (o->sel[c] + 1u) & 3u) << 32;
    }
    return o->flip != 0 ? negative(v, type) : v;
}

void core_typed_unit(const struct sim_core *core, struct core_flight *f, const struct core_unit *u) {
    const struct isa_typed_info *t = &isa_typed_infos[u->row];
    bool wide = t->dtype == ISA_TYPE_F64;
    uint32_t *out = f->result[1];
    for (unsigned c = 0; c < 4; c += wide ? 2 : 1) {
        if (!(u->mask >> c & 1u)) {
            continue;
        }
        uint64_t v;
        if (u->row == ISA_TYPED_F2B) {
            uint32_t color[4];
            for (unsigned k = 0; k < 4; k++) {
                color[k] = (uint32_t)element(core, f, u->sub, k, ISA_TYPE_F32);
            }
            v = ref_pack_color(color);
        } else {
            uint64_t e0 = element(core, f, 0, c, t->stype), e1 = element(core, f, 1, c, t->stype);
            uint64_t d = f->accumulator[c] | (wide ? (uint64_t)f->accumulator[c + 1] << 32 : 0);
            v = ref_element_op((unsigned)u->row, e0, e1, u->sub ? e1 : e0, u->row == ISA_TYPED_B2F ? c : d);
        }
        v = u->saturate ? ref_element_saturate(v, wide) : v;
        out[c] = (uint32_t)v;
        if (wide) {
            out[c + 1] = (uint32_t)(v >> 32);
        }
    }
}
