/* SPDX-License-Identifier: MIT */
/*
 * The test harness. A test file writes TEST(name) { ... CHECK(...); } any number of times and links
 * check.c, which supplies main: it runs every test (or those whose name contains argv[1]), prints
 * failures with file and line, and closes with "N passed, N failed, N skipped". A test may SKIP("why").
 */
#ifndef TESTS_HARNESS_CHECK_H
#define TESTS_HARNESS_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct check_test {
    const char *name;
    void (*run)(void);
    struct check_test *next;
};
void check_register(struct check_test *test);
void check_fail(const char *file, int line, const char *text);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void check_failf(const char *file, int line, const char *format, ...);
void check_skip(const char *why);
/* Marks one more CHECK as done; a test without any check fails. */
void check_count(void);

/* Deterministic random numbers (the seed is printed with a failure; VLGL_SEED changes it). */
uint32_t check_random(void);
uint32_t check_random_below(uint32_t n);
/* A float that is often awkward: +-0, +-1, inf, NaN, denormals, huge, tiny, integers, halves, random bits. */
float check_random_float(void);
/* Restarts the random sequence. */
void check_seed(uint64_t seed);

#define TEST(id)                                                                                   \
    static void test_##id(void);                                                                   \
    static struct check_test check_test_##id = {#id, test_##id, 0};                                \
    __attribute__((constructor)) static void check_register_##id(void) {                           \
        check_register(&check_test_##id);                                                          \
    }                                                                                              \
    static void test_##id(void)

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        check_count();                                                                             \
        if (!(cond)) {                                                                             \
            check_fail(__FILE__, __LINE__, #cond);                                                 \
        }                                                                                          \
    } while (0)
#define CHECK_EQ_INT(a, b)                                                                         \
    do {                                                                                           \
        long long check_a_ = (long long)(a), check_b_ = (long long)(b);                            \
        check_count();                                                                             \
        if (check_a_ != check_b_) {                                                                \
            check_failf(__FILE__, __LINE__, "%s is %lld, not %s = %lld", #a, check_a_, #b, check_b_); \
        }                                                                                          \
    } while (0)
#define CHECK_STR(a, b)                                                                            \
    do {                                                                                           \
        const char *check_a_ = (a), *check_b_ = (b);                                               \
        check_count();                                                                             \
        if (!check_a_ || !check_b_ || strcmp(check_a_, check_b_) != 0) {                           \
            check_failf(__FILE__, __LINE__, "%s is\n%s\nnot\n%s", #a, check_a_ ? check_a_ : "(null)", \
                        check_b_ ? check_b_ : "(null)");                                           \
        }                                                                                          \
    } while (0)
#define SKIP(why)                                                                                  \
    do {                                                                                           \
        check_skip(why);                                                                           \
        return;                                                                                    \
    } while (0)

#endif
