/* SPDX-License-Identifier: MIT */
/*
 * vlgl bench: workloads as GLES2 clients, and what runs and compares them. A workload runs in a
 * child process of its own (bench_child.c), which prints one line; the parent (bench_spawn.c,
 * bench_run.c) starts the same binary against one or two GL libraries, in turn, and reports
 * (bench_report.c, bench_plot.c).
 */
#ifndef SAMPLES_BENCH_H
#define SAMPLES_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/app.h"

enum bench_unit {
    BENCH_PIXELS,
    BENCH_VERTICES,
    BENCH_TRIANGLES, /* or lines */
    BENCH_DRAWS,
    BENCH_FLOPS,
    BENCH_BYTES,
    BENCH_TIME, /* milliseconds; less is better */
    BENCH_UNIT_COUNT
};

enum {
    BENCH_RATE = 1u << 0,
    BENCH_PRECISION = 1u << 1,
    BENCH_ONCE = 1u << 2,
    BENCH_FRESH = 1u << 3,
    BENCH_COARSE = 1u << 4
};

/* The picture for which the coverage in workloads.def holds. */
#define BENCH_DEFAULT_SIDE 1024

enum bench_precision { BENCH_MEDIUMP, BENCH_HIGHP };

/* ---- workloads ---- */

/* What one frame does, by unit. Pixels below zero: the pixels that the picture covers. */
struct bench_counts {
    double of[BENCH_UNIT_COUNT];
};

/* The state of one workload. GL objects go with the context; `data` is freed by the runner. */
struct bench {
    struct app app;
    enum bench_precision precision;
    int scale;
    struct bench_counts counts;
    const char *skip; /* set by init when the library lacks something: why */
    GLuint program[2];
    GLint uniform[4];
    GLuint texture[4];
    struct app_target target[2];
    void *data;
};

struct workload {
    /* Makes GL objects and counts. False after app_error(), or with b->skip set. */
    bool (*init)(struct bench *b);
    /* One frame; ends without glFinish. Frame 0 is drawn again for verification. */
    void (*frame)(struct bench *b, int frame);
    /*
     * Looks at the picture of frame 0, which was drawn over transparent black; rows run from
     * the bottom. False after app_error(). May be NULL.
     */
    bool (*check)(struct bench *b, const struct image *img);
};

struct bench_entry {
    const char *name;
    enum bench_unit unit;
    unsigned flags;
    int low_percent;
    int high_percent;
    int scale;
    const char *summary;
    const struct workload *work;
};

extern const struct bench_entry bench_entries[];
extern const size_t bench_entry_count;
/* NULL if there is none of that name. */
const struct bench_entry *bench_find(const char *name, size_t length);

/* ---- helpers of workloads (bench_tools.c) ---- */

/* A program; the fragment text gets the default precision and COUNT, the scale, in front. */
GLuint bench_program(struct bench *b, const char *vertex_text, const char *fragment_text);
/* A vertex shader that passes vec4 position on, and vec2 uv as `place`. */
extern const char bench_place_vertex[];

/* A corner of a quad that fills the picture. */
struct bench_corner {
    float x, y, z, w;
    float u, v;
};
/* Binds a strip of four corners as position and uv; NULL: uv from 0 to 1, z 0. */
void bench_quad(const struct bench_corner corners[4]);
void bench_draw_quad(void);

/* A repeating test texture; its mean is near (128, 128, 120). */
GLuint bench_texture(int size, GLint min_filter, GLint mag_filter);
/* A texel of it. */
void bench_texel(int size, int x, int y, uint8_t texel[4]);

/* A wavy sheet of about `triangles` triangles, x and y from -1 to 1, facing +z. */
struct bench_grid {
    GLuint vertex_buffer;
    GLuint index_buffer;
    int columns;
    int rows;
    int band_rows; /* a band's vertices can be indexed with 16 bits */
    double vertices;
    double triangles;
};
struct bench_grid bench_grid_create(int triangles);
void bench_grid_draw(const struct bench_grid *grid);

/* True if the pixel is near the colour (0 to 255); else prints what is there. */
bool bench_pixel_is(const struct bench *b, const struct image *img, int x, int y,
                    const int color[4], int tolerance);
/* The same for the mean of the whole picture. */
bool bench_mean_is(const struct bench *b, const struct image *img, const int color[3],
                   int tolerance);

/* ---- one run ---- */

#define BENCH_THUMB_SIDE 8
#define BENCH_THUMB_BYTES (BENCH_THUMB_SIDE * BENCH_THUMB_SIDE * 3)

/* What is run: an entry with everything that may vary. */
struct bench_task {
    const struct bench_entry *entry;
    enum bench_precision precision;
    int scale;
    int width;
    int height;
    int frames;      /* 0: as many as a quarter of a second takes */
    int threads;     /* 0: as the library likes */
    double start_ms; /* CLOCK_MONOTONIC when the parent started the child */
};

/* What a child measured. */
struct bench_sample {
    bool is_skipped;
    char note[160]; /* why it was skipped */
    double ms;      /* median of the frames */
    double min_ms;
    double cpu_ms; /* processor time of all threads, median of the frames */
    int frames;
    struct bench_counts counts;
    double peak_mb;   /* resident memory at its highest */
    double mapped_mb; /* size of the shared objects mapped, without libc and the client's own */
    uint8_t thumb[BENCH_THUMB_BYTES]; /* means of 8x8 parts of the picture, RGB */
    char hash[17];
    char renderer[160];
};

double bench_now_ms(void);
/* Sorts; the mean of the middle two for even counts. */
double bench_median(double *values, size_t count);

/* Runs a task in this process and prints its line to standard output. The exit status. */
int bench_child_main(int argc, char **argv);

/* One side of a comparison: where its libraries are, and how many of what runs. */
enum bench_as {
    BENCH_AS_ASKED,  /* a child with the task's number of threads */
    BENCH_AS_SINGLE, /* with one thread */
    BENCH_AS_COPIES  /* as many children with one thread at once, each one's time divided by their number */
};
struct bench_side {
    char label[40];
    const char *folder; /* first on LD_LIBRARY_PATH; NULL: what the program finds itself */
    bool is_mesa;
    enum bench_as as;
};

/*
 * Runs a task in a child. False after a message; the child's own messages go to standard error.
 */
bool bench_spawn(const struct bench_side *side, const struct bench_task *task,
                 struct bench_sample *sample);
/* The command line of a child, and the line that it prints; bench_child.c is the other end. */
#define BENCH_CHILD_WORD "--child"
#define BENCH_LINE_START "vlgl-bench 1 "
bool bench_line_parse(const char *line, struct bench_sample *sample);
void bench_line_print(FILE *to, const char *name, const struct bench_sample *sample);

/* ---- rows, tables, files ---- */

struct bench_row {
    struct bench_task task;
    char name[64];
    bool is_done; /* every side and round has a figure */
    bool is_skipped;
    bool differs;   /* the two pictures are not alike */
    const char *skip_side;
    struct bench_sample last[2];
    double ms[2];     /* median over rounds of the children's medians */
    double min_ms[2]; /* least of all */
    double cpu_ms[2]; /* as ms, of processor time */
    double ratio;     /* first side's speed over the second's: median over rounds */
    double cpu_ratio; /* the same by processor time, which other programs disturb less */
};

struct bench_report {
    struct bench_side sides[2];
    int side_count;
    int rounds;
    struct bench_row *rows;
    size_t row_count;
    char command[512];
};

/* The rate of a row's unit, or milliseconds. */
double bench_rate(const struct bench_row *row, int side);
const char *bench_unit_name(enum bench_unit unit);
/* Runs the rows in turn, printing the table as it grows. False if any row failed. */
bool bench_run(struct bench_report *report);
void bench_print_head(const struct bench_report *report);
void bench_print_row(const struct bench_report *report, const struct bench_row *row);
void bench_print_summary(const struct bench_report *report);
/*
 * Geometric mean of the ratios of throughput rows with that number of threads; of rows with a
 * precision only those of the given one, all for -1. *count receives how many there were.
 */
double bench_geometric_mean(const struct bench_report *report, int threads, int precision,
                            bool by_cpu, int *count);
bool bench_write_json(const struct bench_report *report, const char *path);
bool bench_write_plot(const struct bench_report *report, const char *path);

#endif
