/* SPDX-License-Identifier: MIT */
/*
 * Two picture files beside each other under a set of criteria: what `vlgl diff` prints and what
 * `vlgl test` decides by.
 */
#ifndef SAMPLES_CLI_COMPARE_H
#define SAMPLES_CLI_COMPARE_H

#include "../common/imgdiff.h"
#include "../common/textbuf.h"

/* What must hold for two pictures to count as the same. Zeroed: every bit alike. */
struct compare_rule {
    bool has_pixels; /* tolerance and share were given: they hold beside other measures too */
    int tolerance;   /* a channel may be off by so much, in steps of 8 bits */
    double share;    /* so many percent of the pixels may be beyond */
    bool has_psnr, has_ssim, has_flip;
    double psnr; /* at least, dB */
    double ssim; /* at least */
    double flip; /* at most, the mean */
    double ppd;  /* pixels per degree for FLIP; 0 means the default */
    bool measure_all;
};

/*
 * One word of a rule, as on the command line without the dashes: tolerance share psnr ssim flip ppd.
 * 1 taken, 0 no such word, -1 the value is bad.
 */
int compare_rule_set(struct compare_rule *rule, const char *word, const char *value);

enum compare_status { COMPARE_SAME, COMPARE_DIFFERENT, COMPARE_FAILED };

struct compare_result {
    enum compare_status status;
    bool sizes_differ;
    bool identical; /* every value alike */
    bool has_ssim, has_flip;
    int depth; /* 8 or 16 bits a channel */
    struct imgdiff_counts counts;
    double ssim;
    struct imgdiff_flip_result flip;
    int32_t width[2], height[2];
    struct image_error error; /* of COMPARE_FAILED */
};

struct compare_pair {
    struct image images[2];
    uint16_t *deep[2];
};

/* Reads both files, at the same time. False, with a message, if one cannot be read. */
bool compare_read(const char *const paths[2], struct compare_pair *pair, struct image_error *err);
void compare_pair_free(struct compare_pair *pair);

/* Compares what was read. */
void compare_images(const struct compare_pair *pair, const struct compare_rule *rule,
                    struct compare_result *result);

/* "different: 12 of 4096 pixels (0.293 %), largest 17, ..." or "same ...". */
void compare_describe(const struct compare_result *result, struct textbuf *out);
/* The members of a JSON object, without its braces. */
void compare_json(const struct compare_result *result, struct textbuf *out);

#endif
