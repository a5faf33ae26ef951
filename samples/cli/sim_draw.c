/* SPDX-License-Identifier: MIT */
/* Pictures of vlgl sim: the pipeline diagram, and what all its charts share. */
#include <stdio.h>
#include <string.h>

#include "../common/app.h"
#include "../common/pixfont.h"
#include "sim_cli.h"

const uint8_t sim_ink[3] = {40, 40, 48};
const uint8_t sim_faint[3] = {226, 226, 232};
const uint8_t sim_paper_color[3] = {255, 255, 255};

const uint8_t *sim_color(unsigned number) {
    static const uint8_t colors[9][3] = {
        {62, 142, 92},   {70, 118, 190},  {214, 140, 48},  {160, 80, 160}, {196, 82, 62},
        {108, 160, 190}, {150, 150, 60},  {110, 110, 122}, {228, 180, 80},
    };
    return colors[number % 9];
}

bool sim_write_picture(const char *path, struct image *img) {
    struct image_error err;
    bool ok = image_write_png(path, img, false, &err);
    if (!ok) {
        app_error("%s", err.text);
    }
    image_free(img);
    return ok;
}

/* ---- The pipeline diagram ---- */

#define CELL 22
#define LEFT (11 * SIM_CHAR)
#define TOP 96

/* Fetch, two decodes, modify, three executes, write. */
static const uint8_t stage_colors[8][3] = {
    {128, 164, 214}, {246, 214, 130}, {236, 188, 88},  {206, 168, 218},
    {170, 214, 160}, {134, 196, 128}, {100, 176, 100}, {232, 142, 124},
};

static void lighter(const uint8_t from[3], uint8_t to[3]) {
    for (int i = 0; i < 3; i++) {
        to[i] = (uint8_t)(from[i] + (255 - from[i]) * 3 / 5);
    }
}

static void draw_legend(struct image *img, int y) {
    static const char *const names[8] = {"fetch", "decode 0", "decode 1", "modify",
                                         "execute 1", "execute 2", "execute 3", "write 0"};
    int x = 16;
    for (unsigned s = 0; s < 8; s++) {
        pixfont_rect(img, x, y, 16, 16, stage_colors[s]);
        pixfont_text(img, x + 22, y, SIM_TEXT, names[s], sim_ink);
        x += 22 + (int)strlen(names[s]) * SIM_CHAR + 14;
    }
    pixfont_rect(img, x, y, 16, 4, sim_ink);
    pixfont_text(img, x + 22, y, SIM_TEXT, "write 1", sim_ink);
}

bool sim_write_diagram(const char *path, const char *title, const struct sim_diagram *d) {
    char text[160];
    const int columns = (int)d->clocks;
    const int wide = 8 * 10 * SIM_CHAR + 9 * 40 + 16;
    const int width = LEFT + columns * CELL + 16 > wide ? LEFT + columns * CELL + 16 : wide;
    struct image img = app_image(width, TOP + (int)SIM_THREADS * (CELL + 6) + 60);
    pixfont_rect(&img, 0, 0, img.width, img.height, sim_paper_color);
    snprintf(text, sizeof text, "%s: threads and clocks", title);
    pixfont_text(&img, 16, 14, SIM_TEXT, text, sim_ink);
    for (int x = 0; x < columns; x++) {
        bool slot0 = (d->first + (uint32_t)x) % 8 == 0;
        if (slot0) {
            snprintf(text, sizeof text, "%u", (unsigned)d->first + (unsigned)x);
            pixfont_text(&img, LEFT + x * CELL, TOP - 26, SIM_TEXT, text, sim_ink);
        }
        pixfont_rect(&img, LEFT + x * CELL, TOP - 6, 1, (int)SIM_THREADS * (CELL + 6) + 6, slot0 ? sim_ink : sim_faint);
    }
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        const int y = TOP + (int)t * (CELL + 6);
        snprintf(text, sizeof text, "thread %u", t);
        pixfont_text(&img, 16, y + 2, SIM_TEXT, text, sim_ink);
        for (int x = 0; x < columns; x++) {
            const int left = LEFT + x * CELL + 1;
            const unsigned stage = d->cell[t][x].stage;
            if (stage != 0) {
                uint8_t pale[3];
                lighter(stage_colors[stage - 1], pale);
                pixfont_rect(&img, left, y, CELL - 1, CELL, d->cell[t][x].ghost ? pale : stage_colors[stage - 1]);
            }
            if (stage == SIM_FETCH + 1) {
                snprintf(text, sizeof text, "%u", (unsigned)d->cell[t][x].unit);
                pixfont_text(&img, left + 2, y + 8, 1, text, sim_ink);
            }
            if (d->cell[t][x].writes) {
                pixfont_rect(&img, left, y, CELL - 1, 4, sim_ink);
            }
        }
    }
    draw_legend(&img, img.height - 36);
    return sim_write_picture(path, &img);
}
