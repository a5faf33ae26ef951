/* SPDX-License-Identifier: MIT */
/*
 * Value numbering: a pure instruction whose twin stands in a dominating place becomes a copy of it.
 * One hash table over the whole function, blocks in order, candidates tested for dominance.
 * Operations on the quad (derivatives) match within their block only.
 */
#include "vm/ir/passes.h"

#include <string.h>

#include "vm/base/bits.h"

struct entry {
    struct ir_inst *inst;
    uint32_t hash;
    uint32_t next; /* entry + 1 of the same bucket, 0 ends */
};

static uint32_t mix(uint32_t hash, uint32_t value) {
    hash ^= value;
    hash *= 0x9E3779B1u;
    return hash ^ hash >> 15;
}

static uint32_t hash_src(const struct ir_src *src) {
    uint32_t hash = mix(src->def->id, src->comps | (uint32_t)src->neg << 4);
    for (unsigned i = 0; i < src->comps; i++) {
        hash = mix(hash, src->swz[i]);
    }
    return hash;
}

static uint32_t hash_inst(const struct ir_inst *inst) {
    uint32_t hash = mix(inst->op, inst->comps);
    uint32_t swapped = 0;
    for (unsigned a = 0; a < inst->arg_count; a++) {
        uint32_t h = hash_src(&inst->args[a]);
        if (a < 2 && ir_op_infos[inst->op].flags & IR_C) {
            swapped += h; /* the same for both orders */
        } else {
            hash = mix(hash, h);
        }
    }
    hash = mix(hash, swapped);
    if (inst->op == IR_CONST) {
        for (unsigned c = 0; c < inst->comps; c++) {
            hash = mix(hash, bits_from_float(inst->imm[c]));
        }
    } else {
        hash = mix(mix(mix(hash, inst->base), inst->io), inst->extent);
    }
    return hash;
}

static bool same_args(const struct ir_inst *a, const struct ir_inst *b) {
    unsigned first = 0;
    if (ir_op_infos[a->op].flags & IR_C) {
        bool straight =
            ir_src_equal(a->args[0], b->args[0]) && ir_src_equal(a->args[1], b->args[1]);
        bool crossed = ir_src_equal(a->args[0], b->args[1]) && ir_src_equal(a->args[1], b->args[0]);
        if (!straight && !crossed) {
            return false;
        }
        first = 2;
    }
    for (unsigned i = first; i < a->arg_count; i++) {
        if (!ir_src_equal(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

static bool is_twin(const struct ir_inst *a, const struct ir_inst *b) {
    if (a->op != b->op || a->comps != b->comps || a->arg_count != b->arg_count ||
        a->base != b->base || a->io != b->io || a->extent != b->extent || a->comp != b->comp ||
        a->precise != b->precise) {
        return false;
    }
    if (a->op == IR_CONST && memcmp(a->imm, b->imm, a->comps * sizeof *a->imm) != 0) {
        return false;
    }
    if (ir_op_infos[a->op].flags & IR_Q) {
        return a->block == b->block && same_args(a, b);
    }
    return same_args(a, b) && (a->block == b->block || ir_dominates(a->block, b->block));
}

static void become_move(struct ir_fn *fn, struct ir_inst *inst, struct ir_inst *twin) {
    struct ir_src *args = arena_alloc(fn->arena, sizeof *args);
    if (args) {
        *args = ir_use(twin);
        inst->op = IR_MOV;
        inst->args = args;
        inst->arg_count = 1;
    }
}

bool ir_opt_cse(struct ir_fn *fn) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            total++;
        }
    }
    uint32_t buckets = 16;
    while (buckets < total) {
        buckets *= 2;
    }
    uint32_t *heads = arena_array(fn->arena, buckets, sizeof *heads);
    struct entry *entries = arena_array(fn->arena, total + 1, sizeof *entries);
    if (!heads || !entries) {
        return false;
    }
    ir_dominators(fn->blocks, fn->block_count);
    uint32_t used = 0;
    bool changed = false;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            unsigned flags = ir_op_infos[inst->op].flags;
            if (!(flags & (IR_P | IR_Q)) || inst->op == IR_MOV) {
                continue;
            }
            uint32_t hash = hash_inst(inst);
            uint32_t *head = &heads[hash & (buckets - 1)];
            struct ir_inst *twin = NULL;
            unsigned steps = 0;
            for (uint32_t e = *head; e && !twin && steps < 16; e = entries[e - 1].next, steps++) {
                if (entries[e - 1].hash == hash && is_twin(entries[e - 1].inst, inst)) {
                    twin = entries[e - 1].inst;
                }
            }
            if (twin) {
                become_move(fn, inst, twin);
                changed = true;
            } else {
                entries[used].inst = inst;
                entries[used].hash = hash;
                entries[used].next = *head;
                *head = ++used;
            }
        }
    }
    return changed;
}
