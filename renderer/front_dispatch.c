/* SPDX-License-Identifier: MIT */
/* The front's kernel tables by SIMD level. */
#include "renderer/dispatch.h"
#include "renderer/internal.h"

RN_DISPATCH(rn_front_kernels, rn_front, rn_front_kernels_for)
RN_DISPATCH(rn_input_kernels, rn_input, rn_input_kernels_for)
