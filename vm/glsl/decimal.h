/* SPDX-License-Identifier: MIT */
/* Decimal text to float or double, correctly rounded and independent of the locale. */
#ifndef VM_GLSL_DECIMAL_H
#define VM_GLSL_DECIMAL_H

#include <stdint.h>

/*
 * Reads digits [. digits] [e [+-] digits] from text[0..length) (a digit on either side of the point is
 * enough) and stores the nearest float, ties to even; too large gives infinity, too small 0. Returns how
 * many characters were used, 0 if there is no number.
 */
uint32_t glsl_parse_decimal(const char *text, uint32_t length, float *value);
/* The same to the nearest double. */
uint32_t glsl_parse_decimal64(const char *text, uint32_t length, double *value);

#endif
