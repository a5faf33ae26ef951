/* SPDX-License-Identifier: MIT */
/* Every row of typed.def on every backend, some thousand results each; check_typed_long.c has ten million. */
#include "tests/harness/check.h"
#include "tests/simd/typed_run.h"
#include "vm/isa/isa.h"

TEST(every_row) {
    for (unsigned row = 0; row < ISA_TYPED_COUNT; row++) {
        if (row != ISA_TYPED_I_MVS) {      /* reads no operand: typed_test.c */
            typed_check_row(row, 20000);
        }
    }
}
