/* SPDX-License-Identifier: MIT */
/* main() of a stand-alone sample; the build sets SAMPLE_SYMBOL to its descriptor. */
#include "app.h"

extern const struct sample SAMPLE_SYMBOL;

int main(int argc, char **argv) {
    return app_sample_main(argc, argv, &SAMPLE_SYMBOL);
}
