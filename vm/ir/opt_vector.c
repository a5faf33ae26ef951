/* SPDX-License-Identifier: MIT */
/*
 * Vectorisation. Narrow component-wise operations of one kind whose sources are components of the
 * same values (or literals) become one operation of up to four components: the machine does four
 * for the price of one, and sources and uses only get other swizzles. A later operation joins an
 * earlier one of its block, where its sources exist already; components that are equal share a
 * place, which also merges computations that overlap only in part.
 */
#include "vm/ir/passes.h"

#include <string.h>

/* Instructions that may lie between two that join: farther apart values live too long. */
#define REACH 120u
#define CHAIN 6u

struct group {
    struct ir_inst *inst;
    uint32_t position;
    uint32_t next; /* group + 1 of the same bucket */
    uint32_t hash;
};

struct vector {
    struct ir_fn *fn;
    struct group *groups;
    uint32_t group_count;
    uint32_t *heads;
    uint32_t buckets;
    bool changed;
};

static uint32_t mix(uint32_t hash, uint32_t value) {
    hash = (hash ^ value) * 0x9E3779B1u;
    return hash ^ hash >> 15;
}

/* Sources that can be combined have equal keys: the value they come from, any literal like any
 * other. */
static uint32_t source_key(const struct ir_src *src) {
    return ir_src_constant(*src) ? 1u : src->def->id * 2u + src->neg;
}

static uint32_t hash_of(const struct ir_inst *inst) {
    uint32_t hash = mix(inst->op, inst->precise);
    uint32_t sum = 0;
    for (unsigned a = 0; a < inst->arg_count; a++) {
        uint32_t key = mix(7, source_key(&inst->args[a]));
        if (a < 2 && ir_op_infos[inst->op].flags & IR_C) {
            sum += key;
        } else {
            hash = mix(hash, key);
        }
    }
    return mix(hash, sum);
}

static bool is_candidate(const struct ir_inst *inst) {
    switch (inst->op) {
    case IR_MOV:
    case IR_RCP:
    case IR_RSQ:
    case IR_LG2:
    case IR_EX2:
    case IR_SIN:
    case IR_COS: return false;
    default: break;
    }
    bool can = ir_op_infos[inst->op].flags & IR_W && ir_op_infos[inst->op].flags & (IR_P | IR_Q);
    for (unsigned a = 0; can && a < inst->arg_count; a++) {
        can = inst->args[a].comps == inst->comps;
    }
    return can && inst->arg_count;
}

static bool combines(const struct ir_src *a, const struct ir_src *b) {
    bool literals = ir_src_constant(*a) && ir_src_constant(*b);
    return literals || (a->def == b->def && a->neg == b->neg && !ir_src_constant(*a));
}

/* The component of 'group' that computes component c of 'inst' already, or -1. */
static int find_component(const struct ir_inst *group, const struct ir_inst *inst, unsigned c) {
    for (unsigned g = 0; g < group->comps; g++) {
        bool same = true;
        for (unsigned a = 0; same && a < inst->arg_count; a++) {
            const struct ir_src *x = &group->args[a];
            const struct ir_src *y = &inst->args[a];
            if (ir_src_constant(*x)) {
                float v = ir_src_const(*x, g);
                float w = ir_src_const(*y, c);
                same = !memcmp(&v, &w, sizeof v);
            } else {
                same = x->swz[g] == y->swz[c];
            }
        }
        if (same) {
            return (int)g;
        }
    }
    return -1;
}

/* Literals of a group grow in an instruction of their own. */
static bool own_literal(struct vector *v, struct ir_inst *group, unsigned a) {
    struct ir_inst *literal = ir_new_inst(v->fn, IR_CONST, 4, 0);
    if (literal == v->fn->spare) {
        return false;
    }
    for (unsigned c = 0; c < group->comps; c++) {
        literal->imm[c] = ir_src_const(group->args[a], c);
    }
    ir_insert_before(group, literal);
    group->args[a] = ir_use(literal);
    group->args[a].comps = group->comps;
    return true;
}

static bool join(struct vector *v, struct ir_inst *group, struct ir_inst *inst) {
    bool crossed =
        ir_op_infos[inst->op].flags & IR_C &&
        !(combines(&group->args[0], &inst->args[0]) && combines(&group->args[1], &inst->args[1]));
    if (crossed) {
        struct ir_src swap = inst->args[0];
        inst->args[0] = inst->args[1];
        inst->args[1] = swap;
    }
    for (unsigned a = 0; a < inst->arg_count; a++) {
        if (!combines(&group->args[a], &inst->args[a])) {
            return false;
        }
    }
    int place[4];
    unsigned comps = group->comps;
    for (unsigned c = 0; c < inst->comps; c++) {
        place[c] = find_component(group, inst, c);
        comps += place[c] < 0;
    }
    if (comps > 4) {
        return false;
    }
    for (unsigned a = 0; a < inst->arg_count && comps > group->comps; a++) {
        if (ir_src_constant(group->args[a]) && !own_literal(v, group, a)) {
            return false;
        }
    }
    struct ir_src *args = arena_alloc(v->fn->arena, sizeof *args);
    if (!args) {
        return false;
    }
    unsigned next = group->comps;
    for (unsigned c = 0; c < inst->comps; c++) {
        if (place[c] >= 0) {
            continue;
        }
        place[c] = (int)next;
        for (unsigned a = 0; a < inst->arg_count; a++) {
            struct ir_src *to = &group->args[a];
            if (ir_src_constant(*to)) {
                to->def->imm[next] = ir_src_const(inst->args[a], c);
                to->swz[next] = (uint8_t)next;
            } else {
                to->swz[next] = inst->args[a].swz[c];
            }
        }
        next++;
    }
    group->comps = (uint8_t)comps;
    for (unsigned a = 0; a < inst->arg_count; a++) {
        group->args[a].comps = (uint8_t)comps;
    }
    memset(args, 0, sizeof *args);
    args->def = group;
    args->comps = inst->comps;
    for (unsigned c = 0; c < inst->comps; c++) {
        args->swz[c] = (uint8_t)place[c];
    }
    inst->op = IR_MOV;
    inst->args = args;
    inst->arg_count = 1;
    return true;
}

/* Sees through moves, so that what has just been joined counts as one value. */
static void look_through(struct ir_inst *inst) {
    for (unsigned a = 0; a < inst->arg_count; a++) {
        while (ir_is(inst->args[a].def, IR_MOV)) {
            inst->args[a] = ir_src_through(inst->args[a], inst->args[a].def->args[0]);
        }
    }
}

static void visit_block(struct vector *v, struct ir_block *block) {
    uint32_t position = 0;
    memset(v->heads, 0, v->buckets * sizeof *v->heads);
    v->group_count = 0;
    for (struct ir_inst *inst = block->first; inst; inst = inst->next, position++) {
        look_through(inst);
        if (!is_candidate(inst)) {
            continue;
        }
        uint32_t hash = hash_of(inst);
        uint32_t *head = &v->heads[hash & (v->buckets - 1)];
        bool joined = false;
        unsigned steps = 0;
        for (uint32_t g = *head; g && !joined && steps < CHAIN;
             g = v->groups[g - 1].next, steps++) {
            const struct group *group = &v->groups[g - 1];
            joined = group->hash == hash && group->inst->op == inst->op &&
                     group->inst->precise == inst->precise && position - group->position < REACH &&
                     join(v, group->inst, inst);
        }
        if (joined) {
            v->changed = true;
            continue;
        }
        v->groups[v->group_count].inst = inst;
        v->groups[v->group_count].position = position;
        v->groups[v->group_count].hash = hash;
        v->groups[v->group_count].next = *head;
        *head = ++v->group_count;
    }
}

bool ir_opt_vectorise(struct ir_fn *fn) {
    struct vector v = {.fn = fn, .buckets = 16};
    uint32_t longest = 0;
    for (uint32_t i = 0; i < fn->block_count; i++) {
        uint32_t count = 0;
        for (const struct ir_inst *inst = fn->blocks[i]->first; inst; inst = inst->next) {
            count++;
        }
        longest = count > longest ? count : longest;
    }
    while (v.buckets < longest && v.buckets < 4096) {
        v.buckets *= 2;
    }
    v.groups = arena_array(fn->arena, (size_t)longest + 1, sizeof *v.groups);
    v.heads = arena_array(fn->arena, v.buckets, sizeof *v.heads);
    if (!v.groups || !v.heads) {
        return false;
    }
    for (uint32_t i = 0; i < fn->block_count; i++) {
        visit_block(&v, fn->blocks[i]);
    }
    return v.changed;
}
