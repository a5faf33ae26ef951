/* SPDX-License-Identifier: MIT */
/* Every row of typed.def on every backend against the reference, ten million results each; VLGL_TYPED=n for another number. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/harness/check.h"
#include "tests/simd/typed_run.h"
#include "vm/isa/isa.h"

TEST(every_row) {
    const char *text = getenv("VLGL_TYPED");
    unsigned long long count = text != NULL ? strtoull(text, NULL, 10) : 10000000;
    for (unsigned row = 0; row < ISA_TYPED_COUNT; row++) {
        if (row != ISA_TYPED_I_MVS) {
            printf("    %s\n", isa_typed_infos[row].spelling);
            fflush(stdout);
            typed_check_row(row, count);
        }
    }
}
