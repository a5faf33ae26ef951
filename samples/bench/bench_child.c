/* SPDX-License-Identifier: MIT */
/*
 * One workload in this process: open, init, warm up, time the frames, then draw frame 0 over
 * transparent black, read the whole picture back and check it. Prints one line (bench_line.c).
 * A frame's time runs from its first call to the return of glFinish.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "bench.h"

#define CHILD_MAX_FRAMES 500
#define CHILD_WARM_UP_MS 40.0
#define CHILD_MEASURE_MS 250.0
#define CHILD_LEAST_FRAMES 5
/* A workload this slow is measured with fewer frames. */
#define CHILD_SLOW_MS 500.0
#define CHILD_ONCE_FRAMES 5

double bench_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Processor time that all threads of this process have used. */
static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof values[0], compare_double);
    return count == 0 ? 0.0 : 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static bool no_gl_error(const struct bench *b, const char *when) {
    GLenum error = glGetError();
    if (error != GL_NO_ERROR) {
        app_error("%s: GL error 0x%04x while %s", b->app.name, error, when);
    }
    return error == GL_NO_ERROR;
}

/* ---- what the process uses ---- */

/* Objects that the client itself brings, or that every process has. */
static bool is_common_object(const char *path) {
    static const char *const names[] = {"/libc.so",     "/libc-",      "/libm.so",  "/libm-",
                                        "/libdl",       "/libpthread", "/librt",    "/ld-linux",
                                        "/ld-2",        "/libpng",     "/libz.so",  "/libz-",
                                        "/libasan.so",  "/libubsan"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(path, names[i]) != NULL) {
            return true;
        }
    }
    return strstr(path, ".so") == NULL;
}

/* Sizes of the shared objects in this process's map, each counted once. */
static double mapped_megabytes(void) {
    char line[1024];
    char previous[1024] = "";
    double bytes = 0.0;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL) {
        return 0.0;
    }
    while (fgets(line, sizeof line, maps) != NULL) {
        struct stat info;
        char *path = strchr(line, '/');
        if (path == NULL) {
            continue;
        }
        path[strcspn(path, "\n")] = '\0';
        /* The segments of an object follow each other. */
        if (strcmp(path, previous) != 0 && !is_common_object(path) && stat(path, &info) == 0) {
            bytes += (double)info.st_size;
        }
        memcpy(previous, path, strlen(path) + 1);
    }
    fclose(maps);
    return bytes / 1e6;
}

static void measure_process(struct bench_sample *sample) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        sample->peak_mb = (double)usage.ru_maxrss * 1024.0 / 1e6;
    }
    sample->mapped_mb = mapped_megabytes();
}

/* ---- the frames ---- */

static double time_frame(struct bench *b, const struct workload *work, int frame) {
    double start = bench_now_ms();
    work->frame(b, frame);
    glFinish();
    return bench_now_ms() - start;
}

static bool time_frames(struct bench *b, const struct bench_task *task,
                        struct bench_sample *sample) {
    const struct workload *work = task->entry->work;
    const bool once = (task->entry->flags & BENCH_ONCE) != 0;
    const bool fresh = (task->entry->flags & BENCH_FRESH) != 0;
    double *ms = app_alloc(2 * CHILD_MAX_FRAMES * sizeof ms[0]);
    double *cpu = ms + CHILD_MAX_FRAMES;
    const double begin = bench_now_ms();
    int frame = 0;
    double last = 0.0;
    while (!once && (frame < 2 || bench_now_ms() - begin < CHILD_WARM_UP_MS)) {
        last = time_frame(b, work, frame++);
    }
    int wanted = task->frames > 0 ? task->frames : CHILD_MAX_FRAMES;
    wanted = fresh ? 1 : wanted > CHILD_MAX_FRAMES ? CHILD_MAX_FRAMES : wanted;
    wanted = once && !fresh && task->frames == 0 ? CHILD_ONCE_FRAMES : wanted;
    const int least = last > CHILD_SLOW_MS ? 2 : CHILD_LEAST_FRAMES;
    const double start = bench_now_ms();
    int count = 0;
    while (count < wanted) {
        if (task->frames == 0 && !once && count >= least &&
            bench_now_ms() - start > CHILD_MEASURE_MS) {
            break;
        }
        double cpu_start = cpu_ms();
        ms[count] = time_frame(b, work, frame++);
        cpu[count++] = cpu_ms() - cpu_start;
    }
    sample->frames = count;
    sample->ms = bench_median(ms, (size_t)count);
    sample->cpu_ms = bench_median(cpu, (size_t)count);
    sample->min_ms = ms[0];
    if (fresh) {
        sample->ms = sample->min_ms = bench_now_ms() - task->start_ms;
        sample->cpu_ms = cpu_ms();
    }
    free(ms);
    return no_gl_error(b, "drawing");
}

/* ---- verification ---- */

static double covered_pixels(const struct image *img) {
    size_t count = (size_t)img->width * (size_t)img->height;
    size_t covered = 0;
    for (size_t i = 0; i < count; i++) {
        covered += img->pixels[4 * i + 3] != 0;
    }
    return (double)covered;
}

static void make_thumb(const struct image *img, uint8_t thumb[BENCH_THUMB_BYTES]) {
    uint64_t sum[BENCH_THUMB_BYTES] = {0};
    uint64_t count[BENCH_THUMB_SIDE * BENCH_THUMB_SIDE] = {0};
    for (int y = 0; y < img->height; y++) {
        for (int x = 0; x < img->width; x++) {
            const uint8_t *p = img->pixels + 4 * ((size_t)y * (size_t)img->width + (size_t)x);
            int part = y * BENCH_THUMB_SIDE / img->height * BENCH_THUMB_SIDE +
                       x * BENCH_THUMB_SIDE / img->width;
            count[part]++;
            for (int k = 0; k < 3; k++) {
                sum[part * 3 + k] += p[k];
            }
        }
    }
    for (int i = 0; i < BENCH_THUMB_BYTES; i++) {
        uint64_t n = count[i / 3];
        thumb[i] = n == 0 ? 0 : (uint8_t)((sum[i] + n / 2) / n);
    }
}

/* At other sizes and scales something or nothing must be covered, as the row says. */
static bool coverage_is_good(const struct bench_task *task, double covered) {
    const struct bench_entry *entry = task->entry;
    const bool usual = task->scale == entry->scale && task->width == BENCH_DEFAULT_SIDE &&
                       task->height == BENCH_DEFAULT_SIDE;
    const double percent = 100.0 * covered / ((double)task->width * (double)task->height);
    const double low = usual ? entry->low_percent : entry->low_percent > 0 ? 1e-6 : 0.0;
    const double high = usual || entry->high_percent == 0 ? entry->high_percent : 100.0;
    if (percent < low || percent > high) {
        app_error("%s: %.1f %% of the picture are covered, not %.0f to %.0f %%", entry->name,
                  percent, low, high);
        return false;
    }
    return true;
}

static bool verify(struct bench *b, const struct bench_task *task, struct bench_sample *sample) {
    const struct bench_entry *entry = task->entry;
    char hash[SHA256_HEX_CHARS + 1];
    struct image img = app_image(task->width, task->height);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    entry->work->frame(b, 0);
    glReadPixels(0, 0, task->width, task->height, GL_RGBA, GL_UNSIGNED_BYTE, img.pixels);
    bool ok = no_gl_error(b, "drawing the verified frame");
    double covered = covered_pixels(&img);
    ok = ok && coverage_is_good(task, covered);
    ok = ok && (entry->work->check == NULL || entry->work->check(b, &img));
    if (b->counts.of[BENCH_PIXELS] < 0.0) {
        b->counts.of[BENCH_PIXELS] = covered;
    }
    image_hash(&img, hash);
    memcpy(sample->hash, hash, sizeof sample->hash - 1);
    make_thumb(&img, sample->thumb);
    image_free(&img);
    return ok && no_gl_error(b, "verifying");
}

static bool run_workload(struct bench *b, const struct bench_task *task,
                         struct bench_sample *sample) {
    glViewport(0, 0, task->width, task->height);
    if (!task->entry->work->init(b)) {
        if (b->skip != NULL) {
            sample->is_skipped = true;
            snprintf(sample->note, sizeof sample->note, "%s", b->skip);
        }
        return b->skip != NULL;
    }
    if (!no_gl_error(b, "starting") || !time_frames(b, task, sample)) {
        return false;
    }
    measure_process(sample); /* before the verification's own picture */
    if (!verify(b, task, sample)) {
        return false;
    }
    sample->counts = b->counts;
    return true;
}

/* ---- the command line, as bench_spawn.c writes it ---- */

static bool parse_task(int argc, char **argv, struct bench_task *task) {
    memset(task, 0, sizeof *task);
    if (argc != 7) {
        return false;
    }
    char *end = NULL;
    task->entry = bench_find(argv[0], strlen(argv[0]));
    task->precision = strcmp(argv[1], "mediump") == 0 ? BENCH_MEDIUMP : BENCH_HIGHP;
    task->start_ms = strtod(argv[6], &end);
    return task->entry != NULL && app_parse_int(argv[2], 0, 100000000, &task->scale) &&
           app_parse_int(argv[3], 1, APP_MAX_SIDE, &task->width) &&
           app_parse_int(argv[4], 1, APP_MAX_SIDE, &task->height) &&
           app_parse_int(argv[5], 0, CHILD_MAX_FRAMES, &task->frames) && *end == '\0';
}

int bench_child_main(int argc, char **argv) {
    struct bench_task task;
    struct bench_sample sample;
    struct bench b;
    memset(&sample, 0, sizeof sample);
    memset(&b, 0, sizeof b);
    if (!parse_task(argc, argv, &task)) {
        app_error("bench: %s is for the command's own use", BENCH_CHILD_WORD);
        return 2;
    }
    b.app.name = task.entry->name;
    b.precision = task.precision;
    b.scale = task.scale;
    if (!app_open(&b.app, task.width, task.height)) {
        return 1;
    }
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    snprintf(sample.renderer, sizeof sample.renderer, "%s", renderer != NULL ? renderer : "?");
    bool ok = run_workload(&b, &task, &sample);
    free(b.data);
    app_close(&b.app);
    if (ok) {
        bench_line_print(stdout, task.entry->name, &sample);
    }
    return ok && fflush(stdout) == 0 ? 0 : 1;
}
