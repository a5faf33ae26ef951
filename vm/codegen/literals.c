/* SPDX-License-Identifier: MIT */
/*
 * Literals: every operation's literal operand is a set of at most four bit patterns that must stand
 * in one global register. Sets are packed four to a register behind the uniforms, larger sets
 * first; a set that some register already contains, as it is or negated, costs nothing.
 */
#include "vm/codegen/cg_internal.h"

#include <string.h>

#include "vm/base/bits.h"

/* Component of a register that holds the pattern, or -1. */
static int find_bits(const struct cg *cg, uint32_t reg, uint32_t bits) {
    for (unsigned c = 0; c < 4; c++) {
        if (cg->pool_used[reg] & 1u << c && cg->pool[reg][c] == bits) {
            return (int)c;
        }
    }
    return -1;
}

/* Free components that the request would need in a register. */
static unsigned missing(const struct cg *cg, uint32_t reg,
                        const struct cg_literal_request *request) {
    unsigned count = 0;
    for (unsigned i = 0; i < request->count; i++) {
        count += find_bits(cg, reg, request->bits[i]) < 0;
    }
    return count;
}

static void settle(struct cg *cg, uint32_t reg, struct cg_literal_request *request) {
    for (unsigned i = 0; i < request->count; i++) {
        int c = find_bits(cg, reg, request->bits[i]);
        for (unsigned k = 0; c < 0; k++) {
            if (!(cg->pool_used[reg] & 1u << k)) {
                c = (int)k;
                cg->pool_used[reg] |= (uint8_t)(1u << k);
                cg->pool[reg][k] = request->bits[i];
            }
        }
        request->comp[i] = (uint8_t)c;
    }
    request->reg = reg;
}

static void negate(struct cg_literal_request *request) {
    for (unsigned i = 0; i < request->count; i++) {
        request->bits[i] ^= 0x80000000u;
    }
    request->negated = !request->negated;
}

/* A new register of the pool; CG_NONE without memory. */
static uint32_t new_register(struct cg *cg) {
    uint32_t cap = cg->pool_cap;
    uint32_t(*grown)[4] = arena_grow(cg->arena, cg->pool, cg->pool_count, &cap,
                                     cg->pool_count + 1, sizeof *grown);
    uint8_t *used = arena_grow(cg->arena, cg->pool_used, cg->pool_count, &cg->pool_cap,
                               cg->pool_count + 1, 1);
    if (!grown || !used) {
        cg_fail(cg, "out of memory");
        return CG_NONE;
    }
    cg->pool = grown;
    cg->pool_used = used;
    cg->pool_used[cg->pool_count] = 0;
    return cg->pool_count++;
}

/* The words of a double, low in x or z and high behind it; each may stand there already. */
static bool place_pair(struct cg *cg, struct cg_literal_request *request) {
    uint32_t best = CG_NONE;
    unsigned at = 0, most = 0;
    for (uint32_t r = 0; r < cg->pool_count; r++) {
        for (unsigned c = 0; c < 4; c += 2) {
            unsigned there = 0;
            bool fits = true;
            for (unsigned k = 0; k < 2; k++) {
                bool used = cg->pool_used[r] >> (c + k) & 1u;
                fits = fits && (!used || cg->pool[r][c + k] == request->bits[k]);
                there += used;
            }
            if (fits && (best == CG_NONE || there > most)) {
                best = r;
                at = c;
                most = there;
            }
        }
    }
    if (best == CG_NONE) {
        best = new_register(cg);
        at = 0;
    }
    for (unsigned k = 0; k < 2 && best != CG_NONE; k++) {
        cg->pool[best][at + k] = request->bits[k];
        cg->pool_used[best] |= (uint8_t)(1u << (at + k));
        request->comp[k] = (uint8_t)(at + k);
    }
    request->reg = best;
    return best != CG_NONE;
}

static bool place_request(struct cg *cg, struct cg_literal_request *request) {
    uint32_t best = CG_NONE;
    unsigned best_missing = 5;
    for (unsigned sign = 0; sign < (request->is_word ? 1u : 2u); sign++) {
        for (uint32_t r = 0; r < cg->pool_count; r++) {
            if (missing(cg, r, request) == 0) {
                settle(cg, r, request);
                return true;
            }
        }
        if (!request->is_word) {
            negate(request);
        }
    }
    for (uint32_t r = cg->pool_count; r-- > 0;) {
        unsigned free_comps = 4 - bits_popcount32(cg->pool_used[r]);
        unsigned want = missing(cg, r, request);
        if (want <= free_comps && want < best_missing) {
            best = r;
            best_missing = want;
        }
    }
    if (best == CG_NONE) {
        best = new_register(cg);
        if (best == CG_NONE) {
            return false;
        }
    }
    settle(cg, best, request);
    return true;
}

static void resolve(struct cg *cg, struct cg_src *src) {
    if (src->file != CG_FILE_LITERAL) {
        return;
    }
    const struct cg_literal_request *request = &cg->literals[src->reg];
    for (unsigned c = 0; c < 4; c++) {
        src->sel[c] = request->comp[src->sel[c]];
    }
    src->file = CG_FILE_GLOBAL;
    src->reg = cg->fn->uniform_regs + request->reg;
    src->neg = src->neg != request->negated;
}

bool cg_place_literals(struct cg *cg) {
    for (unsigned size = 4; size > 0; size--) {
        for (uint32_t i = 0; i < cg->literal_count; i++) {
            struct cg_literal_request *request = &cg->literals[i];
            if (request->count == size && !(request->pair ? place_pair : place_request)(cg, request)) {
                return false;
            }
        }
    }
    if ((uint64_t)cg->fn->uniform_regs + cg->pool_count > ISA_GLOBALS) {
        cg_fail(cg, "too many uniforms and literals: the constant file has 4096 registers");
        return false;
    }
    for (uint32_t i = 0; i < cg->op_count; i++) {
        for (unsigned s = 0; s < 4; s++) {
            resolve(cg, &cg->ops[i].src[s]);
        }
        resolve(cg, &cg->ops[i].pred);
    }
    return true;
}
