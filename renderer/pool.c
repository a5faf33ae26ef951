/* SPDX-License-Identifier: MIT */
/*
 * The thread pool: N - 1 workers and the caller take indices from counters until none is left.
 * One job runs at a time; callers of different contexts queue for it. A job may be started and
 * finished later: its caller does something else meanwhile, and when it comes back it takes what
 * indices are left. The workers alone finish a job whose caller never comes back, so nobody waits
 * for a thread of the program. Workers sleep between jobs, compute in the renderer's floating-point
 * environment and hold no state of their own. A forked child finds no workers, so it makes new ones
 * at its first job.
 *
 * Waking a thread that sleeps takes 50 to 100 microseconds on a virtual machine and costs the
 * caller several; a job that another thread has prepared begins with misses of its cache. So the
 * caller begins alone and *opens* the job, or wakes who sleeps, when by the time that the first
 * indices took what is left is worth it. A worker watches for the next job for a while before it
 * sleeps, less long each time that none came in the time it may watch at most, and so long again as soon as
 * one did, though it slept through it: else who once fell asleep would be woken for each frame from
 * then on. A caller watches for the end of a job likewise, and whoever finds the lock taken, which is never for
 * long, tries again before it sleeps. Where there are more threads than CPUs nobody watches.
 */
#define _GNU_SOURCE
#include "renderer/scene.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vm/base/bits.h"
#include "vm/base/fpenv.h"

/* Nanoseconds. */
#define WATCH_MOST  UINT64_C(60000)
#define WATCH_LEAST UINT64_C(4000)
#define OPEN_FIRST  UINT64_C(4000)   /* before this nothing is known about a job */
#define OPEN_WORTH  UINT64_C(50000)  /* what must be left for one thread, where others watch */
#define WAKE_WORTH  UINT64_C(100000) /* and where they sleep */

#define LOCK_TRIES 64 /* some microseconds */
#define GRAIN_MOST 4 /* indices of a parted job taken at once while many are left */

struct rn_pool {
    pthread_mutex_t lock; /* guards the fields below and those of the job but for its atomics */
    pthread_cond_t work, done;
    struct rn_pool_job *job; /* the one that runs, or NULL */
    bool quit;
    bool watch;       /* there is a CPU for each thread */
    unsigned threads; /* worker numbers that jobs may see */
    unsigned running; /* workers that exist */
    pid_t pid;
    pthread_t handles[RN_POOL_THREADS];
    _Alignas(BITS_APART) atomic_uint news; /* changes with each job and at the end: what workers watch */
    atomic_uint asleep;            /* workers that must be woken; written under the lock */
};

struct pool_start {
    struct rn_pool *pool;
    unsigned worker;
};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* CPUs that this process may use. */
static unsigned cpus(void) {
#if defined(CPU_COUNT)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return (unsigned)CPU_COUNT(&set);
    }
#endif
    return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

/* ---- watching ------------------------------------------------------------------------ */

/* Two threads that come to the end of a job do so at the same moment. */
static void pool_lock(struct rn_pool *pool) {
    for (unsigned i = 0; pool->watch && i < LOCK_TRIES; i++) {
        if (pthread_mutex_trylock(&pool->lock) == 0) {
            return;
        }
        BITS_PAUSE();
    }
    pthread_mutex_lock(&pool->lock);
}

static void pool_unlock(struct rn_pool *pool) {
    pthread_mutex_unlock(&pool->lock);
}

/* Waits until *word is not 'was', at most so long. */
static void watch_word(const atomic_uint *word, unsigned was, uint64_t most) {
    const uint64_t end = now_ns() + most;
    do {
        for (unsigned i = 0; i < 16; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != was) {
                return;
            }
            BITS_PAUSE();
        }
    } while (now_ns() < end);
}

static bool watch_done(const atomic_bool *done) {
    const uint64_t end = now_ns() + WATCH_MOST;
    do {
        for (unsigned i = 0; i < 16; i++) {
            if (atomic_load_explicit(done, memory_order_acquire)) {
                return true;
            }
            BITS_PAUSE();
        }
    } while (now_ns() < end);
    return false;
}

/* ---- a job --------------------------------------------------------------------------- */

/* Indices that nobody has taken. */
static uint32_t job_left(struct rn_pool_job *job) {
    uint32_t left = 0;
    for (unsigned i = 0; i < job->parts; i++) {
        const uint32_t next = atomic_load_explicit(&job->part[i].next, memory_order_relaxed);
        left += next < job->part[i].end ? job->part[i].end - next : 0;
    }
    return left;
}

/* Takes indices from a part, several at once while there are many for everybody; how many, from *first on. */
static uint32_t part_take(struct rn_pool_job *job, unsigned part, uint32_t most, uint32_t *first) {
    const uint32_t end = job->part[part].end;
    uint32_t next = atomic_load_explicit(&job->part[part].next, memory_order_relaxed);
    if (next >= end) {
        return 0;
    }
    uint32_t grain = (end - next) / 16;
    grain = grain < 1 ? 1 : grain > most ? most : grain;
    next = atomic_fetch_add_explicit(&job->part[part].next, grain, memory_order_relaxed);
    *first = next;
    return next >= end ? 0 : end - next < grain ? end - next : grain;
}

/* Runs an index or a few, not more than 'most', and returns how many; 0: none is left. */
static uint32_t job_take(struct rn_pool_job *job, unsigned worker, uint32_t most) {
    uint32_t first = 0, count = 0;
    for (unsigned i = 0, part = worker % job->parts; i < job->parts && !count; i++) {
        count = part_take(job, part, most, &first);
        part = part + 1 < job->parts ? part + 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        job->fn(job->context, worker, first + i);
    }
    return count;
}

static void job_run(struct rn_pool_job *job, unsigned worker) {
    while (job_take(job, worker, job->grain)) {
    }
}

static void job_part(struct rn_pool_job *job, unsigned parts) {
    job->parts = parts;
    for (unsigned i = 0; i < parts; i++) {
        atomic_init(&job->part[i].next, (uint32_t)((uint64_t)job->count * i / parts));
        job->part[i].end = (uint32_t)((uint64_t)job->count * (i + 1) / parts);
    }
}

/* Lets others in, at a time, and wakes them. Gives the lock back first, since they will want it. */
static void job_open(struct rn_pool *pool, struct rn_pool_job *job, bool wake, uint64_t time) {
    job->opened = job->open ? job->opened : time;
    job->open = true;
    job->woken |= wake;
    pool_unlock(pool);
    atomic_fetch_add_explicit(&pool->news, 1, memory_order_release);
    if (wake) {
        pthread_cond_broadcast(&pool->work);
    }
}

/* The same, if by what the caller has done up to now enough is left. */
static void job_consider(struct rn_pool *pool, struct rn_pool_job *job) {
    const bool asleep = atomic_load_explicit(&pool->asleep, memory_order_relaxed) > 0;
    if (!pool->running || !job->mine || (job->open && (job->woken || !asleep))) {
        return;
    }
    const uint64_t time = now_ns() - job->begin;
    if (time < OPEN_FIRST) {
        return;
    }
    const uint64_t left = time * job_left(job) / job->mine;
    const bool wake = asleep && left >= WAKE_WORTH;
    if (wake || (!job->open && left >= OPEN_WORTH)) {
        pool_lock(pool);
        job_open(pool, job, wake, job->begin + time);
    }
}

/* The caller's turn: one index at a time until others work, too, since they wait for what it learns. */
static uint32_t job_turn(struct rn_pool *pool, struct rn_pool_job *job) {
    const uint32_t done = job_take(job, 0, job->open ? job->grain : 1);
    job->mine += done;
    if (done) {
        job_consider(pool, job);
    }
    return done;
}

/* One thread less works on the job; the last one closes it. Under the lock. */
static void job_leave(struct rn_pool *pool, struct rn_pool_job *job) {
    if (--job->users == 0 && !job_left(job)) {
        pool->job = NULL;
        atomic_store_explicit(&job->done, true, memory_order_release); /* the caller may go now */
        pthread_cond_broadcast(&pool->done);
    }
}

/* ---- workers ------------------------------------------------------------------------- */

static bool pool_has_work(const struct rn_pool *pool) {
    return pool->job && pool->job->open && job_left(pool->job);
}

/* Until there is work or the end. Under the lock, but for watching. */
static void pool_idle(struct rn_pool *pool, uint64_t *watch) {
    const uint64_t begin = pool->watch ? now_ns() : 0;
    uint64_t now = begin;
    while (pool->watch && !pool->quit && !pool_has_work(pool) && now - begin < *watch) {
        const unsigned was = atomic_load_explicit(&pool->news, memory_order_relaxed);
        pool_unlock(pool);
        watch_word(&pool->news, was, *watch - (now - begin));
        now = now_ns();
        pool_lock(pool);
    }
    while (!pool->quit && !pool_has_work(pool)) {
        atomic_fetch_add_explicit(&pool->asleep, 1, memory_order_relaxed);
        pthread_cond_wait(&pool->work, &pool->lock);
        atomic_fetch_sub_explicit(&pool->asleep, 1, memory_order_relaxed);
    }
    if (pool->watch && !pool->quit) {
        const bool soon = pool->job->opened < begin + WATCH_MOST;
        *watch = soon ? WATCH_MOST : *watch / 2 > WATCH_LEAST ? *watch / 2 : WATCH_LEAST;
    }
}

static void *pool_main(void *argument) {
    struct pool_start start = *(struct pool_start *)argument;
    struct rn_pool *pool = start.pool;
    uint64_t watch = WATCH_MOST;
    free(argument);
    const struct fpenv env = fpenv_enter();
    pool_lock(pool);
    for (;;) {
        pool_idle(pool, &watch);
        if (pool->quit) {
            break;
        }
        struct rn_pool_job *job = pool->job;
        job->users++;
        pool_unlock(pool);
        job_run(job, start.worker);
        pool_lock(pool);
        job_leave(pool, job);
    }
    pool_unlock(pool);
    fpenv_leave(&env);
    return NULL;
}

/* Makes workers 1 .. threads - 1; fewer if the system refuses, which changes speed only. */
static void pool_spawn(struct rn_pool *pool) {
    sigset_t all, before;
    sigfillset(&all);
    pool->running = 0;
    pool->pid = getpid();
    /* Signals belong to the program's own threads. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 1; i < pool->threads; i++) {
        struct pool_start *start = malloc(sizeof *start);
        if (!start) {
            break;
        }
        start->pool = pool;
        start->worker = i;
        if (pthread_create(&pool->handles[pool->running], NULL, pool_main, start) != 0) {
            free(start);
            break;
        }
        pool->running++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void pool_init(struct rn_pool *pool) {
    struct rn_pool_job *job = pool->job;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->job = NULL;
    pool->watch = pool->threads <= cpus();
    atomic_init(&pool->news, 0);
    atomic_init(&pool->asleep, 0);
    if (job) { /* of a parent that forked meanwhile: what its threads had in hand is lost */
        job_run(job, 0);
        atomic_store(&job->done, true);
    }
    pool_spawn(pool);
}

struct rn_pool *rn_pool_create(unsigned threads) {
    struct rn_pool *pool = aligned_alloc(BITS_APART, sizeof *pool);
    if (!pool) {
        return NULL;
    }
    memset(pool, 0, sizeof *pool);
    pool->threads = threads < 1 ? 1 : threads > RN_POOL_THREADS ? RN_POOL_THREADS : threads;
    pool_init(pool);
    return pool;
}

void rn_pool_destroy(struct rn_pool *pool) {
    if (!pool) {
        return;
    }
    if (pool->pid == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->quit = true;
        atomic_fetch_add_explicit(&pool->news, 1, memory_order_release);
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->running; i++) {
            pthread_join(pool->handles[i], NULL);
        }
        pthread_cond_destroy(&pool->work);
        pthread_cond_destroy(&pool->done);
        pthread_mutex_destroy(&pool->lock);
    }
    free(pool);
}

unsigned rn_pool_threads(const struct rn_pool *pool) {
    return pool->threads;
}

/* After a fork the parent's threads and the state of its locks are not ours. */
static void pool_here(struct rn_pool *pool) {
    if (pool->pid != getpid()) {
        pool_init(pool);
    }
}

/* False: another job is under way, and the caller does not wait for its end. */
static bool pool_start_job(struct rn_pool *pool, struct rn_pool_job *job, rn_job_fn fn, void *context,
                           uint32_t count, unsigned flags, bool wait) {
    pool_here(pool);
    job->fn = fn;
    job->context = context;
    job->count = count;
    job->users = 0;
    job->open = job->woken = false;
    job->opened = 0;
    atomic_init(&job->done, count == 0);
    job->mine = 0;
    job->grain = (flags & (RN_POOL_PARTED | RN_POOL_SINGLE)) == RN_POOL_PARTED ? GRAIN_MOST : 1;
    job_part(job, flags & RN_POOL_PARTED && pool->running ? pool->threads : 1);
    if (count == 0) {
        return true;
    }
    pool_lock(pool);
    while (wait && pool->job) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    if (pool->job) {
        pool_unlock(pool);
        return false;
    }
    job->begin = pool->running ? now_ns() : 0;
    pool->job = job;
    if (flags & RN_POOL_OPEN) {
        job_open(pool, job, true, job->begin);
    } else {
        pool_unlock(pool);
    }
    if (!pool->running) { /* nobody else would finish it */
        rn_pool_finish(pool, job);
    }
    return true;
}

void rn_pool_start(struct rn_pool *pool, struct rn_pool_job *job, rn_job_fn fn, void *context, uint32_t count,
                   unsigned flags) {
    pool_start_job(pool, job, fn, context, count, flags, true);
}

bool rn_pool_try_run(struct rn_pool *pool, rn_job_fn fn, void *context, uint32_t count) {
    struct rn_pool_job job;
    if (!pool_start_job(pool, &job, fn, context, count, 0, false)) {
        return false;
    }
    rn_pool_finish(pool, &job);
    return true;
}

bool rn_pool_help(struct rn_pool *pool, struct rn_pool_job *job) {
    pool_here(pool);
    pool_lock(pool);
    bool took = !job->done && job_left(job);
    if (took) {
        job->users++;
        pool_unlock(pool);
        took = job_turn(pool, job) > 0;
        pool_lock(pool);
        job_leave(pool, job);
    }
    pool_unlock(pool);
    return took;
}

void rn_pool_finish(struct rn_pool *pool, struct rn_pool_job *job) {
    if (atomic_load_explicit(&job->done, memory_order_acquire)) {
        return;
    }
    pool_here(pool);
    pool_lock(pool);
    if (job->done) {
        pool_unlock(pool);
        return;
    }
    job->users++;
    pool_unlock(pool);
    while (job_turn(pool, job)) {
    }
    pool_lock(pool);
    job_leave(pool, job);
    if (!job->done && pool->watch) {
        pool_unlock(pool);
        if (watch_done(&job->done)) {
            return;
        }
        pool_lock(pool);
    }
    while (!job->done) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pool_unlock(pool);
}

void rn_pool_hold(struct rn_pool *pool) {
    pool_here(pool); /* a child that forks before its first job */
    pthread_mutex_lock(&pool->lock);
    while (pool->job) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
}

void rn_pool_release(struct rn_pool *pool) {
    pthread_mutex_unlock(&pool->lock);
}

void rn_pool_run(struct rn_pool *pool, rn_job_fn fn, void *context, uint32_t count) {
    struct rn_pool_job job;
    rn_pool_start(pool, &job, fn, context, count, 0);
    rn_pool_finish(pool, &job);
}
