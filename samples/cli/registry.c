/* SPDX-License-Identifier: MIT */
/* The list of samples, from samples.def. */
#include <string.h>

#include "cli.h"

#define SAMPLE(name) extern const struct sample sample_##name;
#include "../samples.def"
#undef SAMPLE

#define SAMPLE(name) &sample_##name,
const struct sample *const cli_samples[] = {
#include "../samples.def"
};
#undef SAMPLE

const size_t cli_sample_count = sizeof cli_samples / sizeof cli_samples[0];

const struct sample *cli_find_sample(const char *name) {
    for (size_t i = 0; i < cli_sample_count; i++) {
        if (strcmp(cli_samples[i]->name, name) == 0) {
            return cli_samples[i];
        }
    }
    return NULL;
}
