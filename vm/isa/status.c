/* SPDX-License-Identifier: MIT */
/* Texts of the public status codes, and the compile-time check of their numbers. */
#include "vm/include/vliw.h"

#define VLIW_STATUS(id, number, text) _Static_assert(id == number, "status.def and vliw.h disagree");
#include "vm/base/status.def"
#undef VLIW_STATUS

const char *vliw_status_text(enum vliw_status status) {
    switch (status) {
#define VLIW_STATUS(id, number, text)                                                              \
    case id:                                                                                       \
        return text;
#include "vm/base/status.def"
#undef VLIW_STATUS
    }
    return "unknown status";
}
