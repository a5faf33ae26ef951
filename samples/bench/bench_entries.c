/* SPDX-License-Identifier: MIT */
/* The list of workloads, from workloads.def. */
#include <string.h>

#include "bench.h"

#define WORKLOAD(name, unit, flags, low, high, scale, summary) \
    extern const struct workload workload_##name;
#include "workloads.def"
#undef WORKLOAD

#define WORKLOAD(name, unit, flags, low, high, scale, summary) \
    {#name, BENCH_##unit, flags, low, high, scale, summary, &workload_##name},
const struct bench_entry bench_entries[] = {
#include "workloads.def"
};
#undef WORKLOAD

const size_t bench_entry_count = sizeof bench_entries / sizeof bench_entries[0];

const struct bench_entry *bench_find(const char *name, size_t length) {
    for (size_t i = 0; i < bench_entry_count; i++) {
        if (strlen(bench_entries[i].name) == length &&
            memcmp(bench_entries[i].name, name, length) == 0) {
            return &bench_entries[i];
        }
    }
    return NULL;
}
