/* SPDX-License-Identifier: MIT */
/*
 * Compares a picture of ours with llvmpipe's of the same scene: at least 99.5 % of the pixels within 2 of 255
 * per channel, every other one within 2 of some pixel at distance at most 1. A third argument allows a number of
 * stray pixels, a fourth another share of pixels in percent (exceptions are written down in mesa_compare.sh, with
 * their reason).
 *
 * usage: mesa_compare MESA.png OURS.png [STRAYS [SHARE [DIFFERENCE.png]]]    exit 0 same enough, 1 not, 2 error
 */
#include <stdio.h>
#include <stdlib.h>

#include "samples/common/imgdiff.h"

enum { TOLERANCE = 2 };

static bool read_or_say(const char *path, struct image *img) {
    struct image_error err;
    if (image_read(path, img, &err)) {
        return true;
    }
    fprintf(stderr, "mesa_compare: %s\n", err.text);
    return false;
}

int main(int argc, char **argv) {
    struct image mesa, ours, picture;
    struct imgdiff_result r;
    struct image_error err;
    if (argc < 3) {
        fprintf(stderr, "usage: mesa_compare MESA.png OURS.png [STRAYS [SHARE [DIFFERENCE.png]]]\n");
        return 2;
    }
    uint64_t strays_allowed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    double share = argc > 4 ? strtod(argv[4], NULL) : 99.5;
    if (!read_or_say(argv[1], &mesa) || !read_or_say(argv[2], &ours)) {
        return 2;
    }
    if (!imgdiff_compare(&mesa, &ours, TOLERANCE, &r, &err)) {
        fprintf(stderr, "mesa_compare: %s\n", err.text);
        return 2;
    }
    bool ok = imgdiff_share(&r) <= 1.0 - share / 100.0 && r.stray_count <= strays_allowed;
    printf("%s %8.4f %% within %d, %llu stray, largest difference %d, first at %d,%d\n", ok ? "ok  " : "FAIL",
           100.0 * (1.0 - imgdiff_share(&r)), TOLERANCE, (unsigned long long)r.stray_count, r.max_difference,
           (int)r.first_x, (int)r.first_y);
    if (!ok && argc > 5 && imgdiff_picture(&mesa, &ours, &picture, &err)) {
        image_write_png(argv[5], &picture, true, &err);
        image_free(&picture);
    }
    image_free(&mesa);
    image_free(&ours);
    return ok ? 0 : 1;
}
