/* SPDX-License-Identifier: MIT */
/* The outcome of `vlgl test` as a page of its own, as JUnit's XML, and the contact sheet of --update. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/app.h"
#include "../common/pixfont.h"
#include "page.h"
#include "suite.h"
#include "tree.h"

#define PICTURE_LIMIT_BYTES ((size_t)256 << 20)

void page_fill(const char *page, const struct textbuf *json, struct textbuf *out) {
    static const char mark[] = "/*DATA*/null";
    const char *place = strstr(page, mark);
    if (place == NULL) {
        textbuf_add(out, page);
        return;
    }
    textbuf_add_bytes(out, page, (size_t)(place - page));
    textbuf_add_bytes(out, json->text, json->size);
    textbuf_add(out, place + strlen(mark));
}

static bool write_text(const char *folder, const char *name, const struct textbuf *text) {
    struct image_error err;
    char *path = tree_join(folder, name);
    bool ok = image_write_file(path, text->text, text->size, &err);
    if (!ok) {
        app_error("%s", err.text);
    }
    free(path);
    return ok;
}

/* ---- page ---- */

/* A picture file as a data URL; nothing is added if it cannot be read. Browsers take PNG and JPEG. */
static void add_picture(struct textbuf *out, const char *key, const char *path, bool *first) {
    struct image_error err;
    size_t size = 0;
    uint8_t *bytes = image_read_file(path, PICTURE_LIMIT_BYTES, &size, &err);
    if (bytes == NULL) {
        return;
    }
    const bool jpeg = size > 2 && bytes[0] == 0xff && bytes[1] == 0xd8;
    textbuf_addf(out, "%s\"%s\": \"data:image/%s;base64,", *first ? "" : ", ", key, jpeg ? "jpeg" : "png");
    textbuf_add_base64(out, bytes, size);
    textbuf_add(out, "\"");
    *first = false;
    free(bytes);
}

/* FLIP's map of two pictures in colors. */
static void add_flip(struct textbuf *out, const char *const paths[2], double ppd, bool *first) {
    struct compare_pair pair;
    struct image_error err;
    struct imgdiff_flip_result result;
    struct image map;
    size_t size = 0;
    if (!compare_read(paths, &pair, &err)) {
        return;
    }
    const struct image *a = &pair.images[0];
    float *errors = app_alloc((size_t)a->width * (size_t)a->height * sizeof errors[0]);
    if (imgdiff_flip(a, &pair.images[1], ppd > 0.0 ? ppd : IMGDIFF_DEFAULT_PPD, errors, &result, &err) &&
        image_alloc(&map, a->width, a->height, &err)) {
        for (size_t i = 0; i < (size_t)map.width * (size_t)map.height; i++) {
            imgdiff_heat(errors[i], map.pixels + i * 4);
        }
        uint8_t *bytes = image_encode_png(&map, false, &size, &err);
        if (bytes != NULL) {
            textbuf_addf(out, "%s\"flip\": \"data:image/png;base64,", *first ? "" : ", ");
            textbuf_add_base64(out, bytes, size);
            textbuf_add(out, "\"");
            *first = false;
        }
        free(bytes);
        image_free(&map);
    }
    free(errors);
    compare_pair_free(&pair);
}

static void add_images(struct textbuf *out, const struct suite *suite, const struct scene *scene) {
    char *now = suite_path(suite->output, scene, ".png");
    char *golden = suite_path(suite->golden, scene, ".png");
    char *before = suite_path(suite->output, scene, ".before.png");
    const char *old = scene->blessed ? before : golden;
    bool first = true;
    textbuf_add(out, "{");
    if (scene->status != SCENE_ERROR || scene->result.width[0] > 0) {
        add_picture(out, "now", now, &first);
    }
    const bool compared = scene->result.width[0] > 0;
    if (compared && !scene->result.identical) {
        add_picture(out, "golden", old, &first);
        if (!scene->result.sizes_differ) {
            const char *const paths[2] = {old, now};
            add_flip(out, paths, scene->rule.ppd, &first);
        }
    } else if (scene->status == SCENE_ERROR) {
        add_picture(out, "golden", golden, &first);
    }
    textbuf_add(out, "}");
    free(now);
    free(golden);
    free(before);
}

static void add_cost_row(struct textbuf *out, const char *name, bool has_before, uint64_t before, bool has_now,
                         uint64_t now, bool *first) {
    textbuf_add(out, *first ? "[" : ", [");
    textbuf_add_json(out, name);
    textbuf_add(out, ", ");
    if (has_before) {
        textbuf_addf(out, "%llu, ", (unsigned long long)before);
    } else {
        textbuf_add(out, "null, ");
    }
    if (has_now) {
        textbuf_addf(out, "%llu]", (unsigned long long)now);
    } else {
        textbuf_add(out, "null]");
    }
    *first = false;
}

static void add_costs(struct textbuf *out, const struct scene *scene) {
    bool first = true;
    uint64_t other = 0;
    textbuf_add(out, "[");
    for (size_t i = 0; scene->costs != NULL && i < scene->costs->count; i++) {
        const struct suite_cost *row = &scene->costs->rows[i];
        const bool known = suite_costs_find(scene->golden_costs, row->name, &other);
        add_cost_row(out, row->name, known, other, true, row->value, &first);
    }
    for (size_t i = 0; scene->golden_costs != NULL && i < scene->golden_costs->count; i++) {
        const struct suite_cost *row = &scene->golden_costs->rows[i];
        if (!suite_costs_find(scene->costs, row->name, &other)) {
            add_cost_row(out, row->name, true, row->value, false, 0, &first);
        }
    }
    textbuf_add(out, "]");
}

static void add_scene(struct textbuf *out, const struct suite *suite, const struct scene *scene) {
    textbuf_add(out, "{\"name\": ");
    textbuf_add_json(out, scene->name);
    textbuf_addf(out, ", \"status\": \"%s\", \"blessed\": %s, \"cheaper\": %zu, \"seconds\": ",
                 suite_status_name(scene->status), scene->blessed ? "true" : "false", scene->cheaper);
    textbuf_add_json_number(out, scene->seconds);
    textbuf_add(out, ", \"message\": ");
    textbuf_add_json(out, scene->message.size > 0 ? scene->message.text : "");
    textbuf_add(out, ", \"log\": ");
    textbuf_add_json(out, scene->status == SCENE_ERROR && scene->log != NULL ? scene->log : "");
    textbuf_add(out, ", \"result\": {");
    if (scene->result.width[0] > 0) {
        compare_json(&scene->result, out);
    }
    textbuf_add(out, "}, \"costs\": ");
    add_costs(out, scene);
    textbuf_add(out, ", \"images\": ");
    add_images(out, suite, scene);
    textbuf_add(out, "}");
}

bool suite_write_report(const struct suite *suite, struct scene *const *list, size_t count,
                        double seconds) {
    struct textbuf json = {NULL, 0, 0};
    struct textbuf page = {NULL, 0, 0};
    textbuf_add(&json, "{\"folder\": ");
    textbuf_add_json(&json, suite->folder);
    textbuf_add(&json, ", \"seconds\": ");
    textbuf_add_json_number(&json, seconds);
    textbuf_add(&json, ", \"scenes\": [");
    for (size_t i = 0; i < count; i++) {
        textbuf_add(&json, i > 0 ? ",\n" : "\n");
        add_scene(&json, suite, list[i]);
    }
    textbuf_add(&json, "]}");
    page_fill(page_test_html, &json, &page);
    bool ok = write_text(suite->output, "report.html", &page);
    textbuf_free(&json);
    textbuf_free(&page);
    return ok;
}

/* ---- JUnit ---- */

bool suite_write_junit(const struct suite *suite, struct scene *const *list, size_t count,
                       double seconds) {
    struct textbuf out = {NULL, 0, 0};
    size_t failures = 0;
    size_t errors = 0;
    for (size_t i = 0; i < count; i++) {
        errors += list[i]->status == SCENE_ERROR;
        failures += list[i]->status != SCENE_ERROR && list[i]->status != SCENE_PASSED && !list[i]->blessed;
    }
    textbuf_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"");
    textbuf_add_xml(&out, suite->folder);
    textbuf_addf(&out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n", count, failures,
                 errors, seconds);
    for (size_t i = 0; i < count; i++) {
        const struct scene *scene = list[i];
        const bool good = scene->status == SCENE_PASSED || scene->blessed;
        const char *kind = scene->status == SCENE_ERROR ? "error" : "failure";
        textbuf_add(&out, "  <testcase classname=\"vlgl\" name=\"");
        textbuf_add_xml(&out, scene->name);
        textbuf_addf(&out, "\" time=\"%.3f\"%s>", scene->seconds, good ? "/" : "");
        if (!good) {
            textbuf_addf(&out, "\n    <%s type=\"%s\" message=\"", kind, suite_status_name(scene->status));
            textbuf_add_xml(&out, scene->message.size > 0 ? scene->message.text : "");
            textbuf_add(&out, "\">");
            textbuf_add_xml(&out, scene->status == SCENE_ERROR && scene->log != NULL ? scene->log : "");
            textbuf_addf(&out, "</%s>\n  </testcase>", kind);
        }
        textbuf_add(&out, "\n");
    }
    textbuf_add(&out, "</testsuite>\n</testsuites>\n");
    bool ok = write_text(suite->output, "junit.xml", &out);
    textbuf_free(&out);
    return ok;
}

/* ---- contact sheet ---- */

#define CELL_WIDTH 240
#define CELL_HEIGHT 180
#define CELL_GAP 8
#define CELL_TITLE 14

static const uint8_t paper[3] = {32, 33, 38};
static const uint8_t ink[3] = {226, 228, 234};

/* A picture made to fit a cell: the mean of the pixels that fall on each. */
static void draw_cell(struct image *sheet, const struct image *img, int left, int top) {
    const double scale = (double)img->width / CELL_WIDTH > (double)img->height / CELL_HEIGHT
                             ? (double)img->width / CELL_WIDTH
                             : (double)img->height / CELL_HEIGHT;
    const int width = (int)((double)img->width / scale) > 0 ? (int)((double)img->width / scale) : 1;
    const int height = (int)((double)img->height / scale) > 0 ? (int)((double)img->height / scale) : 1;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int x0 = x * img->width / width, x1 = (x + 1) * img->width / width;
            int y0 = y * img->height / height, y1 = (y + 1) * img->height / height;
            int sum[3] = {0, 0, 0};
            x1 = x1 > x0 ? x1 : x0 + 1;
            y1 = y1 > y0 ? y1 : y0 + 1;
            for (int v = y0; v < y1; v++) {
                for (int u = x0; u < x1; u++) {
                    const uint8_t *p = img->pixels + 4 * ((size_t)v * (size_t)img->width + (size_t)u);
                    for (int c = 0; c < 3; c++) {
                        sum[c] += (p[c] * p[3] + 128 * (255 - p[3])) / 255;
                    }
                }
            }
            uint8_t *to = sheet->pixels + 4 * ((size_t)(top + y) * (size_t)sheet->width + (size_t)(left + x));
            for (int c = 0; c < 3; c++) {
                to[c] = (uint8_t)(sum[c] / ((x1 - x0) * (y1 - y0)));
            }
        }
    }
}

static void draw_row(struct image *sheet, const struct suite *suite, const struct scene *scene, int top) {
    struct image_error err;
    struct image pictures[3];
    char *now = suite_path(suite->golden, scene, ".png");
    char *before = suite_path(suite->output, scene, ".before.png");
    memset(pictures, 0, sizeof pictures);
    pixfont_text(sheet, CELL_GAP, top + 3, 1, scene->name, ink);
    bool has_now = image_read(now, &pictures[1], &err);
    bool has_old = access(before, R_OK) == 0 && image_read(before, &pictures[0], &err);
    if (has_now && has_old && pictures[0].width == pictures[1].width && pictures[0].height == pictures[1].height) {
        struct image triple;
        if (imgdiff_picture(&pictures[0], &pictures[1], &triple, &err)) {
            /* Its right third is the difference. */
            if (image_alloc(&pictures[2], pictures[0].width, pictures[0].height, &err)) {
                for (int y = 0; y < triple.height; y++) {
                    memcpy(pictures[2].pixels + (size_t)y * (size_t)pictures[2].width * 4,
                           triple.pixels + ((size_t)y * (size_t)triple.width + 2 * (size_t)pictures[2].width) * 4,
                           (size_t)pictures[2].width * 4);
                }
            }
            image_free(&triple);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (pictures[i].pixels != NULL) {
            draw_cell(sheet, &pictures[i], CELL_GAP + i * (CELL_WIDTH + CELL_GAP), top + CELL_TITLE);
        }
        image_free(&pictures[i]);
    }
    unlink(before);
    free(now);
    free(before);
}

bool suite_write_contact(const struct suite *suite, struct scene *const *list, size_t count) {
    struct image_error err;
    struct image sheet;
    size_t rows = 0;
    for (size_t i = 0; i < count; i++) {
        rows += list[i]->blessed;
    }
    if (rows == 0) {
        return true;
    }
    const int row_height = CELL_TITLE + CELL_HEIGHT + CELL_GAP;
    const size_t most = (size_t)(IMAGE_MAX_SIDE / row_height) - 1;
    rows = rows < most ? rows : most;
    if (!image_alloc(&sheet, 3 * CELL_WIDTH + 4 * CELL_GAP, 20 + (int)rows * row_height, &err)) {
        app_error("%s", err.text);
        return false;
    }
    static const char *const titles[3] = {"golden before", "golden now", "difference x8"};
    pixfont_rect(&sheet, 0, 0, sheet.width, sheet.height, paper);
    for (int i = 0; i < 3; i++) {
        pixfont_text(&sheet, CELL_GAP + i * (CELL_WIDTH + CELL_GAP), 6, 1, titles[i], ink);
    }
    size_t row = 0;
    for (size_t i = 0; i < count && row < rows; i++) {
        if (list[i]->blessed) {
            draw_row(&sheet, suite, list[i], 20 + (int)row++ * row_height);
        }
    }
    char *path = tree_join(suite->output, "contact.png");
    bool ok = image_write_png(path, &sheet, false, &err);
    if (!ok) {
        app_error("%s", err.text);
    }
    free(path);
    image_free(&sheet);
    return ok;
}
