/* SPDX-License-Identifier: MIT */
/*
 * Starts this binary again as a child that runs one workload, with the environment of one side:
 * the folder of its libraries, its number of threads, and for Mesa everything that makes llvmpipe
 * fast (performance.md, part B). Waits for its line.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

#define SPAWN_LIMIT_MS 180000.0
#define SPAWN_MAX_CHANGES 24
#define SPAWN_TEXT_BYTES 4096

/*
 * llvmpipe without a window. With the default allocator it gives its scene memory back and faults
 * it in again each frame, 50 times slower on small draws.
 */
static const char *const mesa_environment[] = {
    "EGL_PLATFORM=surfaceless",
    "LIBGL_ALWAYS_SOFTWARE=1",
    "GALLIUM_DRIVER=llvmpipe",
    "MESA_SHADER_CACHE_DISABLE=true",
    "MALLOC_TRIM_THRESHOLD_=1000000000",
    "MALLOC_TOP_PAD_=67108864",
    "MALLOC_MMAP_THRESHOLD_=33554432",
};

struct environment {
    char **list;      /* pointers into environ and to changes */
    char *changes[SPAWN_MAX_CHANGES];
    int change_count;
};

static void change(struct environment *env, const char *name, const char *value) {
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = app_alloc(size);
    snprintf(text, size, "%s=%s", name, value);
    env->changes[env->change_count++] = text;
}

static bool same_name(const char *a, const char *b) {
    size_t length = strcspn(a, "=");
    return length == strcspn(b, "=") && memcmp(a, b, length) == 0;
}

static bool is_changed(const struct environment *env, const char *entry) {
    for (int i = 0; i < env->change_count; i++) {
        if (same_name(env->changes[i], entry)) {
            return true;
        }
    }
    return false;
}

static void environment_create(struct environment *env, const struct bench_side *side,
                               const struct bench_task *task) {
    size_t count = 0;
    memset(env, 0, sizeof *env);
    if (side->folder != NULL) {
        const char *old = getenv("LD_LIBRARY_PATH");
        bool has_old = old != NULL && old[0] != '\0';
        size_t size = strlen(side->folder) + (has_old ? strlen(old) : 0) + 2;
        char *path = app_alloc(size);
        snprintf(path, size, "%s%s%s", side->folder, has_old ? ":" : "", has_old ? old : "");
        change(env, "LD_LIBRARY_PATH", path);
        free(path);
    }
    if (task->threads > 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", side->as == BENCH_AS_ASKED ? task->threads : 1);
        change(env, "VLGL_THREADS", text);
        change(env, "LP_NUM_THREADS", text);
    }
    for (size_t i = 0; side->is_mesa && i < sizeof mesa_environment / sizeof mesa_environment[0];
         i++) {
        const char *entry = mesa_environment[i];
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
        change(env, name, strchr(entry, '=') + 1);
    }
    while (environ[count] != NULL) {
        count++;
    }
    env->list = app_alloc((count + SPAWN_MAX_CHANGES + 1) * sizeof env->list[0]);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_changed(env, environ[i])) {
            env->list[used++] = environ[i];
        }
    }
    for (int i = 0; i < env->change_count; i++) {
        env->list[used++] = env->changes[i];
    }
}

static void environment_free(struct environment *env) {
    for (int i = 0; i < env->change_count; i++) {
        free(env->changes[i]);
    }
    free(env->list);
}

/* Reads what the child prints until it closes its end. False when its time is up. */
static bool read_output(int fd, char *text, size_t size) {
    const double start = bench_now_ms();
    size_t used = 0;
    for (;;) {
        struct pollfd wait_for = {.fd = fd, .events = POLLIN};
        double left = SPAWN_LIMIT_MS - (bench_now_ms() - start);
        int ready = left > 0.0 ? poll(&wait_for, 1, (int)left + 1) : 0;
        if (ready == 0) {
            return false;
        }
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        char chunk[1024];
        ssize_t got = ready < 0 ? -1 : read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        for (ssize_t i = 0; i < got && used + 1 < size; i++) {
            text[used++] = chunk[i];
        }
    }
    text[used] = '\0';
    return true;
}

/* Starts the child; its standard output is *output. 0, or the error number. */
static int start_child(char *const *args, char *const *env, pid_t *child, int *output) {
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) {
        return errno;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (error == 0) {
            error = posix_spawn(child, "/proc/self/exe", &actions, NULL, args, env);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
    }
    *output = ends[0];
    return error;
}

/* The child's name for messages. */
static void task_name(const struct bench_side *side, const struct bench_task *task, char *out,
                      size_t size) {
    snprintf(out, size, "bench: %s on %s", task->entry->name, side->label);
}

/* Waits for the child and turns its line into a sample. */
static bool finish_child(pid_t child, bool in_time, const char *name, const char *text,
                         struct bench_sample *sample) {
    int status = 0;
    if (!in_time) {
        kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time) {
        app_error("%s: ended after %.0f s without a result", name, SPAWN_LIMIT_MS / 1e3);
        return false;
    }
    if (WIFSIGNALED(status)) {
        app_error("%s: died of signal %d", name, WTERMSIG(status));
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        app_error("%s: failed", name);
        return false;
    }
    const char *line = strstr(text, BENCH_LINE_START);
    if (line == NULL || !bench_line_parse(line, sample)) {
        app_error("%s: no result line", name);
        return false;
    }
    return true;
}

/* A child under way. */
struct child {
    pid_t pid;
    int output;
    int error; /* that kept it from starting */
};

/* The samples of children that ran at once as one: the time is that of one frame of all, so a part of the mean. */
static void add_sample(struct bench_sample *sum, const struct bench_sample *one, int count) {
    const double part = 1.0 / ((double)count * (double)count);
    const double ms = sum->ms + one->ms * part, min_ms = sum->min_ms + one->min_ms * part;
    const double cpu_ms = sum->cpu_ms + one->cpu_ms / (double)count;
    *sum = *one;
    sum->ms = ms;
    sum->min_ms = min_ms;
    sum->cpu_ms = cpu_ms;
}

/* Waits for all of them. */
static bool finish_children(const struct child *children, int count, const char *name,
                            struct bench_sample *sample) {
    char text[SPAWN_TEXT_BYTES];
    bool ok = true;
    memset(sample, 0, sizeof *sample);
    for (int i = 0; i < count; i++) {
        struct bench_sample one;
        memset(&one, 0, sizeof one);
        if (children[i].error != 0) {
            app_error("%s: cannot start a child: %s", name, strerror(children[i].error));
            ok = false;
            continue;
        }
        bool in_time = read_output(children[i].output, text, sizeof text);
        close(children[i].output);
        ok = finish_child(children[i].pid, in_time, name, text, &one) && ok;
        add_sample(sample, &one, count);
    }
    return ok;
}

bool bench_spawn(const struct bench_side *side, const struct bench_task *task,
                 struct bench_sample *sample) {
    char numbers[4][16];
    char start[32];
    char name[128];
    char program[] = "vlgl";
    char command[] = "bench";
    char word[] = BENCH_CHILD_WORD;
    char entry[64];
    char precision[16];
    struct environment env;
    const int count = side->as == BENCH_AS_COPIES && task->threads > 1 ? task->threads : 1;
    struct child *children = app_alloc((size_t)count * sizeof children[0]);
    task_name(side, task, name, sizeof name);
    snprintf(entry, sizeof entry, "%s", task->entry->name);
    snprintf(precision, sizeof precision, "%s",
             task->precision == BENCH_MEDIUMP ? "mediump" : "highp");
    snprintf(numbers[0], sizeof numbers[0], "%d", task->scale);
    snprintf(numbers[1], sizeof numbers[1], "%d", task->width);
    snprintf(numbers[2], sizeof numbers[2], "%d", task->height);
    snprintf(numbers[3], sizeof numbers[3], "%d", task->frames);
    char *args[] = {program,    command,    word,       entry,      precision,
                    numbers[0], numbers[1], numbers[2], numbers[3], start, NULL};
    environment_create(&env, side, task);
    snprintf(start, sizeof start, "%.6f", bench_now_ms());
    for (int i = 0; i < count; i++) {
        children[i].error = start_child(args, env.list, &children[i].pid, &children[i].output);
    }
    environment_free(&env);
    bool ok = finish_children(children, count, name, sample);
    free(children);
    return ok;
}
