/* SPDX-License-Identifier: MIT */
/* VLGL_* variables and the number of CPUs that a process may use. */
#define _GNU_SOURCE
#include "api/environment.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "renderer/renderer.h"
#include "vm/include/vliw.h"

/* Decimal digits up to 'most'; NULL if there are none or too much. Else what follows them. */
static const char *read_number(const char *text, uint64_t most, uint64_t *value) {
    const char *p = text;
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        *value = *value * 10 + (uint64_t)(*p - '0');
        if (*value > most) {
            return NULL;
        }
    }
    return p == text ? NULL : p;
}

/* A variable that is a number from least to most; false if it is something else. */
static bool number_variable(const char *name, uint64_t least, uint64_t most, uint64_t *value, const char **text) {
    *text = getenv(name);
    if (!*text || !**text) {
        return true;
    }
    const char *end = read_number(*text, most, value);
    return end && !*end && *value >= least;
}

static bool window_variable(uint64_t size[2], const char **text) {
    *text = getenv("VLGL_WINDOW");
    if (!*text || !**text) {
        return true;
    }
    const char *x = read_number(*text, RN_MAX_SIZE, &size[0]);
    const char *end = x && *x == 'x' ? read_number(x + 1, RN_MAX_SIZE, &size[1]) : NULL;
    return end && !*end && size[0] >= 1 && size[1] >= 1;
}

/* A text variable, NULL if it is not set or empty. */
static const char *text_variable(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* A list of words that es_debug_flag is asked for. */
static bool debug_variable(const char **text) {
    static const char *const words[] = {"errors", "shaders", "quiet"};
    *text = text_variable("VLGL_DEBUG");
    for (const char *at = *text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        bool known = length == 0;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            known = known || (length == strlen(words[i]) && memcmp(at, words[i], length) == 0);
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

/* "frame,x,y" or "frame,vNUMBER". */
static bool trace_variable(struct es_trace_at *at, const char **text) {
    uint64_t value[3] = {0, 0, 0};
    *text = text_variable("VLGL_TRACE");
    if (!*text) {
        return true;
    }
    const char *end = read_number(*text, UINT32_MAX, &value[0]);
    at->frame = (uint32_t)value[0];
    at->is_vertex = end && end[0] == ',' && end[1] == 'v';
    if (at->is_vertex) {
        end = read_number(end + 2, UINT32_MAX, &value[1]);
        at->vertex = (uint32_t)value[1];
        return end && !*end;
    }
    end = end && *end == ',' ? read_number(end + 1, RN_MAX_SIZE, &value[1]) : NULL;
    end = end && *end == ',' ? read_number(end + 1, RN_MAX_SIZE, &value[2]) : NULL;
    at->x = (uint32_t)value[1];
    at->y = (uint32_t)value[2];
    return end && !*end;
}

const char *es_environment_read(struct es_environment *out) {
    static _Thread_local char message[200];
    uint64_t threads = 0, budget = 0, narrow = 1, size[2] = {800, 600};
    const char *text;
    const char *error = vliw_simd_environment_error();
    if (error) {
        return error;
    }
    if (!number_variable("VLGL_THREADS", 1, ES_MAX_THREADS, &threads, &text)) {
        snprintf(message, sizeof message, "VLGL_THREADS=%.60s is no number of threads from 1 to %d", text, ES_MAX_THREADS);
        return message;
    }
    if (!number_variable("VLGL_BUDGET", 1, UINT32_MAX, &budget, &text)) {
        snprintf(message, sizeof message, "VLGL_BUDGET=%.60s is no number of instructions from 1 to 4294967295", text);
        return message;
    }
    if (!number_variable("VLGL_NARROW", 0, 1, &narrow, &text)) {
        snprintf(message, sizeof message, "VLGL_NARROW=%.60s is neither 0 nor 1", text);
        return message;
    }
    if (!window_variable(size, &text)) {
        snprintf(message, sizeof message, "VLGL_WINDOW=%.60s is no size: WIDTHxHEIGHT, each 1 to %d", text, RN_MAX_SIZE);
        return message;
    }
    if (!debug_variable(&text)) {
        snprintf(message, sizeof message, "VLGL_DEBUG=%.60s has other words than errors, shaders, quiet (with commas between)", text);
        return message;
    }
    struct es_trace_at at = {0};
    if (!trace_variable(&at, &text)) {
        snprintf(message, sizeof message, "VLGL_TRACE=%.60s is neither FRAME,X,Y nor FRAME,vVERTEX", text);
        return message;
    }
    const char *trace = text_variable("VLGL_TRACE"), *warps = text_variable("VLGL_WARPS");
    if (trace && warps) {
        return "VLGL_TRACE and VLGL_WARPS do not go together";
    }
    if (warps) {
        threads = 1; /* a recording is in the order in which one thread shades */
    }
    *out = (struct es_environment){threads ? (unsigned)threads : es_machine_threads(), (uint32_t)budget, (uint32_t)size[0],
                                   (uint32_t)size[1], narrow != 0, text_variable("VLGL_PROFILE"), trace, at, warps};
    return NULL;
}

/* ---- the machine ------------------------------------------------------------------------------------------ */

/* Reads a small file whole into text; false when it is not there. */
static bool read_file(const char *path, char *text, size_t size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t n = read(file, text, size - 1);
    close(file);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* CPUs of a quota and a period in microseconds, rounded up. */
static unsigned quota_cpus(uint64_t quota, uint64_t period) {
    const uint64_t n = period ? (quota + period - 1) / period : ES_MAX_THREADS;
    return n < 1 ? 1 : n > ES_MAX_THREADS ? ES_MAX_THREADS : (unsigned)n;
}

/* The quota of one group of either kind of hierarchy; ES_MAX_THREADS if it has none. */
static unsigned group_cpus(const char *folder, bool v2) {
    char path[1100], text[100];
    uint64_t quota, period;
    snprintf(path, sizeof path, v2 ? "%s/cpu.max" : "%s/cpu.cfs_quota_us", folder);
    if (!read_file(path, text, sizeof text)) {
        return ES_MAX_THREADS;
    }
    const char *next = read_number(text, UINT32_MAX, &quota); /* "max" and -1 are no numbers */
    if (!next) {
        return ES_MAX_THREADS;
    }
    if (v2) {
        return *next == ' ' && read_number(next + 1, UINT32_MAX, &period) ? quota_cpus(quota, period) : ES_MAX_THREADS;
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    const bool ok = read_file(path, text, sizeof text) && read_number(text, UINT32_MAX, &period);
    return ok ? quota_cpus(quota, period) : ES_MAX_THREADS;
}

/* The smallest quota of a group and those above it; 'group' begins with a slash and is cut. */
static unsigned groups_cpus(const char *mount, char *group, bool v2) {
    unsigned least = ES_MAX_THREADS;
    for (;;) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s%s", mount, group);
        const unsigned n = group_cpus(folder, v2);
        least = n < least ? n : least;
        char *slash = strrchr(group, '/');
        if (!slash) {
            return least;
        }
        *slash = '\0';
    }
}

/* Lines of /proc/self/cgroup are "id:controllers:/group"; version 2 has no controllers. */
static unsigned cgroup_cpus(void) {
    char text[4096];
    unsigned least = ES_MAX_THREADS;
    if (!read_file("/proc/self/cgroup", text, sizeof text)) {
        return least;
    }
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group || group[1] != '/' || strlen(group) > 900) {
            continue;
        }
        *group++ = '\0';
        controllers++;
        unsigned n = ES_MAX_THREADS;
        if (!*controllers) {
            n = groups_cpus("/sys/fs/cgroup", group, true);
        } else if (strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0 || strstr(controllers, ",cpu")) {
            n = groups_cpus("/sys/fs/cgroup/cpu", group, false);
        }
        least = n < least ? n : least;
    }
    return least;
}

unsigned es_machine_threads(void) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(CPU_COUNT)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        cpus = CPU_COUNT(&set);
    }
#endif
    const unsigned quota = cgroup_cpus();
    const unsigned n = cpus < 1 ? 1 : cpus > ES_MAX_THREADS ? ES_MAX_THREADS : (unsigned)cpus;
    return n < quota ? n : quota;
}
