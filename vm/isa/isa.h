/* SPDX-License-Identifier: MIT */
/*
 * The VL-IW instruction set as C: register files, limits, enums generated from opcodes.def and
 * xops.def, and the unpacked form of units and instructions. ISA.md is the normative text.
 *
 *   Main   E P MO[29:26] A[25] DEST[24:20]    WMASK[19:16] SRC[15:11] F[10] Sa[9] N[8] Sel[7:0]
 *   Sub    E P MO[29:26] A[25] I[24] MASK[23:20] SMASK[19:16] SRC[15:11] F[10] Sa[9] N[8] Sel[7:0]
 *          (I = 1: bits 15..0 are a binary16 immediate broadcast as slot 1)
 *   PRED   E 0 15 0 MASK[24:21] Sl[20] F[19] INT[18] 00 SRC[15:11] COND[10:8] Sel[7:0]
 *   ADDR   E 0 15 1 K[24] X[23] F[22] 0 Sl[20] COMP[19:18] BASE[12:11]@[17:16] SRC[15:11] BASE[10:0]
 *   TYPE   E 0 14 0 DT[24:22] 0 Sl[20] ST[19:17] 0 XOP[15:11] RND[10:8] 00000000
 *   BRC    E 1 15 0 EX[24:21] O[20] IMM[14:11]@[19:16] SRC[15:11] IMM[10:0]
 *   MEM    E 1 15 1 EX[24:21] O[20] WMASK[19:16] SRC[15:11] DATA[10:6] ...
 */
#ifndef VM_ISA_ISA_H
#define VM_ISA_ISA_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/include/vliw.h"

#define ISA_GPRS 1024u         /* registers of one thread; 32 directly, the rest through ADDR */
#define ISA_GLOBALS 4096u      /* constants shared by all threads; 32 directly, the rest through ADDR */
#define ISA_DIRECT 32u         /* registers that a 5-bit field reaches */
#define ISA_MAX_UNITS 32768u   /* longest program: a branch target has 15 bits */
#define ISA_SAMPLERS 32u       /* sampler field has 5 bits */
#define ISA_ATTRIBS 16u        /* io tables: attribute numbers */
#define ISA_VARYINGS 16u       /* io tables: varying numbers */
#define ISA_COLORS 4u          /* io tables: colour attachments */
#define ISA_ADDR_BASE_MIN (-4096)
#define ISA_ADDR_BASE_MAX 4095

enum isa_op {
#define VLIW_OP(id, mo, a, sources, class, latency, meaning) ISA_OP_##id,
#include "vm/isa/opcodes.def"
#undef VLIW_OP
    ISA_OP_COUNT
};

enum isa_xop {
#define VLIW_XOP(id, number, sources, class, f32, meaning) ISA_XOP_##id = number,
#include "vm/isa/xops.def"
#undef VLIW_XOP
    ISA_XOP_COUNT
};

enum isa_typed {
#define VLIW_TYPED(id, spelling, op, xop, dtype, stype, meaning) ISA_TYPED_##id,
#include "vm/isa/typed.def"
#undef VLIW_TYPED
    ISA_TYPED_COUNT
};

/* Unit classes of the exclusive pairing rule. From ISA_CLASS_RCP on: one unit in the whole core. */
enum isa_class {
    ISA_CLASS_MOVE, ISA_CLASS_MUL, ISA_CLASS_ADD, ISA_CLASS_CMP, ISA_CLASS_ROUND, ISA_CLASS_LOGIC,
    ISA_CLASS_SHIFT, ISA_CLASS_RCP, ISA_CLASS_MAN, ISA_CLASS_RSQ, ISA_CLASS_EXP, ISA_CLASS_LG2,
    ISA_CLASS_EX2, ISA_CLASS_SIN, ISA_CLASS_COS, ISA_CLASS_COUNT
};

struct isa_op_info {
    const char *name;      /* upper-case mnemonic */
    uint8_t mo, a;         /* encoding */
    uint8_t sources;       /* 1 or 2 */
    uint8_t op_class;      /* enum isa_class */
    uint8_t latency;       /* clocks */
    bool special;          /* evaluated once and broadcast */
    const char *meaning;
};

struct isa_xop_info {
    const char *name;
    uint8_t sources;
    uint8_t op_class;
    bool f32;
    const char *meaning;
};

/* A row of typed.def. */
struct isa_typed_info {
    const char *spelling;
    uint8_t op, xop;       /* enum isa_op, enum isa_xop */
    uint8_t dtype, stype;  /* enum isa_type */
    const char *meaning;
};

extern const struct isa_op_info isa_op_infos[ISA_OP_COUNT];
extern const struct isa_xop_info isa_xop_infos[ISA_XOP_COUNT];
extern const struct isa_typed_info isa_typed_infos[ISA_TYPED_COUNT];

/* Name of a BRC, MEM or condition code, a type or a status register; NULL if there is none. */
const char *isa_brc_name(unsigned brc);
const char *isa_mem_name(unsigned mem);
const char *isa_cond_name(unsigned cond);
const char *isa_type_name(unsigned type);
const char *isa_status_name(unsigned status);

/* Operation of an arithmetic unit's MO row and A bit, or -1 for rows 14 and 15. */
int isa_op_from_fields(unsigned mo, unsigned a);

enum isa_file { ISA_FILE_GPR, ISA_FILE_GLOBAL };

enum isa_status_reg {
    ISA_STATUS_PC, ISA_STATUS_THREAD, ISA_STATUS_SCRATCH, ISA_STATUS_CRITICAL, ISA_STATUS_FRONT,
    ISA_STATUS_COUNT
};

enum isa_cond { ISA_COND_Z, ISA_COND_NZ, ISA_COND_N, ISA_COND_GE, ISA_COND_P, ISA_COND_LE, ISA_COND_COUNT };

enum isa_type { ISA_TYPE_F32, ISA_TYPE_F64, ISA_TYPE_I32, ISA_TYPE_U32, ISA_TYPE_U8X4, ISA_TYPE_COUNT };

enum isa_brc { ISA_BRC_BL, ISA_BRC_KIL, ISA_BRC_END, ISA_BRC_WAIT, ISA_BRC_WAKE, ISA_BRC_TRAP, ISA_BRC_COUNT };

enum isa_mem {
    ISA_MEM_LD = 0, ISA_MEM_ST = 1, ISA_MEM_FADD = 2,
    ISA_MEM_TEX = 8, ISA_MEM_TXB = 9, ISA_MEM_TXL = 10, ISA_MEM_TXD = 11,   /* plain, bias, LOD, gradients */
    ISA_MEM_TXP = 12, ISA_MEM_TXBP = 13, ISA_MEM_TXLP = 14                  /* projective forms */
};

/* What an ADDR unit qualifies: (K, Sl). */
enum isa_addr_target { ISA_ADDR_SLOT0, ISA_ADDR_SLOT1, ISA_ADDR_DEST, ISA_ADDR_PROCESS };

enum isa_unit_kind { ISA_UNIT_MAIN, ISA_UNIT_SUB, ISA_UNIT_PRED, ISA_UNIT_ADDR, ISA_UNIT_TYPE, ISA_UNIT_BRC, ISA_UNIT_MEM };

/* Source operand as written in a unit. Component c reads register component sel[c]. */
struct isa_src {
    uint8_t reg;      /* 0..31 before ADDR; status register number under MVS */
    uint8_t file;     /* enum isa_file */
    bool negate;
    uint8_t sel[4];   /* 0..3 each */
};

/*
 * One unpacked unit. Which fields mean something depends on kind; the others are zero, so equal
 * units compare equal with memcmp (the struct is zeroed first by the unpacker).
 */
struct isa_unit {
    uint8_t kind;         /* enum isa_unit_kind */
    uint8_t phase;        /* 0 or 1 */
    bool end;             /* last unit of its instruction */
    uint8_t op;           /* MAIN, SUB: enum isa_op; BRC: enum isa_brc; MEM: enum isa_mem */
    uint8_t dest;         /* MAIN: DEST; MEM: DATA (LD/FADD: destination, ST: source, textures: destination) */
    uint8_t mask;         /* MAIN: WMASK; SUB: MO_MASK; PRED: mask; MEM: WMASK. Bit 0 = x */
    uint8_t smask;        /* SUB: SMASK */
    bool saturate;        /* MAIN, SUB */
    bool has_imm;         /* SUB: I bit; slot 1 is imm16 broadcast */
    uint16_t imm16;       /* SUB with I: binary16 bits */
    struct isa_src src;   /* MAIN, SUB, PRED (sel), ADDR (reg, file, sel[0] = component), MEM (reg, sel[0] = component) */
    uint8_t cond;         /* PRED: enum isa_cond */
    bool int_compare;     /* PRED */
    bool sl;              /* PRED, TYPE: the Sl bit */
    uint8_t target;       /* ADDR: enum isa_addr_target */
    bool indexed;         /* ADDR: X bit */
    int16_t base;         /* ADDR: BASE */
    uint8_t dtype, stype; /* TYPE: enum isa_type */
    uint8_t xop;          /* TYPE: enum isa_xop */
    uint8_t rounding;     /* TYPE: 0 = nearest even */
    bool option;          /* BRC: 1 = relative; MEM: 1 = address from phase 0's slot 0 */
    int16_t imm;          /* BRC: target (D) or signed displacement (R) */
    uint8_t offset;       /* MEM LD/ST/FADD: offset in registers; textures: sampler */
};

/* One instruction: up to four units sorted by their roles. Pointers are indices into unit[], -1 = absent. */
struct isa_inst {
    struct isa_unit unit[4];
    uint8_t units;          /* 1..4 */
    int8_t main[2];         /* first arithmetic unit of each phase */
    int8_t sub[2];          /* second arithmetic unit of each phase */
    int8_t coord[2];        /* coordinate units (PRED, ADDR, TYPE) in order */
    int8_t process;         /* BRC or MEM */
};

/* Mnemonic of a unit of any kind, for messages: "MUL", "PRED", "BL", "TEX" ... */
const char *isa_unit_name(const struct isa_unit *unit);

/* Where the TYPE unit 'type' points: index of the unit that it qualifies, or -1 if there is none. */
int isa_type_target(const struct isa_inst *inst, const struct isa_unit *type);

/* The TYPE unit that qualifies unit number 'unit' with types other than f32, or NULL. */
const struct isa_unit *isa_type_for(const struct isa_inst *inst, int unit);

/* enum isa_typed of arithmetic unit number 'unit'; -1 if it works on f32, or if typed.def has no such row. */
int isa_unit_typed(const struct isa_inst *inst, int unit);

/* enum isa_typed of an operation on types, or -1. */
int isa_typed_of(unsigned op, unsigned xop, unsigned dtype, unsigned stype);

/* enum isa_xop that TYPE gives to unit number 'unit' of the instruction; ISA_XOP_OWN without TYPE. */
unsigned isa_unit_xop(const struct isa_inst *inst, int unit);

/* Components on which the own operation of arithmetic unit 'unit' works: WMASK without MO_MASK, or MO_MASK. */
static inline unsigned isa_unit_mask(const struct isa_inst *inst, int unit) {
    const struct isa_unit *u = &inst->unit[unit];
    const int sub = u->kind == ISA_UNIT_MAIN ? inst->sub[u->phase & 1] : -1;
    return sub >= 0 ? u->mask & ~(unsigned)inst->unit[sub].mask : u->mask;
}

/* ADDR unit that qualifies 'target' (enum isa_addr_target), or NULL. */
const struct isa_unit *isa_addr_for(const struct isa_inst *inst, unsigned target);

/* True when the instruction's process unit is a predicated one, by any PRED. */
bool isa_process_predicated(const struct isa_inst *inst);

#endif
