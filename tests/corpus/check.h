/* SPDX-License-Identifier: MIT */
/* Does the optimiser change what a shader computes? */
#ifndef TESTS_CORPUS_CHECK_H
#define TESTS_CORPUS_CHECK_H

#include "vm/include/glslc.h"

/*
 * Runs a compiled shader, optimised and not, 'rounds' times on the same random inputs and uniforms, and compares the
 * outputs of all lanes bit for bit (NaN is one value). NULL if they agree, else a static text; "" if it cannot be told
 * (a program that is too long without optimisation, or that does not end).
 */
const char *corpus_check(const struct glslc_shader *shader, const struct glslc_options *options, unsigned rounds);

#endif
