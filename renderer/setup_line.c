/* SPDX-License-Identifier: MIT */
/*
 * Line set-up: diamond-exit rule (ES 2.0.25 3.4.1), exact in 24.8. With the endpoints perturbed by
 * (-e, -e^2) no tie is left: a pixel belongs to the line if the segment enters its diamond and does
 * not end in it. Along the major axis each column (row for y-major lines) between the ends has
 * exactly one pixel, the one whose diamond the line crosses at the column's centre; only the two
 * end columns need the diamond test itself.
 *
 * A line of width n (rounded, 3.4.2) is moved by -(n - 1) / 2 along the minor axis and drawn n
 * times, one pixel further along the minor axis each time. Each copy is a primitive of its own with
 * its plane origin moved along, so all pixels of a column have the values of its root pixel, as the
 * specification has it ("replicated"), and the values at the root are those of its centre projected
 * on the line. On targets with samples a line is a rectangle instead (setup_samples.c).
 */
#include "renderer/internal.h"

/* An endpoint, major and minor coordinate in 24.8. */
struct end {
    int32_t major, minor;
};
struct line {
    struct end a, b;
    bool x_major;
    int32_t d_major, d_minor;
};

/* Column (or row) that holds a coordinate once it is moved down a little. */
static int32_t cell(int32_t coordinate) {
    return (coordinate - 1) >> RN_SUBPIXEL_BITS;
}

/* Whether a perturbed endpoint lies in the diamond of its own pixel. */
static bool in_diamond(const struct line *line, struct end e) {
    const int32_t half = RN_SUBPIXEL / 2;
    const int32_t major = e.major - (cell(e.major) * RN_SUBPIXEL + half);
    const int32_t minor = e.minor - (cell(e.minor) * RN_SUBPIXEL + half);
    const int32_t sum = (major < 0 ? -major : major) + (minor < 0 ? -minor : minor);
    if (sum != half) {
        return sum < half;
    }
    return (line->x_major ? major : minor) > 0; /* on the border: the move by -e in x decides */
}

/* Whether a perturbed endpoint lies beyond the centre of its column in the positive direction. */
static bool past_centre(struct end e) {
    return e.major - (cell(e.major) * RN_SUBPIXEL + RN_SUBPIXEL / 2) > 0;
}

/* Columns low .. high that the line covers; false if none. */
static bool columns(const struct line *line, int32_t *low, int32_t *high) {
    const bool forward = line->d_major > 0;
    const int32_t first = cell(line->a.major), last = cell(line->b.major);
    const bool a_in = in_diamond(line, line->a), b_in = in_diamond(line, line->b);
    const bool a_before =
        past_centre(line->a) != forward; /* the line still meets the first column's centre */
    const bool b_past = past_centre(line->b) == forward; /* it has met the last column's centre */
    if (first == last) {
        *low = *high = first;
        return (a_in || (a_before && b_past)) && !b_in;
    }
    const int32_t step = forward ? 1 : -1;
    const int32_t from = first + (a_in || a_before ? 0 : step);
    const int32_t to = last - (b_past && !b_in ? 0 : step);
    *low = forward ? from : to;
    *high = forward ? to : from;
    return *low <= *high;
}

static int64_t divide_nearest(int64_t n, int64_t d) { /* d > 0; halves go up */
    n = 2 * n + d;
    d *= 2;
    const int64_t q = n / d;
    return q * d > n ? q - 1 : q;
}

/* minor0 and minor_step of rn_prim; anchored at the end with the lower major coordinate, so that a
 * line and its reverse agree. */
static void slope(const struct line *line, struct rn_prim *prim) {
    const bool forward = line->d_major > 0;
    const struct end from = forward ? line->a : line->b;
    const int64_t dm = forward ? line->d_major : -(int64_t)line->d_major;
    const int64_t dn = forward ? line->d_minor : -(int64_t)line->d_minor;
    const int32_t column = cell(from.major);
    const int64_t to_centre = (int64_t)column * RN_SUBPIXEL + RN_SUBPIXEL / 2 - from.major;
    prim->minor_step = divide_nearest(dn * (INT64_C(1) << 32), dm);
    int64_t at = (int64_t)from.minor * (INT64_C(1) << (32 - RN_SUBPIXEL_BITS)) +
                 divide_nearest(dn * to_centre * (INT64_C(1) << (32 - RN_SUBPIXEL_BITS)), dm);
    /* Where the line meets a border between two pixels the perturbed one lies below it, except that
     * a rising x-major line moved to the left lies above. The push is just larger than what
     * rounding the step can add up to, so exact meetings are decided by this rule alone. */
    const int64_t push = dm / (2 * RN_SUBPIXEL) + 2;
    at += line->x_major && dn > 0 ? push : -push;
    prim->minor0 = at - prim->minor_step * column;
}

/* The plane of a component between the ends' values. */
struct along {
    double kx, ky;       /* t grows by (kx, ky) a pixel */
    double off_x, off_y; /* origin less the first end */
};
static void plane(const struct along *l, double v0, double v1, double *a0, double *ax, double *ay) {
    /* The part of a triangle's third vertex, here the first again: 0, or NaN if that is infinite. */
    const double d = v1 - v0, rest = (v0 - v0) * 0.0;
    *ax = d * l->kx - rest;
    *ay = rest + d * l->ky;
    *a0 = v0 + (*ax * l->off_x + *ay * l->off_y);
}

/* Planes of a line from (x, y) along (dx, dy): value = v0 + (v1 - v0) * t, t = (P - A).(B - A) / |B - A|^2. */
static void planes(struct rn_front_worker *worker, int32_t x, int32_t y, int32_t dx, int32_t dy,
                   int32_t i0, int32_t i1, struct rn_prim *prim) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_slots *s = &worker->slots;
    const double scale = (double)RN_SUBPIXEL / ((double)dx * dx + (double)dy * dy);
    const int32_t px = x >> RN_SUBPIXEL_BITS, py = y >> RN_SUBPIXEL_BITS;
    const struct along l = {dx * scale, dy * scale,
                            (double)(px * RN_SUBPIXEL + RN_SUBPIXEL / 2 - x) / RN_SUBPIXEL,
                            (double)(py * RN_SUBPIXEL + RN_SUBPIXEL / 2 - y) / RN_SUBPIXEL};
    const double iw0 = (double)s->spot[i0].iw, iw1 = (double)s->spot[i1].iw;
    double a0, ax, ay;
    prim->px = (int16_t)px;
    prim->py = (int16_t)py;
    prim->perspective = s->w[i0] != s->w[i1];
    for (uint32_t c = 0; c < draw->program->coef_count; c++) {
        const double v0 = (double)*rn_slot_varying(worker, i0, c), v1 = (double)*rn_slot_varying(worker, i1, c);
        plane(&l, prim->perspective ? v0 * iw0 : v0, prim->perspective ? v1 * iw1 : v1, &a0, &ax, &ay);
        prim->coef[c] = (struct rn_plane){(float)a0, (float)ax, (float)ay, 0.0f};
    }
    plane(&l, iw0, iw1, &a0, &ax, &ay);
    prim->iw = (struct rn_plane){(float)a0, (float)ax, (float)ay, 0.0f};
    const struct rn_viewport *vp = &draw->viewport;
    const double z0 = (double)s->z[i0] / (double)s->w[i0] * vp->depth_half + vp->depth_centre;
    const double z1 = (double)s->z[i1] / (double)s->w[i1] * vp->depth_half + vp->depth_centre;
    plane(&l, z0, z1, &prim->z0, &prim->zx, &prim->zy);
}

void rn_line_planes(struct rn_front_worker *worker, int32_t i0, int32_t i1, struct rn_prim *prim) {
    const struct rn_slots *s = &worker->slots;
    planes(worker, s->spot[i0].x, s->spot[i0].y, s->spot[i1].x - s->spot[i0].x, s->spot[i1].y - s->spot[i0].y, i0, i1, prim);
}

/* Pixels of copy number 'copy'. */
static struct rn_rect line_box(const struct rn_prim *prim, bool x_major, int32_t low,
                               int32_t high) {
    const int32_t f0 = (int32_t)((prim->minor0 + prim->minor_step * low) >> 32);
    const int32_t f1 = (int32_t)((prim->minor0 + prim->minor_step * high) >> 32);
    const int32_t n0 = f0 < f1 ? f0 : f1, n1 = (f0 < f1 ? f1 : f0) + 1;
    const struct rn_rect along_x = {low, n0, high + 1, n1}, along_y = {n0, low, n1, high + 1};
    return x_major ? along_x : along_y;
}

/* The pixels of a line whose box is small. */
static uint64_t line_mask(const struct rn_prim *prim) {
    const bool mx = prim->major_x;
    const int32_t x = prim->box.x0 & ~1, y = prim->box.y0 & ~1;
    const int32_t m0 = mx ? prim->box.x0 : prim->box.y0, m1 = mx ? prim->box.x1 : prim->box.y1;
    const int32_t n0 = mx ? prim->box.y0 : prim->box.x0, n1 = mx ? prim->box.y1 : prim->box.x1;
    int64_t minor = prim->minor0 + prim->minor_step * m0;
    uint64_t mask = 0;
    for (int32_t m = m0; m < m1; m++, minor += prim->minor_step) {
        const int32_t n = (int32_t)(minor >> 32);
        if (n >= n0 && n < n1) {
            mask |= UINT64_C(1) << (mx ? (n - y) * 8 + (m - x) : (m - y) * 8 + (n - x));
        }
    }
    return mask;
}

bool rn_setup_line(struct rn_front_worker *worker, int32_t i0, int32_t i1) {
    const struct rn_front_draw *draw = worker->draw;
    const struct rn_slots *s = &worker->slots;
    if (draw->samples > 1) {
        return rn_setup_line_samples(worker, i0, i1);
    }
    const int32_t dx = s->spot[i1].x - s->spot[i0].x, dy = s->spot[i1].y - s->spot[i0].y;
    struct line line;
    line.x_major = (dx < 0 ? -dx : dx) >= (dy < 0 ? -dy : dy);
    line.d_major = line.x_major ? dx : dy;
    line.d_minor = line.x_major ? dy : dx;
    line.a.major = line.x_major ? s->spot[i0].x : s->spot[i0].y;
    line.a.minor =
        (line.x_major ? s->spot[i0].y : s->spot[i0].x) - (draw->line_width - 1) * (RN_SUBPIXEL / 2);
    line.b.major = line.a.major + line.d_major;
    line.b.minor = line.a.minor + line.d_minor;
    int32_t low, high;
    if (line.d_major == 0 || !columns(&line, &low, &high)) {
        worker->chunk->culled++;
        return true;
    }
    bool seen = false;
    struct rn_prim root;
    struct rn_rect box;
    for (int32_t copy = 0; copy < draw->line_width; copy++) {
        struct rn_prim *prim;
        if (copy == 0) {
            slope(&line, &root);
        }
        box = line_box(&root, line.x_major, low, high);
        if (line.x_major) {
            box.y0 += copy;
            box.y1 += copy;
        } else {
            box.x0 += copy;
            box.x1 += copy;
        }
        box = rn_rect_intersect(box, draw->cull.box);
        if (rn_rect_empty(box)) {
            continue;
        }
        prim = rn_prim_new(worker);
        if (!prim) {
            return false;
        }
        prim->kind = RN_PRIM_LINE;
        prim->front_facing = true;
        prim->major_x = line.x_major;
        prim->width = 1;
        rn_prim_set_box(prim, box);
        prim->minor_step = root.minor_step;
        prim->minor0 = root.minor0 + (int64_t)copy * (INT64_C(1) << 32);
        planes(worker, line.x_major ? line.a.major : line.a.minor,
               line.x_major ? line.a.minor : line.a.major, dx, dy, i0, i1, prim);
        *(line.x_major ? &prim->py : &prim->px) += (int16_t)copy;
        prim->mask = rn_prim_is_small(prim) ? line_mask(prim) : 0;
        if (!rn_bin_prim(worker, prim)) {
            return false;
        }
        seen = true;
    }
    worker->chunk->culled += !seen;
    return true;
}
