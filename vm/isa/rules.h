/* SPDX-License-Identifier: MIT */
/*
 * Legality of one instruction, asked by the verifier, the code packer and the assembler alike, so
 * that each rule is written once. A rule has a number (rules.def) that error messages quote.
 */
#ifndef VM_ISA_RULES_H
#define VM_ISA_RULES_H

#include "vm/isa/isa.h"

enum isa_rule {
#define VLIW_RULE(id, number, text) ISA_RULE_##id = number,
#include "vm/isa/rules.def"
#undef VLIW_RULE
    ISA_RULE_LAST
};

struct isa_fault {
    uint16_t rule;        /* enum isa_rule; 0 = none */
    uint8_t unit;         /* offending unit of the instruction, 0..3 */
    int8_t other;         /* the other unit of a violation between two, or -1 */
    const char *text;     /* the rule's text from rules.def */
};

/* Checks every rule that one instruction can break by itself. Returns true when it is legal. */
bool isa_check_inst(const struct isa_inst *inst, struct isa_fault *fault);

/* Only the rules about kinds, order and number of units (2..6); isa_check_inst includes them. */
bool isa_check_shape(const struct isa_inst *inst, struct isa_fault *fault);

/* Only the others, of an instruction whose shape is right. */
bool isa_check_meaning(const struct isa_inst *inst, struct isa_fault *fault);

/* Text of a rule number, for messages and the documentation. */
const char *isa_rule_text(unsigned rule);

#endif
