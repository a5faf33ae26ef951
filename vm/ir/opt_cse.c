/* SPDX-License-Identifier: MIT */
/*
 * Value numbering: the table in which opt_simplify.c looks up whether a pure instruction has a twin in a dominating
 * place. One hash table over the whole function, blocks in order, candidates tested for dominance.
 * Operations on the quad (derivatives) match within their block only.
 */
#include "vm/ir/passes.h"

#include <string.h>

#include "vm/base/bits.h"

static uint32_t mix(uint32_t hash, uint32_t value) {
    hash ^= value;
    hash *= 0x9E3779B1u;
    return hash ^ hash >> 15;
}

static uint32_t hash_src(const struct ir_src *src) {
    return mix(src->def->id * 8u + src->comps + (uint32_t)src->neg * 0x80000000u, ir_src_lanes(src));
}

static uint32_t hash_inst(const struct ir_inst *inst) {
    const bool is_commutative = (ir_op_infos[inst->op].flags & IR_C) != 0;
    uint32_t hash = inst->op * 8u + inst->comps + inst->base * 256u;
    uint32_t swapped = inst->io + inst->extent * 256u;
    for (unsigned a = 0; a < inst->arg_count; a++) {
        uint32_t h = hash_src(&inst->args[a]);
        if (a < 2 && is_commutative) {
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

bool ir_numbers_init(struct ir_fn *fn, struct ir_numbers *numbers) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        for (struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            total++;
        }
    }
    total += total / 8 + 16; /* literals that algebra makes on the way */
    numbers->buckets = 16;
    while (numbers->buckets < total) {
        numbers->buckets *= 2;
    }
    numbers->used = 0;
    numbers->cap = total;
    numbers->heads = ir_table(fn, 0, numbers->buckets, sizeof *numbers->heads);
    numbers->entries = ir_table(fn, 1, total, sizeof *numbers->entries);
    if (!numbers->heads || !numbers->entries) {
        return false;
    }
    memset(numbers->heads, 0, numbers->buckets * sizeof *numbers->heads);
    return true;
}

struct ir_inst *ir_number(struct ir_numbers *numbers, struct ir_inst *inst) {
    if (!(ir_op_infos[inst->op].flags & (IR_P | IR_Q)) || inst->op == IR_MOV) {
        return NULL;
    }
    uint32_t hash = hash_inst(inst);
    uint32_t *head = &numbers->heads[hash & (numbers->buckets - 1)];
    unsigned steps = 0;
    for (uint32_t e = *head; e && steps < 16; e = numbers->entries[e - 1].next, steps++) {
        const struct ir_number_entry *entry = &numbers->entries[e - 1];
        if (entry->hash == hash && is_twin(entry->inst, inst)) {
            return entry->inst;
        }
    }
    if (numbers->used < numbers->cap) {
        struct ir_number_entry *entry = &numbers->entries[numbers->used];
        entry->inst = inst;
        entry->hash = hash;
        entry->next = *head;
        *head = ++numbers->used;
    }
    return NULL;
}
