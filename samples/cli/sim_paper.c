/* SPDX-License-Identifier: MIT */
/* vlgl sim --paper: the papers' tables as text and as a chart of bars. */
#include <stdio.h>
#include <string.h>

#include "../common/app.h"
#include "../common/pixfont.h"
#include "cli.h"
#include "sim_cli.h"

static void number(char *out, size_t size, double v) {
    if (v < 0) {
        snprintf(out, size, "-");
    } else if (v == (double)(long)v) {
        snprintf(out, size, "%ld", (long)v);
    } else {
        snprintf(out, size, "%.2f", v);
    }
}

static void print_table(const struct sim_paper *paper) {
    char ours[24];
    char other[SIM_MACHINES][24];
    printf("one thread of the 128-bit VLIW: a dependent operation waits %u cycles, a taken branch costs %u\n\n",
           (unsigned)paper->baseline.latency, (unsigned)paper->baseline.penalty);
    printf("%-24s %-44s %-9s %9s %-15s %8s %8s %8s  %s\n", "", "", "", "here", "paper", "128-bit", "64-bit", "102-bit",
           "paper: 128-bit, 64-bit");
    for (unsigned i = 0; i < paper->count; i++) {
        const struct sim_paper_row *r = &paper->row[i];
        number(ours, sizeof ours, r->ours);
        for (unsigned m = 0; m < SIM_MACHINES; m++) {
            number(other[m], sizeof other[m], r->other[m]);
        }
        printf("%-24s %-44s %-9s %9s %-15s %8s %8s %8s", r->name, r->form, r->unit, ours, r->paper != NULL ? r->paper : "-",
               other[0], other[1], other[2]);
        if (r->paper_other[0] != NULL) {
            printf("  %s, %s", r->paper_other[0], r->paper_other[1] != NULL ? r->paper_other[1] : "-");
        }
        putchar('\n');
        if (r->why != NULL) {
            printf("    %s\n", r->why);
        }
    }
}

/* ---- The chart ---- */

#define LABEL (36 * SIM_CHAR)
#define BAR 9
#define LONGEST 420
#define TOP 92

struct bar {
    unsigned color;
    bool hollow; /* the papers' */
    double value;
};

/* The bars of a row; returns how many. */
static unsigned bars_of(const struct sim_paper_row *r, struct bar *bars) {
    unsigned n = 0;
    bars[n++] = (struct bar){0, false, r->ours};
    if (r->paper_value >= 0) {
        bars[n++] = (struct bar){0, true, r->paper_value};
    }
    for (unsigned m = 0; m < SIM_MACHINES; m++) {
        if (r->other[m] >= 0) {
            bars[n++] = (struct bar){2 + m, false, r->other[m]};
        }
        if (r->paper_other_value[m] >= 0) {
            bars[n++] = (struct bar){2 + m, true, r->paper_other_value[m]};
        }
    }
    return n;
}

static int row_height(const struct sim_paper_row *r) {
    struct bar bars[2 + 2 * SIM_MACHINES];
    int height = (int)bars_of(r, bars) * (BAR + 2) + 8;
    return height > 38 ? height : 38;
}

static void draw_row(struct image *img, const struct sim_paper_row *r, int y) {
    struct bar bars[2 + 2 * SIM_MACHINES];
    char text[128];
    double most = 0.0;
    unsigned count = bars_of(r, bars);
    for (unsigned i = 0; i < count; i++) {
        most = bars[i].value > most ? bars[i].value : most;
    }
    /* The font has no capitals, and m/s is something else. */
    const char *unit = strcmp(r->unit, "M/s") == 0 ? "millions/s" : r->unit[0] != '\0' ? r->unit : "count";
    snprintf(text, sizeof text, "%s, %s", r->name, unit);
    pixfont_text(img, 16, y, SIM_TEXT, text, sim_ink);
    pixfont_text(img, 28, y + 20, 1, r->form, sim_ink);
    for (unsigned i = 0; i < count; i++, y += BAR + 2) {
        int length = most > 0.0 ? (int)(bars[i].value / most * LONGEST + 0.5) : 0;
        pixfont_rect(img, LABEL, y, length > 1 ? length : 1, BAR, sim_color(bars[i].color));
        if (bars[i].hollow && length > 4) {
            pixfont_rect(img, LABEL + 2, y + 2, length - 4, BAR - 4, sim_paper_color);
        }
        number(text, sizeof text, bars[i].value);
        pixfont_text(img, LABEL + length + 6, y, 1, text, sim_ink);
    }
}

static bool write_chart(const char *path, const struct sim_paper *paper) {
    static const char *const names[5] = {"vl-iw", "the papers' (hollow)", "128-bit vliw", "64-bit", "102-bit"};
    int height = TOP + 24;
    for (unsigned i = 0; i < paper->count; i++) {
        height += row_height(&paper->row[i]);
    }
    struct image img = app_image(LABEL + LONGEST + 90, height);
    pixfont_rect(&img, 0, 0, img.width, img.height, sim_paper_color);
    pixfont_text(&img, 16, 14, SIM_TEXT, "the papers' figures, each row on its own scale", sim_ink);
    for (unsigned i = 0, x = 16; i < 5; i++) {
        pixfont_rect(&img, (int)x, 46, 18, 14, i == 1 ? sim_ink : sim_color(i));
        if (i == 1) {
            pixfont_rect(&img, (int)x + 2, 48, 14, 10, sim_paper_color);
        }
        pixfont_text(&img, (int)x + 24, 46, SIM_TEXT, names[i], sim_ink);
        x += 24 + (unsigned)strlen(names[i]) * SIM_CHAR + 20;
    }
    int y = TOP;
    for (unsigned i = 0; i < paper->count; i++) {
        if (i % 2 == 0) {
            static const uint8_t shade[3] = {246, 246, 250};
            pixfont_rect(&img, 8, y - 4, img.width - 16, row_height(&paper->row[i]), shade);
        }
        draw_row(&img, &paper->row[i], y);
        y += row_height(&paper->row[i]);
    }
    return sim_write_picture(path, &img);
}

int sim_run_paper(const struct sim_options *options) {
    struct vliw_error error;
    struct sim_paper *paper = sim_paper_run(&error);
    if (paper == NULL) {
        app_error("sim --paper: %s", error.message);
        return CLI_FAILED;
    }
    print_table(paper);
    bool ok = options->output == NULL || write_chart(options->output, paper);
    sim_paper_destroy(paper);
    return ok ? CLI_OK : CLI_FAILED;
}
