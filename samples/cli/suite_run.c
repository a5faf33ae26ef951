/* SPDX-License-Identifier: MIT */
/*
 * Renders scenes, each in a process of its own: a crash, a hang or a leak of one is a line of the
 * report. Pictures, profiles and what the processes print go to the output folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/app.h"
#include "suite.h"
#include "tree.h"

#define LOG_LIMIT_BYTES ((size_t)1 << 20)

extern char **environ;

struct process {
    struct scene *scene; /* NULL: the place is free */
    pid_t pid;
    double start;
    bool killed;
    char *picture, *profile, *log;
};

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a process ---- */

static char *join_text(const char *a, const char *b) {
    char *all = app_alloc(strlen(a) + strlen(b) + 1);
    strcpy(all, a);
    strcat(all, b);
    return all;
}

/* The environment with what the scene and the measuring need; entries of `made` are to be freed. */
static char **make_environment(const struct scene *scene, const struct process *process, char **made,
                               size_t *made_count) {
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **all = app_alloc((count + scene->variable_count + 4) * sizeof all[0]);
    made[0] = join_text("VLGL_PROFILE=", scene->has_cost ? process->profile : "");
    made[1] = join_text("OUT=", process->picture);
    made[2] = join_text("VLGL_THREADS=", getenv("VLGL_THREADS") != NULL ? getenv("VLGL_THREADS") : "1");
    *made_count = 3;
    size_t used = 0;
    for (size_t i = 0; i < *made_count; i++) {
        all[used++] = made[i];
    }
    for (size_t i = 0; i < scene->variable_count; i++) {
        all[used++] = scene->variables[i];
    }
    for (size_t i = 0; i < count; i++) {
        bool replaced = false;
        const size_t name = strcspn(environ[i], "=") + 1;
        for (size_t k = 0; k < *made_count + scene->variable_count; k++) {
            replaced = replaced || strncmp(all[k], environ[i], name) == 0;
        }
        if (!replaced) {
            all[used++] = environ[i];
        }
    }
    return all;
}

/* The command line; file names of the manifest are relative to its folder, where the process runs. */
static size_t make_arguments(const struct scene *scene, const struct process *process, char *self,
                             char **words) {
    size_t used = 0;
    if (scene->kind == SCENE_COMMAND) {
        words[used++] = (char *)(uintptr_t) "/bin/sh";
        words[used++] = (char *)(uintptr_t) "-c";
        words[used++] = scene->source;
    } else {
        words[used++] = self;
        words[used++] = (char *)(uintptr_t) "render";
        words[used++] = scene->source;
        words[used++] = (char *)(uintptr_t) "-o";
        words[used++] = process->picture;
        for (size_t i = 0; i < scene->word_count; i++) {
            words[used++] = scene->words[i];
        }
    }
    words[used] = NULL;
    return used;
}

/* Starts the scene's process in the manifest's folder, alone in its process group. */
static bool start(const struct suite *suite, struct process *process) {
    struct scene *scene = process->scene;
    char self[PATH_MAX];
    char *words[SUITE_MAX_WORDS + 8];
    char *made[4];
    size_t made_count = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        textbuf_add(&scene->message, "the command does not find itself");
        return false;
    }
    self[length] = '\0';
    process->picture = suite_path(suite->output, scene, ".png");
    process->profile = suite_path(suite->output, scene, ".profile.json");
    process->log = suite_path(suite->output, scene, ".log");
    unlink(process->picture);
    unlink(process->profile);
    make_arguments(scene, process, self, words);
    char **environment = make_environment(scene, process, made, &made_count);
    pid_t pid = fork();
    if (pid == 0) {
        int log = open(process->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        int nothing = open("/dev/null", O_RDONLY);
        setpgid(0, 0);
        if (log < 0 || nothing < 0 || chdir(suite->folder) != 0 || dup2(nothing, 0) < 0 || dup2(log, 1) < 0 ||
            dup2(log, 2) < 0) {
            _exit(127);
        }
        execve(words[0], words, environment);
        _exit(127);
    }
    process->pid = pid;
    process->start = now_seconds();
    process->killed = false;
    free(environment);
    for (size_t i = 0; i < made_count; i++) {
        free(made[i]);
    }
    if (pid < 0) {
        textbuf_addf(&scene->message, "no process can be started: %s", strerror(errno));
    }
    return pid >= 0;
}

/* The first line that was printed, for the message. */
static void add_first_line(struct scene *scene) {
    if (scene->log != NULL && scene->log[0] != '\0') {
        textbuf_addf(&scene->message, ": %.*s", (int)strcspn(scene->log, "\n"), scene->log);
    }
}

/* What came of it: the log, an error's message, the costs. */
static void finish(struct process *process, int status) {
    struct scene *scene = process->scene;
    struct image_error err;
    size_t size = 0;
    scene->seconds = now_seconds() - process->start;
    scene->log = (char *)image_read_file(process->log, LOG_LIMIT_BYTES, &size, &err);
    scene->status = SCENE_ERROR;
    if (process->killed) {
        textbuf_addf(&scene->message, "stopped after %d seconds", scene->timeout_seconds);
    } else if (WIFSIGNALED(status)) {
        textbuf_addf(&scene->message, "the process was ended by signal %d", WTERMSIG(status));
        add_first_line(scene);
    } else if (WEXITSTATUS(status) != 0) {
        textbuf_addf(&scene->message, "exit status %d", WEXITSTATUS(status));
        add_first_line(scene);
    } else if (access(process->picture, R_OK) != 0) {
        textbuf_add(&scene->message, "no picture was written to $OUT");
        add_first_line(scene);
    } else {
        scene->status = SCENE_PASSED;
        if (scene->has_cost) {
            scene->costs = suite_costs_of_profile(process->profile, &scene->message);
            scene->status = scene->costs != NULL ? SCENE_PASSED : SCENE_ERROR;
        }
    }
    if (scene->log != NULL && (scene->status == SCENE_PASSED || scene->log[0] == '\0')) {
        unlink(process->log);
    }
    unlink(process->profile);
}

static void release(struct process *process) {
    free(process->picture);
    free(process->profile);
    free(process->log);
    memset(process, 0, sizeof *process);
}

/* ---- all ---- */

/* Looks at one running process: true if it has ended. */
static bool poll_process(struct process *process) {
    int status = 0;
    if (waitpid(process->pid, &status, WNOHANG) == process->pid) {
        finish(process, status);
        return true;
    }
    if (!process->killed && now_seconds() - process->start > (double)process->scene->timeout_seconds) {
        process->killed = true;
        kill(-process->pid, SIGKILL);
    }
    return false;
}

void suite_run(const struct suite *suite, struct scene **list, size_t count,
               void (*done)(const struct suite *suite, struct scene *scene)) {
    struct process *processes = app_alloc((size_t)suite->jobs * sizeof processes[0]);
    size_t next = 0;
    size_t ended = 0;
    while (ended < count) {
        bool idle = true;
        for (int p = 0; p < suite->jobs; p++) {
            struct process *process = &processes[p];
            if (process->scene != NULL && poll_process(process)) {
                struct scene *scene = process->scene;
                release(process);
                done(suite, scene);
                ended++;
                idle = false;
            }
            if (process->scene == NULL && next < count) {
                process->scene = list[next++];
                if (!start(suite, process)) {
                    process->scene->status = SCENE_ERROR;
                    struct scene *scene = process->scene;
                    release(process);
                    done(suite, scene);
                    ended++;
                }
                idle = false;
            }
        }
        if (idle) {
            nanosleep(&(struct timespec){0, 2000000}, NULL);
        }
    }
    free(processes);
}
