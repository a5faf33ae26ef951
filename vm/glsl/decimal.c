/* SPDX-License-Identifier: MIT */
/*
 * Correctly rounded decimal to binary32 and binary64. Short numbers are exact in one operation; the others are
 * a quotient of two big integers, found bit by bit.
 */
#include "vm/glsl/decimal.h"

#include <stdbool.h>
#include <string.h>

#include "vm/base/bits.h"

enum {
    DIGITS_KEPT = 770, /* no tie between doubles needs more than 767 significant digits, between floats 113 */
    LIMBS = 130        /* 10^(770 + 343), shifted by 64 bits, fits */
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

/* What the number becomes: bits of the significand, exponents of the last bit of the least and greatest. */
struct format {
    int bits, least, greatest;
    int tiny, huge;      /* powers of ten below and above which there is no number */
};
static const struct format binary32 = {24, -149, 127 - 23, -60, 45};
static const struct format binary64 = {53, -1074, 1023 - 52, -340, 310};

/*
 * num / den rounded, num and den not zero: the significand, *lowest the exponent of its last bit. UINT64_MAX is
 * infinity.
 */
static uint64_t quotient(const struct format *f, struct big *num, struct big *den, int *lowest_bit) {
    /* Scale so that the quotient has 61 or 62 bits; then exponent counts its lowest bit. */
    int exponent = big_bits(num) - big_bits(den) - 61;
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
    int lowest = exponent + width - f->bits; /* exponent of the last bit kept */
    if (lowest < f->least) {
        lowest = f->least;
    }
    *lowest_bit = lowest;
    int drop = lowest - exponent;
    if (drop > 63) {
        return 0;
    }
    uint64_t kept = q >> drop, rest = q & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) {
        kept++;
    }
    if (kept == 1ull << f->bits) {
        kept >>= 1;
        *lowest_bit = ++lowest;
    }
    return lowest > f->greatest ? UINT64_MAX : kept;
}

/* digits * 10^exponent, reduced to integers, unless it is too small (0) or too large (UINT64_MAX). */
static uint64_t convert(const struct format *f, const char *digits, int count, int exponent, int *lowest) {
    *lowest = f->least;
    if (count == 0 || count + exponent < f->tiny) {
        return 0;
    }
    if (count + exponent > f->huge) {
        return UINT64_MAX;
    }
    struct big num = {{0}, 0}, den = {{1}, 1};
    for (int i = 0; i < count; i++) {
        big_mul_add(&num, 10, (uint32_t)(digits[i] - '0'));
    }
    big_pow10(exponent >= 0 ? &num : &den, exponent >= 0 ? exponent : -exponent);
    return num.count ? quotient(f, &num, &den, lowest) : 0;
}

/* Digits of at most 'limit', 0 beyond it. */
static uint64_t small_number(const char *digits, int count, uint64_t limit) {
    uint64_t v = 0;
    for (int i = 0; i < count && v <= limit; i++) {
        v = v * 10 + (uint64_t)(digits[i] - '0');
    }
    return v <= limit ? v : 0;
}

static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWERS = sizeof exact_powers / sizeof exact_powers[0] };

/* Digits and power are doubles: one operation rounds the number correctly. False if they are not. */
static bool short_double(const char *digits, int count, int exponent, double *value) {
    uint64_t small = small_number(digits, count, (1ull << 53) - 1);
    if (!small || exponent <= -EXACT_POWERS || exponent >= EXACT_POWERS) {
        return false;
    }
    double whole = (double)small;
    *value = exponent < 0 ? whole / exact_powers[-exponent] : whole * exact_powers[exponent];
    return true;
}

static float to_float(const char *digits, int count, int exponent) {
    double wide;
    if (short_double(digits, count, exponent, &wide) && wide > 1e-37 && wide < 1e37) {
        /* Rounded twice: right unless the first rounding ended half way between two floats. */
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        if ((bits & 0x1FFFFFFFu) != 0x10000000u) {
            return (float)wide;
        }
    }
    int lowest;
    uint64_t kept = convert(&binary32, digits, count, exponent, &lowest);
    if (kept == UINT64_MAX) {
        return bits_to_float(0x7F800000u);
    }
    return bits_to_float(kept < 1u << 23 ? (uint32_t)kept /* denormal: lowest is -149 */
                                         : ((uint32_t)(lowest + 150) << 23) | ((uint32_t)kept & 0x7FFFFFu));
}

static double to_double(const char *digits, int count, int exponent) {
    double value;
    uint64_t bits;
    if (short_double(digits, count, exponent, &value)) {
        return value;
    }
    int lowest;
    uint64_t kept = convert(&binary64, digits, count, exponent, &lowest);
    bits = kept == UINT64_MAX       ? 0x7FFull << 52
           : kept < 1ull << 52 ? kept
                               : (uint64_t)(lowest + 1075) << 52 | (kept & 0xFFFFFFFFFFFFFull);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A number's text as digits (at most DIGITS_KEPT + 1 of them) times a power of ten. */
struct decimal {
    char digits[DIGITS_KEPT + 1];
    int count, exponent;
};

static uint32_t read_decimal(const char *text, uint32_t length, struct decimal *out) {
    char *digits = out->digits;
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
    out->count = count;
    out->exponent = exponent;
    return i;
}

uint32_t glsl_parse_decimal(const char *text, uint32_t length, float *value) {
    struct decimal d;
    uint32_t used = read_decimal(text, length, &d);
    *value = used ? to_float(d.digits, d.count, d.exponent) : *value;
    return used;
}

uint32_t glsl_parse_decimal64(const char *text, uint32_t length, double *value) {
    struct decimal d;
    uint32_t used = read_decimal(text, length, &d);
    *value = used ? to_double(d.digits, d.count, d.exponent) : *value;
    return used;
}
