/* SPDX-License-Identifier: MIT */
/*
 * The verifier: what stands between an untrusted image and the executor. It checks every rule of
 * rules.def; what passed may be decoded and run without checking anything again, except the targets
 * of indirect branches.
 */
#ifndef VM_EXEC_VERIFY_H
#define VM_EXEC_VERIFY_H

#include <stdint.h>

#include "vm/include/vliw.h"

/* VLIW_OK, VLIW_ERR_VERIFY (*error names word, slot, rule and source line) or VLIW_ERR_MEMORY. */
enum vliw_status vm_verify(const struct vliw_image *image, struct vliw_error *error);

/*
 * Facts of an image that vm_verify accepted: stage, flags, units, instructions, gprs, globals and
 * the counts. Pointers of the tables and the name are borrowed from the image.
 * gprs and globals: one more than the highest register named by code, tables or declaration; they
 * are the file sizes to which ADDR clamps (ISA.md, ADDR).
 */
void vm_verify_info(const struct vliw_image *image, struct vliw_info *info);

/*
 * Bitmap of instruction starts of a verified image: bit pc % 32 of starts[pc / 32]; the caller
 * gives (word_count + 31) / 32 words. Returns the number of instructions.
 */
uint32_t vm_verify_starts(const struct vliw_image *image, uint32_t *starts);

#endif
