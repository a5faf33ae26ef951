/* SPDX-License-Identifier: MIT */
/*
 * Typed operations (vm/isa/typed.def) on random and awkward inputs: every SIMD backend of this machine against the
 * reference interpreter, bit for bit, and rows on doubles against the host's own arithmetic.
 */
#ifndef TESTS_SIMD_TYPED_RUN_H
#define TESTS_SIMD_TYPED_RUN_H

#include <stdint.h>

/* Checks a row on at least 'results' results of each backend; fails the running test on the first difference. */
void typed_check_row(unsigned row, uint64_t results);

#endif
