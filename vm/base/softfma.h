/* SPDX-License-Identifier: MIT */
/*
 * a * b + c with one rounding in integers, for hosts without the instruction. Exact for every input: the
 * product has 106 bits, the addend joins it in 128 with a sticky bit, and one rounding to nearest even
 * follows, at the place where the result is normal or denormal. A NaN result has any bits.
 */
#ifndef VM_BASE_SOFTFMA_H
#define VM_BASE_SOFTFMA_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct soft_wide {
    uint64_t hi, lo;
};

static inline uint64_t soft_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double soft_double(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline struct soft_wide soft_mul(uint64_t a, uint64_t b) {
    uint64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32;
    uint64_t mid = ah * bl + (al * bl >> 32), low = al * bh + (mid & 0xFFFFFFFFu);
    return (struct soft_wide){ah * bh + (mid >> 32) + (low >> 32), low << 32 | (al * bl & 0xFFFFFFFFu)};
}
static inline struct soft_wide soft_shl(struct soft_wide v, unsigned n) {
    if (n >= 64) {
        return (struct soft_wide){v.lo << (n - 64), 0};
    }
    return n == 0 ? v : (struct soft_wide){v.hi << n | v.lo >> (64 - n), v.lo << n};
}
/* Bits that fall out stick to the lowest one. */
static inline struct soft_wide soft_shr(struct soft_wide v, unsigned n) {
    if (n == 0) {
        return v;
    }
    if (n >= 128) {
        return (struct soft_wide){0, (v.hi | v.lo) != 0};
    }
    if (n >= 64) {
        uint64_t out = v.lo | (n > 64 ? v.hi << (128 - n) : 0);
        return (struct soft_wide){0, v.hi >> (n - 64) | (out != 0)};
    }
    return (struct soft_wide){v.hi >> n, v.hi << (64 - n) | v.lo >> n | (v.lo << (64 - n) != 0)};
}
static inline unsigned soft_top(struct soft_wide v) {      /* v is not 0 */
    return v.hi != 0 ? 127u - (unsigned)__builtin_clzll(v.hi) : 63u - (unsigned)__builtin_clzll(v.lo);
}

/* x = m * 2^e with 2^52 <= m < 2^53; x is finite and not 0. */
static inline uint64_t soft_split(double x, int *e) {
    uint64_t u = soft_bits(x), m = u & 0xFFFFFFFFFFFFFull;
    int biased = (int)(u >> 52 & 2047u);
    if (biased == 0) {
        unsigned up = (unsigned)__builtin_clzll(m) - 11u;
        *e = -1074 - (int)up;
        return m << up;
    }
    *e = biased - 1075;
    return m | 1ull << 52;
}

/* v * 2^e as the nearest double; v is not 0. */
static inline double soft_round(struct soft_wide v, int e, bool minus) {
    int top = (int)soft_top(v) + e, last = top - 52 < -1074 ? -1074 : top - 52;
    int cut = last - e;      /* bits of v below the last one of the result */
    uint64_t m, sign = (uint64_t)minus << 63;
    if (top > 1023) {
        return soft_double(sign | 2047ull << 52);
    }
    if (cut <= 0) {
        m = soft_shl(v, (unsigned)-cut).lo;
    } else {
        struct soft_wide four = soft_shr(v, cut > 2 ? (unsigned)cut - 2 : 0);      /* result, half, sticky */
        uint64_t w = cut > 2 ? four.lo : four.lo << (2 - cut);
        m = w >> 2;
        m += (w & 2u) && ((w & 1u) || (m & 1u));
    }
    return soft_double(sign | (m + ((uint64_t)(last + 1074) << 52)));
}

static inline double soft_fma(double a, double b, double c) {
    if (a - a != 0.0 || b - b != 0.0 || a == 0.0 || b == 0.0) {
        return a * b + c;      /* the product is exact, infinite or NaN */
    }
    if (c - c != 0.0) {
        return c;
    }
    if (c == 0.0) {
        return a * b;
    }
    int ea, eb, e, ec;
    uint64_t ma = soft_split(a, &ea), mb = soft_split(b, &eb), mc = soft_split(c, &ec);
    bool minus = (soft_bits(a) ^ soft_bits(b)) >> 63, other = soft_bits(c) >> 63;
    struct soft_wide p = soft_shl(soft_mul(ma, mb), 20), q = soft_shl((struct soft_wide){0, mc}, 73), sum;
    e = ea + eb - 20;
    ec -= 73;
    if (e >= ec) {
        q = soft_shr(q, (unsigned)(e - ec));
    } else {
        p = soft_shr(p, (unsigned)(ec - e));
        e = ec;
    }
    if (minus == other) {
        sum.lo = p.lo + q.lo;
        sum.hi = p.hi + q.hi + (sum.lo < p.lo);
        return soft_round(sum, e, minus);
    }
    if (p.hi < q.hi || (p.hi == q.hi && p.lo < q.lo)) {
        struct soft_wide t = p;
        p = q;
        q = t;
        minus = other;
    }
    sum.lo = p.lo - q.lo;
    sum.hi = p.hi - q.hi - (p.lo < q.lo);
    return (sum.hi | sum.lo) == 0 ? 0.0 : soft_round(sum, e, minus);
}

#endif
