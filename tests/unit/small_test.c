/* SPDX-License-Identifier: MIT */
/* Small triangles: the pixels that set-up finds for them are those of their edges. */
#include "tests/unit/front_stage.h"

#define SIZE 64

static bool begin(void) {
    return begin_at(0, 0, SIZE, 0);
}

static int32_t random_fixed(int32_t low, int32_t high) {
    const int32_t v = low + (int32_t)check_random_below((uint32_t)(high - low));
    return check_random_below(4) ? v : v & ~127;
}

/* A slot straight in 24.8 window coordinates, w = 1. */
static void place(int32_t slot, int32_t fx, int32_t fy, float z) {
    struct rn_slots *s = &worker->slots;
    s->spot[slot].x = fx;
    s->spot[slot].y = fy;
    s->spot[slot].iw = s->w[slot] = 1.0f;
    s->spot[slot].code = 0;
    s->z[slot] = z;
}

/* The mask of a small triangle is what its edges cover, by the fill rule from its corners. */
static bool inside(const int32_t *fx, const int32_t *fy, int32_t x, int32_t y) {
    const int64_t area = (int64_t)(fx[1] - fx[0]) * (fy[2] - fy[0]) - (int64_t)(fx[2] - fx[0]) * (fy[1] - fy[0]);
    for (int k = 0; k < 3; k++) {
        const int from = area > 0 ? k : 2 - k, to = area > 0 ? (k + 1) % 3 : (4 - k) % 3;
        const int64_t a = fy[from] - fy[to], b = fx[to] - fx[from];
        const int64_t e = a * (256 * x + 128 - fx[from]) + b * (256 * y + 128 - fy[from]);
        if (e < 0 || (e == 0 && !(a > 0 || (a == 0 && b > 0)))) {
            return false;
        }
    }
    return area != 0;
}

TEST(masks_hold_just_the_pixels_of_small_triangles) {
    CHECK(begin());
    static const int32_t corners[3] = {0, 1, 2};
    uint32_t four = 0, eight = 0, none = 0, unclamped = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        chunk_begin();
        static const int32_t reaches[] = {400, 1200, 1800, 2400, 7000};
        const int32_t x = random_fixed(-300, SIZE * 256), y = random_fixed(-300, SIZE * 256);
        const int32_t reach = reaches[check_random_below(5)], step = check_random_below(3) ? 1 : 128;
        int32_t fx[3], fy[3];
        float least = 1.0f, most = 0.0f;
        for (int32_t k = 0; k < 3; k++) {
            fx[k] = x + (random_fixed(0, reach) & -step);
            fy[k] = y + (random_fixed(0, reach) & -step);
            const float z = (float)check_random_below(65) / 32.0f - 1.0f; /* of -1 .. 1 */
            place(k, fx[k], fy[k], z);
            least = 0.5f * z + 0.5f < least ? 0.5f * z + 0.5f : least;
            most = 0.5f * z + 0.5f > most ? 0.5f * z + 0.5f : most;
        }
        draw.cull.box = (struct rn_rect){0, 0, SIZE, SIZE};
        if (reach == 7000) { /* cut to a few pixels */
            const int32_t left = (x + reach / 3) / 256, low = (y + reach / 3) / 256;
            const struct rn_rect cut = {left, low, left + 1 + (int32_t)check_random_below(8), low + 1 + (int32_t)check_random_below(8)};
            draw.cull.box = rn_rect_intersect(draw.cull.box, cut);
        }
        CHECK(rn_setup_polygon(worker, corners, 3));
        const struct rn_prim *p = prim_at(0);
        none += !p;
        if (!p || !p->mask) {
            CHECK(!p || p->box.x1 - (p->box.x0 & ~1) > 8 || p->box.y1 - (p->box.y0 & ~1) > 8);
            continue;
        }
        uint64_t mask = 0;
        for (int32_t k = 0; k < 64; k++) {
            const int32_t at_x = (p->box.x0 & ~1) + (k & 7), at_y = (p->box.y0 & ~1) + (k >> 3);
            const bool in = at_x >= p->box.x0 && at_x < p->box.x1 && at_y >= p->box.y0 && at_y < p->box.y1;
            mask |= (uint64_t)(in && inside(fx, fy, at_x, at_y)) << k;
        }
        if (p->mask != mask) {
            check_failf(__FILE__, __LINE__, "round %u: %llx, not %llx", (unsigned)round, (unsigned long long)p->mask,
                        (unsigned long long)mask);
            return;
        }
        CHECK(p->unclamped == (least > 0.0f && most < 1.0f) && rn_prim_z_offset(p) == 0.0);
        unclamped += p->unclamped;
        *(mask & ~UINT64_C(0x0F0F0F0F) ? &eight : &four) += 1;
    }
    CHECK(four > 3000 && eight > 3000 && none > 500 && unclamped > 5000);
}

/* Of triangles that are said to need no clamp, however thin and long, no covered pixel lies beyond the range. */
TEST(unclamped_depth_is_in_the_range) {
    static const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    CHECK(begin());
    uint32_t pixels = 0;
    for (uint32_t round = 0; round < 200000; round++) {
        /* A corner at the centre of pixel (16, 16), which it owns; the other two far away on both sides. */
        const int32_t n = 3 + (int32_t)check_random_below(1u << (4 + check_random_below(14)));
        const int32_t at = 16 * 256 + 128, sign = check_random_below(2) ? 1 : -1;
        const int32_t fx[3] = {at, at - sign * n, at + sign * (n - 1)}, fy[3] = {at, at - (n - 1), at + (n - 2)};
        static const float below[] = {2.0e-6f, 4.0e-6f, 0.3f, 2.0f};
        chunk_begin();
        draw.cull.box = (struct rn_rect){12, 12, 20, 20};
        for (int32_t k = 0; k < 3; k++) {
            const float z = 1.0f - 2.0f * below[check_random_below(4)] * (1.0f + (float)check_random_below(100) / 100.0f);
            place(k, fx[k], fy[k], z > -1.0f ? z : 2.0e-5f - 1.0f);
            const float w = 1.0f + (float)check_random_below(1u << 20) / 1048576.0f; /* so that depths have all their bits */
            worker->slots.z[k] *= w;
            worker->slots.w[k] = w;
        }
        CHECK(rn_setup_polygon(worker, orders[check_random_below(6)], 3));
        const struct rn_prim *p = prim_at(0);
        for (uint64_t left = p && p->unclamped ? p->mask : 0; left; left &= left - 1) {
            const int32_t bit = (int32_t)bits_ctz64(left);
            const volatile double x = p->zx * (double)((p->box.x0 & ~1) + (bit & 7) - p->px);
            const volatile double y = p->zy * (double)((p->box.y0 & ~1) + (bit >> 3) - p->py);
            const double z = (p->z0 + x) + y;
            pixels++;
            if (!(z >= 0.0 && z <= 1.0)) {
                check_failf(__FILE__, __LINE__, "round %u: %g beyond 1, n %d", (unsigned)round, z - 1.0, (int)n);
                return;
            }
        }
    }
    CHECK(pixels > 100);
}
