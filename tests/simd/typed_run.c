/* SPDX-License-Identifier: MIT */
/* See typed_run.h. One program a row: operands r1 and r2, DEST r0, all inputs and r0 the output. */
#include "tests/simd/typed_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/check.h"
#include "tests/simd/vmrun.h"
#include "vm/base/bits.h"
#include "vm/isa/isa.h"
#include "vm/isa/rules.h"
#include "vm/isa/word.h"

/* ---- Inputs ---- */

static uint64_t random64(void) { return (uint64_t)check_random() << 32 | check_random(); }

static uint64_t awkward_double(void) {
    static const uint64_t special[] = {
        0, 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FF0000000000000, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000001,
        0x3FE0000000000000, 0x4330000000000000, 0x4340000000000000, 0x432FFFFFFFFFFFFF, 0x4338000000000001,
        0x41DFFFFFFFC00000, 0x41E0000000000000, 0x41EFFFFFFFE00000, 0x41F0000000000000, 0x47EFFFFFE0000000,
        0x47EFFFFFF0000000, 0x36A0000000000000, 0x3690000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
        0x7FF8000000000000, 0x7FF0000000000001, 0xFFFC000012345678, 0x3CA0000000000000, 0x0010000000000001,
    };
    uint64_t bits = random64();
    switch (check_random_below(8)) {
    case 0: return special[check_random_below(sizeof special / sizeof special[0])] | (bits & 1ull << 63);
    case 1: return bits;
    case 2: {                                     /* whole and half numbers */
        double d = (double)(int32_t)check_random_below(4001) * 0.5 - 1000.0;
        memcpy(&bits, &d, sizeof bits);
        return bits;
    }
    case 3: return (bits & 0x800FFFFFFFFFFFFF) | (uint64_t)(1013 + check_random_below(20)) << 52;
    case 4: return (bits & 0x800FFFFFFFFFFFFF) | (uint64_t)check_random_below(60) << 52;       /* tiny */
    case 5: return (bits & 0x800FFFFFFFFFFFFF) | (uint64_t)(2046 - check_random_below(60)) << 52;
    case 6: return (bits & 0x800F000000000001) | (uint64_t)(1000 + check_random_below(80)) << 52;
    default: return (bits & 0x800FFFFFFFFFFFFF) | (uint64_t)(960 + check_random_below(120)) << 52;
    }
}

static uint32_t awkward_integer(void) {
    static const uint32_t special[] = {0, 1, UINT32_MAX, 0x7FFFFFFF, 0x80000000, 0x80000001, 2, 31, 32, 0xFFFFFFE0};
    uint32_t bits = check_random();
    switch (check_random_below(4)) {
    case 0: return special[check_random_below(sizeof special / sizeof special[0])];
    case 1: return (uint32_t)((int32_t)(bits % 129) - 64);
    case 2: return bits >> check_random_below(32);
    default: return bits;
    }
}

static uint32_t awkward_bytes(void) {
    uint32_t v = check_random(), edges = check_random();
    for (unsigned k = 0; k < 4; k++) {
        unsigned kind = edges >> 4 * k & 7u;
        v = kind == 0 ? v & ~(255u << 8 * k) : kind == 1 ? v | 255u << 8 * k : v;
    }
    return v;
}

/* Four components of one lane. */
static void awkward_register(unsigned type, uint32_t out[4]) {
    for (unsigned c = 0; c < 4; c++) {
        switch (type) {
        case ISA_TYPE_F64: {
            uint64_t d = awkward_double();
            out[c] = (uint32_t)d;
            out[++c] = (uint32_t)(d >> 32);
            break;
        }
        case ISA_TYPE_I32:
        case ISA_TYPE_U32: out[c] = awkward_integer(); break;
        case ISA_TYPE_U8X4: out[c] = awkward_bytes(); break;
        default: out[c] = bits_from_float(check_random_below(3) ? check_random_float() : (float)check_random_below(511) / 510.0f); break;
        }
    }
}

/* ---- The host's doubles ---- */

static double as_double(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static uint64_t double_bits(double d) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return d != d ? 0x7FF8000000000000 : bits;
}

static double host_exponent(double x) {
    int e;
    if (x == 0.0 || x - x != 0.0) {
        return fabs(x);
    }
    frexp(x, &e);
    return e - 1;
}
static double host_mantissa(double x) {
    int e;
    return x == 0.0 || x - x != 0.0 ? x : frexp(x, &e) * 2.0;
}
static double host_scaled(double x, double by) {
    double n = by != by ? 0.0 : fmin(fmax(trunc(by), -10000.0), 10000.0);
    return ldexp(x, (int)n);
}

/* Result of a row whose operands are doubles, as the C library has it; false: not among them. */
static bool host_result(unsigned row, uint64_t e0, uint64_t e1, uint64_t d, uint64_t *out) {
    double a = as_double(e0), b = as_double(e1), product;
    switch (row) {
    case ISA_TYPED_D_MOV: *out = e0; break;
    case ISA_TYPED_D_ABS: *out = e0 & ~(1ull << 63); break;
    case ISA_TYPED_D_ADD: *out = double_bits(a + b); break;
    case ISA_TYPED_D_MUL: *out = double_bits(a * b); break;
    case ISA_TYPED_D_MIN: *out = a < b ? e0 : e1; break;
    case ISA_TYPED_D_MAX: *out = a > b ? e0 : e1; break;
    case ISA_TYPED_D_RCP: *out = double_bits(1.0 / a); break;
    case ISA_TYPED_D_RSQ: *out = double_bits(1.0 / sqrt(a)); break;
    case ISA_TYPED_D_MAN: *out = double_bits(host_mantissa(a)); break;
    case ISA_TYPED_D_EXP: *out = double_bits(host_exponent(a)); break;
    case ISA_TYPED_D_FLR: *out = double_bits(floor(a)); break;
    case ISA_TYPED_D_FRC: *out = double_bits(a - floor(a)); break;
    case ISA_TYPED_D_FMA: *out = double_bits(fma(a, b, as_double(d))); break;
    case ISA_TYPED_D_MAD:
        product = a * b;
        *out = double_bits(product + as_double(d));
        break;
    case ISA_TYPED_D_DIV: *out = double_bits(a / b); break;
    case ISA_TYPED_D_SQRT: *out = double_bits(sqrt(a)); break;
    case ISA_TYPED_D_SSG: *out = double_bits(a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0); break;
    case ISA_TYPED_D_TRUNC: *out = double_bits(trunc(a)); break;
    case ISA_TYPED_D_CEIL: *out = double_bits(ceil(a)); break;
    case ISA_TYPED_D_ROUND: *out = double_bits(nearbyint(a)); break;
    case ISA_TYPED_D_LDEXP: *out = double_bits(host_scaled(a, b)); break;
    case ISA_TYPED_D_SLT: *out = bits_from_float(a < b); break;
    case ISA_TYPED_D_SGE: *out = bits_from_float(a >= b); break;
    case ISA_TYPED_D_SEQ: *out = bits_from_float(a == b); break;
    case ISA_TYPED_D_SNE: *out = bits_from_float(!(a == b)); break;
    case ISA_TYPED_D2F: *out = a != a ? 0x7FC00000 : bits_from_float((float)a); break;
    case ISA_TYPED_D2I: *out = (uint32_t)(int32_t)(a != a ? 0.0 : fmin(fmax(trunc(a), -2147483648.0), 2147483647.0)); break;
    case ISA_TYPED_D2U: *out = (uint32_t)(a != a ? 0.0 : fmin(fmax(trunc(a), 0.0), 4294967295.0)); break;
    default: return false;
    }
    return true;
}

/* ---- Programs ---- */

static bool is_special(unsigned op) { return isa_op_infos[op].special; }

static struct vliw_image *build(unsigned row, uint8_t sel[4], uint8_t *mask) {
    const struct isa_typed_info *t = &isa_typed_infos[row];
    bool from = t->stype == ISA_TYPE_F64, to = t->dtype == ISA_TYPE_F64;
    struct isa_inst inst, end;
    memset(&inst, 0, sizeof inst);
    memset(&end, 0, sizeof end);
    for (unsigned c = 0; c < 4; c++) {
        sel[c] = (uint8_t)(from && !to ? 2 * (c & 1u) : !from && to ? c >> 1 : is_special(t->op) ? c & 1u : c);
    }
    *mask = row == ISA_TYPED_F2B ? 1 : 15;
    inst.units = 3;
    inst.unit[0] = (struct isa_unit){.kind = ISA_UNIT_TYPE, .dtype = t->dtype, .stype = t->stype, .xop = t->xop};
    inst.unit[1] = (struct isa_unit){.kind = ISA_UNIT_MAIN, .phase = 1, .op = t->op, .mask = *mask, .src = {.reg = 1}};
    inst.unit[2] = (struct isa_unit){.kind = ISA_UNIT_SUB, .phase = 1, .op = ISA_OP_MOV, .src = {.reg = 2}};
    memcpy(inst.unit[1].src.sel, sel, 4);
    memcpy(inst.unit[2].src.sel, sel, 4);
    isa_index_inst(&inst);
    end.units = 1;
    end.unit[0] = (struct isa_unit){.kind = ISA_UNIT_BRC, .phase = 1, .op = ISA_BRC_END};
    isa_index_inst(&end);
    uint32_t words[8];
    unsigned n = isa_pack_inst(&inst, words);
    n += isa_pack_inst(&end, words + n);
    struct vliw_io io[3];
    for (unsigned i = 0; i < 3; i++) {
        io[i] = (struct vliw_io){.semantic = VLIW_SEM_GENERIC, .index = (uint8_t)i, .mask = 15, .reg = (uint16_t)i};
    }
    struct vliw_image_desc d = {.stage = VLIW_STAGE_COMPUTE, .name = t->spelling, .words = words, .word_count = n,
                                .inputs = io, .input_count = 3, .outputs = io, .output_count = 1};
    return vliw_image_create(&d);
}

struct backend {
    enum vliw_simd level;
    struct vliw_program *program;
    struct vliw_batch *batch;
    float *constants;
};

struct session {
    unsigned row;
    uint8_t sel[4], mask;
    uint32_t in[3][4][VM_LANES];         /* register, component, lane */
    uint32_t want[4][VM_LANES];
};

static void fill(struct session *s) {
    const struct isa_typed_info *t = &isa_typed_infos[s->row];
    bool same = check_random_below(8) == 0;      /* equal operands, opposite addends */
    for (unsigned lane = 0; lane < VM_LANES; lane++) {
        for (unsigned k = 0; k < 3; k++) {
            uint32_t reg[4];
            awkward_register(k == 0 ? t->dtype : t->stype, reg);
            for (unsigned c = 0; c < 4; c++) {
                s->in[k][c][lane] = same && k == 2 ? s->in[1][c][lane] : reg[c];
            }
        }
        if (s->row == ISA_TYPED_D_FMA && check_random_below(2)) {      /* near the product: deep cancellation */
            for (unsigned c = 0; c < 4; c += 2) {
                double a = as_double((uint64_t)s->in[1][c + 1][lane] << 32 | s->in[1][c][lane]);
                double b = as_double((uint64_t)s->in[2][c + 1][lane] << 32 | s->in[2][c][lane]);
                uint64_t d = double_bits(-(a * b)) + check_random_below(3) - 1;
                s->in[0][c][lane] = (uint32_t)d;
                s->in[0][c + 1][lane] = (uint32_t)(d >> 32);
            }
        }
    }
}

static void reference(struct session *s, const struct vliw_program *p) {
    for (unsigned q = 0; q < VM_QUADS; q++) {
        uint32_t gpr[3 * 16];
        for (unsigned i = 0; i < 48; i++) {
            gpr[i] = s->in[i / 16][i / 4 % 4][q * 4 + i % 4];
        }
        struct vliw_run run = {.active = {{15}}};
        CHECK_EQ_INT(vliw_ref_run(p, gpr, NULL, 0, &run), VLIW_OK);
        for (unsigned i = 0; i < 16; i++) {
            s->want[i / 4][q * 4 + i % 4] = gpr[i];
        }
    }
}

static uint64_t pair_of(uint32_t reg[4][VM_LANES], unsigned c, unsigned lane) {
    return (uint64_t)reg[c + 1][lane] << 32 | reg[c][lane];
}

static bool host_agrees(struct session *s) {
    const struct isa_typed_info *t = &isa_typed_infos[s->row];
    bool wide = t->dtype == ISA_TYPE_F64;
    for (unsigned lane = 0; t->stype == ISA_TYPE_F64 && lane < VM_LANES; lane++) {
        for (unsigned c = 0; c < 4; c += wide ? 2 : 1) {
            uint64_t a = pair_of(s->in[1], s->sel[c] & 2u, lane), b = pair_of(s->in[2], s->sel[c] & 2u, lane), want;
            uint64_t d = wide ? pair_of(s->in[0], c, lane) : 0, got = wide ? pair_of(s->want, c, lane) : s->want[c][lane];
            if (host_result(s->row, a, b, d, &want) && got != want) {
                check_failf(__FILE__, __LINE__, "%s of %016llx %016llx %016llx is %016llx, the host says %016llx", t->spelling,
                            (unsigned long long)a, (unsigned long long)b, (unsigned long long)d, (unsigned long long)got,
                            (unsigned long long)want);
                return false;
            }
        }
    }
    return true;
}

static bool backend_agrees(struct session *s, struct backend *b) {
    for (unsigned i = 0; i < 12; i++) {
        float *in = vliw_batch_input(b->batch, i / 4, i % 4);
        if (in != NULL) {
            memcpy(in, s->in[i / 4][i % 4], sizeof s->in[0][0]);
        }
    }
    struct vliw_run run = {.constants = b->constants};
    memset(&run.active, 0xFF, sizeof run.active);
    if (vliw_batch_run(b->batch, &run) != VLIW_OK) {
        check_failf(__FILE__, __LINE__, "the run fails");
        return false;
    }
    for (unsigned i = 0; i < 4 * VM_LANES; i++) {
        uint32_t got;
        memcpy(&got, vliw_batch_output(b->batch, 0, i / VM_LANES) + i % VM_LANES, sizeof got);
        if (got != s->want[i / VM_LANES][i % VM_LANES]) {
            unsigned c = i / VM_LANES, lane = i % VM_LANES;
            check_failf(__FILE__, __LINE__, "%s on %s, component %u: %08x, not %08x (operands %08x %08x, %08x %08x)",
                        isa_typed_infos[s->row].spelling, vliw_simd_name(b->level), c, (unsigned)got,
                        (unsigned)s->want[c][lane], (unsigned)s->in[1][s->sel[c] | 1u][lane],
                        (unsigned)s->in[1][s->sel[c]][lane], (unsigned)s->in[2][s->sel[c] | 1u][lane],
                        (unsigned)s->in[2][s->sel[c]][lane]);
            return false;
        }
    }
    return true;
}

void typed_check_row(unsigned row, uint64_t results) {
    struct session *s = calloc(1, sizeof *s);
    struct backend backends[VLIW_SIMD_COUNT];
    enum vliw_simd levels[VLIW_SIMD_COUNT];
    unsigned n = vmrun_levels(levels);
    s->row = row;
    struct vliw_image *image = build(row, s->sel, &s->mask);
    bool good = image != NULL;
    for (unsigned i = 0; i < n; i++) {
        struct vliw_error error = {.message = ""};
        struct backend *b = &backends[i];
        memset(b, 0, sizeof *b);
        b->level = levels[i];
        vliw_simd_limit(levels[i]);
        if (vliw_program_create(image, &b->program, &error) != VLIW_OK) {
            check_failf(__FILE__, __LINE__, "%s: %s", isa_typed_infos[row].spelling, error.message);
            good = false;
            continue;
        }
        b->batch = vliw_batch_create();
        b->constants = calloc(vliw_program_constants(b->program), sizeof(float));
        vliw_program_prepare(b->program, NULL, 0, b->constants);
        CHECK_EQ_INT(vliw_batch_bind(b->batch, b->program), VLIW_OK);
    }
    vliw_simd_limit((enum vliw_simd)(VLIW_SIMD_COUNT - 1));
    unsigned a_run = VM_LANES * (isa_typed_infos[row].dtype == ISA_TYPE_F64 ? 2u : row == ISA_TYPED_F2B ? 1u : 4u);
    for (uint64_t done = 0; good && done < results; done += a_run) {
        fill(s);
        reference(s, backends[0].program);
        good = host_agrees(s);
        for (unsigned i = 0; good && i < n; i++) {
            good = backend_agrees(s, &backends[i]);
        }
    }
    CHECK(good);
    for (unsigned i = 0; i < n; i++) {
        vliw_batch_destroy(backends[i].batch);
        vliw_program_destroy(backends[i].program);
        free(backends[i].constants);
    }
    vliw_image_destroy(image);
    free(s);
}
