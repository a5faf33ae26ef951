/* SPDX-License-Identifier: MIT */
/*
 * Correctly rounded decimal to binary32. Short numbers are exact in one float operation; the others are
 * a quotient of two big integers, found bit by bit.
 */
#include "vm/glsl/decimal.h"

#include <stdbool.h>
#include <string.h>

#include "vm/base/bits.h"

enum {
    DIGITS_KEPT = 120, /* no tie between floats needs more than 113 significant digits */
    LIMBS = 40         /* 10^(120 + 60) and 2^1000 fit */
};

struct big {
    uint32_t limb[LIMBS]; /* little-endian */
    int count;
};

static void big_mul_add(struct big *b, uint32_t mul, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * mul;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && b->count < LIMBS) {
        b->limb[b->count++] = (uint32_t)carry;
    }
}

static void big_pow10(struct big *b, int power) {
    for (; power >= 9; power -= 9) {
        big_mul_add(b, 1000000000u, 0);
    }
    for (; power > 0; power--) {
        big_mul_add(b, 10, 0);
    }
}

static int big_bits(const struct big *b) {
    return b->count ? b->count * 32 - (int)bits_clz32(b->limb[b->count - 1]) : 0;
}

static void big_shl(struct big *b, int n) {
    for (; n >= 16; n -= 16) {
        big_mul_add(b, 65536u, 0);
    }
    big_mul_add(b, 1u << n, 0);
}

static int big_cmp(const struct big *a, const struct big *b) {
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

static void big_sub(struct big *a, const struct big *b) { /* a >= b */
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? (int64_t)b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->count && !a->limb[a->count - 1]) {
        a->count--;
    }
}

/* num / den * 2^0 as a float, num and den not zero. */
static float quotient(struct big *num, struct big *den) {
    /* Scale so that the quotient has 32 or 33 bits; then exponent counts its lowest bit. */
    int exponent = big_bits(num) - big_bits(den) - 32;
    if (exponent > 0) {
        big_shl(den, exponent);
    } else {
        big_shl(num, -exponent);
    }
    uint64_t q = 0;
    struct big part = {{0}, 0};
    int bits = big_bits(num);
    for (int i = bits - 1; i >= 0; i--) { /* long division, one bit a step */
        big_mul_add(&part, 2, 0);
        if ((num->limb[i / 32] >> (i % 32)) & 1) {
            if (part.count) {
                part.limb[0] |= 1;
            } else {
                part.limb[0] = 1;
                part.count = 1;
            }
        }
        q <<= 1;
        if (big_cmp(&part, den) >= 0) {
            big_sub(&part, den);
            q |= 1;
        }
    }
    bool sticky = part.count != 0;
    int width = 64 - __builtin_clzll(q);
    int lowest = exponent + width - 24; /* exponent of the last bit kept */
    if (lowest < -149) {
        lowest = -149;
    }
    int drop = lowest - exponent;
    if (drop > 63) {
        return 0.0f;
    }
    uint64_t kept = q >> drop, rest = q & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) {
        kept++;
    }
    if (kept == 1u << 24) {
        kept >>= 1;
        lowest++;
    }
    if (lowest > 127 - 23) {
        return bits_to_float(0x7F800000u);
    }
    uint32_t word = kept < 1u << 23 ? (uint32_t)kept /* denormal: lowest is -149 */
                                    : ((uint32_t)(lowest + 150) << 23) | ((uint32_t)kept & 0x7FFFFFu);
    return bits_to_float(word);
}

static float convert(const char *digits, int count, int exponent) {
    static const float exact[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    if (count == 0 || count + exponent < -60) {
        return 0.0f;
    }
    if (count + exponent > 45) {
        return bits_to_float(0x7F800000u);
    }
    struct big num = {{0}, 0}, den = {{1}, 1};
    for (int i = 0; i < count; i++) {
        big_mul_add(&num, 10, (uint32_t)(digits[i] - '0'));
    }
    if (num.count <= 1 && num.limb[0] < 1u << 24 && exponent >= -10 && exponent <= 10) {
        float whole = (float)num.limb[0];
        return exponent < 0 ? whole / exact[-exponent] : whole * exact[exponent];
    }
    if (exponent >= 0) {
        big_pow10(&num, exponent);
    } else {
        big_pow10(&den, -exponent);
    }
    return num.count ? quotient(&num, &den) : 0.0f;
}

uint32_t glsl_parse_decimal(const char *text, uint32_t length, float *value) {
    char digits[DIGITS_KEPT + 1];
    int count = 0, exponent = 0;
    bool point = false, any = false, lost = false;
    uint32_t i = 0;
    for (; i < length; i++) {
        char c = text[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            any = true;
            if (count == 0 && c == '0') {
                exponent -= point; /* leading zeros count for nothing but the point */
            } else if (count < DIGITS_KEPT) {
                digits[count++] = c;
                exponent -= point;
            } else {
                lost |= c != '0';
                exponent += !point;
            }
        } else {
            break;
        }
        if (exponent > 100000 || exponent < -100000) {
            exponent = exponent > 0 ? 100000 : -100000; /* far beyond any float already */
        }
    }
    if (!any) {
        return 0;
    }
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        uint32_t j = i + 1;
        bool negative = j < length && text[j] == '-';
        if (j < length && (text[j] == '-' || text[j] == '+')) {
            j++;
        }
        int power = 0;
        uint32_t first = j;
        for (; j < length && text[j] >= '0' && text[j] <= '9'; j++) {
            power = power < 200000 ? power * 10 + (text[j] - '0') : power;
        }
        if (j == first) {
            return 0;
        }
        exponent += negative ? -power : power;
        i = j;
    }
    if (lost) { /* some digit behind the kept ones is not 0: enough to break a tie upwards */
        digits[count++] = '1';
        exponent--;
    }
    *value = convert(digits, count, exponent);
    return i;
}
