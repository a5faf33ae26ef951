/* SPDX-License-Identifier: MIT */
/*
 * CPU time of the picture measures on two files, decoding excluded.
 * usage: bench_imgdiff A.png B.png
 */
#include <stdio.h>
#include <time.h>

#include "samples/common/imgdiff.h"

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
    struct image images[2];
    struct image_error err;
    if (argc != 3) {
        fputs("usage: bench_imgdiff A.png B.png\n", stderr);
        return 1;
    }
    for (int i = 0; i < 2; i++) {
        if (!image_read(argv[1 + i], &images[i], &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    const uint16_t *const deep[2] = {NULL, NULL};
    struct imgdiff_counts counts;
    struct imgdiff_flip_result flip;
    double ssim = 0.0;
    double best = 1e9;
    for (int i = 0; i < 10; i++) {
        double start = cpu_ms();
        imgdiff_count(&images[0], &images[1], deep, 0, &counts);
        double took = cpu_ms() - start;
        best = took < best ? took : best;
    }
    double start = cpu_ms();
    bool ok = imgdiff_ssim(&images[0], &images[1], &ssim, &err);
    double middle = cpu_ms();
    ok = ok && imgdiff_flip(&images[0], &images[1], IMGDIFF_DEFAULT_PPD, NULL, &flip, &err);
    double end = cpu_ms();
    printf("counts and PSNR %.3f ms, SSIM %.1f ms, FLIP %.1f ms; %llu differ, %.2f dB, %.5f, %.5f\n",
           best, middle - start, end - middle, (unsigned long long)counts.differing_count,
           counts.psnr_db, ssim, flip.mean);
    image_free(&images[0]);
    image_free(&images[1]);
    return ok ? 0 : 1;
}
