/* SPDX-License-Identifier: MIT */
/*
 * The ratios as a chart: one horizontal bar a row on a logarithmic scale, from the line at 1 to
 * the right where the first side is faster, to the left where it is slower.
 */
#include <math.h>
#include <string.h>

#include "../common/pixfont.h"
#include "bench.h"

#define PLOT_SCALE 2
#define PLOT_CHAR (PIXFONT_ADVANCE * PLOT_SCALE)
#define PLOT_LABEL (32 * PLOT_CHAR)
#define PLOT_OCTAVE 88
#define PLOT_ROW 24
#define PLOT_TOP 84
#define PLOT_MARGIN 16

static const uint8_t ink[3] = {40, 40, 48};
static const uint8_t faint[3] = {222, 222, 228};
static const uint8_t paper[3] = {255, 255, 255};
static const uint8_t faster[3] = {62, 142, 92};
static const uint8_t slower[3] = {196, 82, 62};

/* Whole octaves that hold all ratios, at least 1/2 to 4. */
static void find_range(const struct bench_report *report, int *low, int *high) {
    *low = -1;
    *high = 2;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (row->is_done) {
            double octaves = log2(row->ratio);
            *low = octaves < *low ? (int)fmax(floor(octaves), -10.0) : *low;
            *high = octaves > *high ? (int)fmin(ceil(octaves), 10.0) : *high;
        }
    }
}

static void draw_axis(struct image *img, int low, int high, int bottom) {
    char text[24];
    for (int octave = low; octave <= high; octave++) {
        int x = PLOT_LABEL + (octave - low) * PLOT_OCTAVE;
        double value = exp2(octave);
        snprintf(text, sizeof text, "%.4g", value);
        pixfont_rect(img, x - 1, PLOT_TOP - 8, octave == 0 ? 3 : 1, bottom - PLOT_TOP + 8,
                     octave == 0 ? ink : faint);
        pixfont_text(img, x - (int)strlen(text) * PLOT_CHAR / 2, PLOT_TOP - 32, PLOT_SCALE, text,
                     ink);
    }
}

static void draw_bar(struct image *img, const struct bench_row *row, int y, int low, int high) {
    char text[96];
    int from = PLOT_LABEL - low * PLOT_OCTAVE;
    pixfont_text(img, PLOT_MARGIN, y, PLOT_SCALE, row->name, ink);
    if (row->task.threads > 0) {
        snprintf(text, sizeof text, "%d", row->task.threads);
        pixfont_text(img, PLOT_LABEL - 5 * PLOT_CHAR, y, PLOT_SCALE, text, ink);
    }
    double octaves = fmin(fmax(log2(row->ratio), low), high);
    int length = (int)lround(octaves * PLOT_OCTAVE);
    pixfont_rect(img, length < 0 ? from + length : from, y, length < 0 ? -length : length,
                 7 * PLOT_SCALE, row->ratio < 1.0 ? slower : faster);
    snprintf(text, sizeof text, row->ratio >= 10.0 ? "%.1f" : "%.2f", row->ratio);
    pixfont_text(img, PLOT_LABEL + (high - low) * PLOT_OCTAVE + PLOT_MARGIN, y, PLOT_SCALE, text,
                 ink);
}

bool bench_write_plot(const struct bench_report *report, const char *path) {
    struct image_error err;
    char title[128];
    int low;
    int high;
    int bars = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        bars += report->rows[i].is_done;
    }
    find_range(report, &low, &high);
    const int width = PLOT_LABEL + (high - low) * PLOT_OCTAVE + 8 * PLOT_CHAR + PLOT_MARGIN;
    const int bottom = PLOT_TOP + bars * PLOT_ROW;
    struct image img = app_image(width, bottom + PLOT_MARGIN);
    pixfont_rect(&img, 0, 0, img.width, img.height, paper);
    snprintf(title, sizeof title, "speed of %s over %s", report->sides[0].label,
             report->sides[1].label);
    pixfont_text(&img, PLOT_MARGIN, PLOT_MARGIN, PLOT_SCALE, title, ink);
    draw_axis(&img, low, high, bottom);
    int y = PLOT_TOP;
    for (size_t i = 0; i < report->row_count; i++) {
        if (report->rows[i].is_done) {
            draw_bar(&img, &report->rows[i], y, low, high);
            y += PLOT_ROW;
        }
    }
    bool ok = image_write_png(path, &img, false, &err);
    if (!ok) {
        app_error("%s", err.text);
    }
    image_free(&img);
    return ok;
}
