/* SPDX-License-Identifier: MIT */
/* Reads two picture files on two threads, measures what the rule asks for, and tells it. */
#include "compare.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/app.h"

/* ---- rules ---- */

static bool parse_number(const char *text, double low, double high, double *value) {
    char *end = NULL;
    if (text[0] == '\0' || strspn(text, "0123456789.+-eE") != strlen(text)) {
        return false;
    }
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= low && number <= high)) {
        return false;
    }
    *value = number;
    return true;
}

int compare_rule_set(struct compare_rule *rule, const char *word, const char *value) {
    const struct {
        const char *word;
        double low, high;
        double *value;
        bool *given;
    } rows[] = {
        {"share", 0.0, 100.0, &rule->share, &rule->has_pixels},
        {"psnr", 0.0, 1000.0, &rule->psnr, &rule->has_psnr},
        {"ssim", -1.0, 1.0, &rule->ssim, &rule->has_ssim},
        {"flip", 0.0, 1.0, &rule->flip, &rule->has_flip},
        {"ppd", 1.0, IMGDIFF_MAX_PPD, &rule->ppd, NULL},
    };
    if (strcmp(word, "tolerance") == 0) {
        rule->has_pixels = true;
        return value != NULL && app_parse_int(value, 0, 255, &rule->tolerance) ? 1 : -1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(word, rows[i].word) == 0) {
            if (rows[i].given != NULL) {
                *rows[i].given = true;
            }
            return value != NULL && parse_number(value, rows[i].low, rows[i].high, rows[i].value)
                       ? 1
                       : -1;
        }
    }
    return 0;
}

/* ---- reading ---- */

struct reader {
    const char *path;
    struct image *img;
    uint16_t **deep;
    struct image_error err;
    bool ok;
};

static void *read_one(void *data) {
    struct reader *reader = data;
    reader->ok = image_read_deep(reader->path, reader->img, reader->deep, &reader->err);
    return NULL;
}

/* 8 bits as 16: each value twice. */
static uint16_t *widen(const struct image *img) {
    const size_t count = (size_t)img->width * (size_t)img->height * 4;
    uint16_t *deep = malloc(count * sizeof deep[0]);
    for (size_t i = 0; deep != NULL && i < count; i++) {
        deep[i] = (uint16_t)(img->pixels[i] * 257);
    }
    return deep;
}

bool compare_read(const char *const paths[2], struct compare_pair *pair, struct image_error *err) {
    struct reader readers[2];
    pthread_t thread;
    memset(pair, 0, sizeof *pair);
    for (int i = 0; i < 2; i++) {
        readers[i].path = paths[i];
        readers[i].img = &pair->images[i];
        readers[i].deep = &pair->deep[i];
    }
    bool threaded = pthread_create(&thread, NULL, read_one, &readers[0]) == 0;
    read_one(&readers[1]);
    if (threaded) {
        pthread_join(thread, NULL);
    } else {
        read_one(&readers[0]);
    }
    bool ok = readers[0].ok && readers[1].ok;
    if (!ok) {
        *err = readers[0].ok ? readers[1].err : readers[0].err;
    }
    for (int i = 0; ok && i < 2; i++) {
        if (pair->deep[i] == NULL && pair->deep[1 - i] != NULL) {
            pair->deep[i] = widen(&pair->images[i]);
            if (pair->deep[i] == NULL) {
                snprintf(err->text, sizeof err->text, "%.500s: no memory for 16 bits", paths[i]);
                ok = false;
            }
        }
    }
    if (!ok) {
        compare_pair_free(pair);
    }
    return ok;
}

void compare_pair_free(struct compare_pair *pair) {
    for (int i = 0; i < 2; i++) {
        image_free(&pair->images[i]);
        free(pair->deep[i]);
        pair->deep[i] = NULL;
    }
}

/* ---- deciding ---- */

static bool keeps_rule(const struct compare_rule *rule, const struct compare_result *result) {
    const struct imgdiff_counts *counts = &result->counts;
    const bool others = rule->has_psnr || rule->has_ssim || rule->has_flip;
    const double percent = 100.0 * (double)counts->beyond_count / (double)counts->pixel_count;
    return (percent <= rule->share || (others && !rule->has_pixels)) &&
           (!rule->has_psnr || counts->psnr_db >= rule->psnr) &&
           (!rule->has_ssim || result->ssim >= rule->ssim) &&
           (!rule->has_flip || result->flip.mean <= rule->flip);
}

void compare_images(const struct compare_pair *pair, const struct compare_rule *rule,
                    struct compare_result *result) {
    const struct image *a = &pair->images[0];
    const struct image *b = &pair->images[1];
    const uint16_t *const deep[2] = {pair->deep[0], pair->deep[1]};
    memset(result, 0, sizeof *result);
    for (int i = 0; i < 2; i++) {
        result->width[i] = pair->images[i].width;
        result->height[i] = pair->images[i].height;
    }
    result->depth = deep[0] != NULL ? 16 : 8;
    result->sizes_differ = a->width != b->width || a->height != b->height;
    if (result->sizes_differ) {
        result->status = COMPARE_DIFFERENT;
        return;
    }
    imgdiff_count(a, b, deep, rule->tolerance, &result->counts);
    result->identical = result->counts.differing_count == 0;
    result->has_ssim = rule->has_ssim || rule->measure_all;
    result->has_flip = rule->has_flip || rule->measure_all;
    result->ssim = 1.0;
    bool ok = true;
    if (!result->identical && result->has_ssim) {
        ok = imgdiff_ssim(a, b, &result->ssim, &result->error);
    }
    if (ok && !result->identical && result->has_flip) {
        double ppd = rule->ppd > 0.0 ? rule->ppd : IMGDIFF_DEFAULT_PPD;
        ok = imgdiff_flip(a, b, ppd, NULL, &result->flip, &result->error);
    }
    result->status = !ok                        ? COMPARE_FAILED
                     : keeps_rule(rule, result) ? COMPARE_SAME
                                                : COMPARE_DIFFERENT;
}

/* ---- telling ---- */

void compare_describe(const struct compare_result *result, struct textbuf *out) {
    const struct imgdiff_counts *counts = &result->counts;
    if (result->status == COMPARE_FAILED) {
        textbuf_add(out, result->error.text);
        return;
    }
    if (result->sizes_differ) {
        textbuf_addf(out, "different: sizes %dx%d and %dx%d", (int)result->width[0],
                     (int)result->height[0], (int)result->width[1], (int)result->height[1]);
        return;
    }
    if (result->identical) {
        textbuf_addf(out, "same: all %llu pixels", (unsigned long long)counts->pixel_count);
        return;
    }
    textbuf_addf(out, "%s: %llu of %llu pixels (%.4g %%)",
                 result->status == COMPARE_SAME ? "same by the rule" : "different",
                 (unsigned long long)counts->differing_count,
                 (unsigned long long)counts->pixel_count,
                 100.0 * (double)counts->differing_count / (double)counts->pixel_count);
    if (counts->beyond_count != counts->differing_count) {
        textbuf_addf(out, ", %llu beyond the tolerance", (unsigned long long)counts->beyond_count);
    }
    textbuf_addf(out, ", largest %.5g", counts->max_difference);
    if (counts->first_x >= 0) {
        textbuf_addf(out, ", first at %d,%d", (int)counts->first_x, (int)counts->first_y);
    }
    textbuf_addf(out, ", PSNR %.2f dB", counts->psnr_db);
    if (result->has_ssim) {
        textbuf_addf(out, ", SSIM %.5f", result->ssim);
    }
    if (result->has_flip) {
        textbuf_addf(out, ", FLIP %.5f", result->flip.mean);
    }
}

void compare_json(const struct compare_result *result, struct textbuf *out) {
    static const char *const names[] = {"same", "different", "failed"};
    const struct imgdiff_counts *counts = &result->counts;
    textbuf_addf(out, "\"status\": \"%s\"", names[result->status]);
    if (result->status == COMPARE_FAILED) {
        textbuf_add(out, ", \"reason\": ");
        textbuf_add_json(out, result->error.text);
        return;
    }
    if (result->sizes_differ) {
        textbuf_addf(out, ", \"reason\": \"sizes differ\", \"sizes\": [[%d, %d], [%d, %d]]",
                     (int)result->width[0], (int)result->height[0], (int)result->width[1],
                     (int)result->height[1]);
        return;
    }
    textbuf_addf(out,
                 ", \"identical\": %s, \"width\": %d, \"height\": %d, \"bits\": %d, "
                 "\"differing\": %llu, \"beyond\": %llu, \"largest\": ",
                 result->identical ? "true" : "false", (int)result->width[0],
                 (int)result->height[0], result->depth,
                 (unsigned long long)counts->differing_count,
                 (unsigned long long)counts->beyond_count);
    textbuf_add_json_number(out, counts->max_difference);
    if (counts->first_x >= 0) {
        textbuf_addf(out, ", \"first\": [%d, %d]", (int)counts->first_x, (int)counts->first_y);
    }
    textbuf_add(out, ", \"psnr\": ");
    textbuf_add_json_number(out, counts->psnr_db); /* null: infinite */
    if (result->has_ssim) {
        textbuf_add(out, ", \"ssim\": ");
        textbuf_add_json_number(out, result->ssim);
    }
    if (result->has_flip) {
        textbuf_add(out, ", \"flip\": ");
        textbuf_add_json_number(out, result->flip.mean);
        textbuf_add(out, ", \"flip_largest\": ");
        textbuf_add_json_number(out, result->flip.largest);
    }
}
