/* SPDX-License-Identifier: MIT */
/* Runner of the test harness; see check.h. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FAILURES_SHOWN 10

static struct check_test *first, **last = &first;
static int failures, checks;
static const char *skipped;
static uint64_t state;

void check_register(struct check_test *test) {
    *last = test;
    last = &test->next;
}

void check_count(void) { checks++; }

void check_skip(const char *why) { skipped = why; }

void check_fail(const char *file, int line, const char *text) {
    check_failf(file, line, "not true: %s", text);
}

void check_failf(const char *file, int line, const char *format, ...) {
    if (++failures > FAILURES_SHOWN) {
        return;
    }
    printf("  %s:%d: ", file, line);
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

void check_seed(uint64_t seed) { state = seed * 0x9E3779B97F4A7C15u + 0x1234567u; }

uint32_t check_random(void) { /* splitmix64 */
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

uint32_t check_random_below(uint32_t n) { return n ? (uint32_t)(((uint64_t)check_random() * n) >> 32) : 0; }

float check_random_float(void) {
    static const uint32_t awkward[] = {
        0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001,
        0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F000000, 0x3F7FFFFF, 0x4B000000,
        0x4B800000, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x40490FDB, 0x3FC90FDB, 0x33800000, 0xC2FC0000};
    uint32_t bits;
    uint32_t kind = check_random_below(8);
    if (kind < 2) {
        bits = awkward[check_random_below(sizeof awkward / sizeof awkward[0])];
    } else if (kind < 3) {
        bits = check_random();
    } else if (kind < 4) {
        float whole = (float)(int32_t)(check_random_below(41)) - 20.0f;
        return whole * 0.5f;
    } else {
        return ((float)(int32_t)(check_random() >> 8) / 8388608.0f - 1.0f) *
               (kind < 6 ? 1.0f : (kind < 7 ? 16.0f : 1000.0f));
    }
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0, skips = 0;
    const char *seed_text = getenv("VLGL_SEED");
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
    for (struct check_test *test = first; test; test = test->next) {
        if (argc > 1 && !strstr(test->name, argv[1])) {
            continue;
        }
        failures = checks = 0;
        skipped = NULL;
        check_seed(seed);
        test->run();
        if (!failures && !checks && !skipped) {
            printf("  %s checks nothing\n", test->name);
            failures = 1;
        }
        if (failures) {
            printf("FAIL %s (%d failures, VLGL_SEED=%llu)\n", test->name, failures, (unsigned long long)seed);
            failed++;
        } else if (skipped) {
            printf("skip %s: skipped: %s\n", test->name, skipped);
            skips++;
        } else {
            printf("ok   %s\n", test->name);
            passed++;
        }
        fflush(stdout);
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skips);
    return failed || !(passed + skips) ? 1 : 0;
}
