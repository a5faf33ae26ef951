/* SPDX-License-Identifier: MIT */
/*
 * The thread pool: N - 1 workers and the caller take indices from one counter until none is left.
 * One job runs at a time; callers of different contexts queue for it. A job may be started and
 * finished later: its caller does something else meanwhile, and when it comes back it takes what
 * indices are left. The workers alone finish a job whose caller never comes back, so nobody waits
 * for a thread of the program. Workers sleep between jobs, compute in the renderer's floating-point
 * environment and hold no state of their own. A forked child finds no workers, so it makes new ones
 * at its first job.
 */
#include "renderer/scene.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/base/fpenv.h"

#define POOL_MAX 64

struct rn_pool {
    pthread_mutex_t lock; /* guards the fields below and those of the job but for 'next' */
    pthread_cond_t work, done;
    struct rn_pool_job *job; /* the one that runs, or NULL */
    bool quit;
    unsigned threads; /* worker numbers that jobs may see */
    unsigned running; /* workers that exist */
    pid_t pid;
    pthread_t handles[POOL_MAX];
};

struct pool_start {
    struct rn_pool *pool;
    unsigned worker;
};

static bool pool_take_one(struct rn_pool_job *job, unsigned worker) {
    const uint32_t index = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (index >= job->count) {
        return false;
    }
    job->fn(job->context, worker, index);
    return true;
}

static void pool_take(struct rn_pool_job *job, unsigned worker) {
    while (pool_take_one(job, worker)) {
    }
}

static bool job_has_more(struct rn_pool_job *job) {
    return atomic_load_explicit(&job->next, memory_order_relaxed) < job->count;
}

/* One thread less works on the job; the last one closes it. Under the lock. */
static void job_leave(struct rn_pool *pool, struct rn_pool_job *job) {
    if (--job->users == 0 && !job_has_more(job)) {
        job->done = true;
        pool->job = NULL;
        pthread_cond_broadcast(&pool->done);
    }
}

static void *pool_main(void *argument) {
    struct pool_start start = *(struct pool_start *)argument;
    struct rn_pool *pool = start.pool;
    free(argument);
    const struct fpenv env = fpenv_enter();
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && !(pool->job && job_has_more(pool->job))) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->quit) {
            break;
        }
        struct rn_pool_job *job = pool->job;
        job->users++;
        pthread_mutex_unlock(&pool->lock);
        pool_take(job, start.worker);
        pthread_mutex_lock(&pool->lock);
        job_leave(pool, job);
    }
    pthread_mutex_unlock(&pool->lock);
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
    if (job) { /* of a parent that forked meanwhile: what its threads had in hand is lost */
        pool_take(job, 0);
        job->done = true;
    }
    pool_spawn(pool);
}

struct rn_pool *rn_pool_create(unsigned threads) {
    struct rn_pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        return NULL;
    }
    pool->threads = threads < 1 ? 1 : threads > POOL_MAX ? POOL_MAX : threads;
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
                           uint32_t count, bool wait) {
    pool_here(pool);
    job->fn = fn;
    job->context = context;
    job->count = count;
    job->users = 0;
    job->done = count == 0;
    atomic_store_explicit(&job->next, 0, memory_order_relaxed);
    if (job->done) {
        return true;
    }
    pthread_mutex_lock(&pool->lock);
    while (wait && pool->job) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    if (pool->job) {
        pthread_mutex_unlock(&pool->lock);
        return false;
    }
    pool->job = job;
    if (pool->running) {
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    } else { /* nobody else would finish it */
        pthread_mutex_unlock(&pool->lock);
        rn_pool_finish(pool, job);
    }
    return true;
}

void rn_pool_start(struct rn_pool *pool, struct rn_pool_job *job, rn_job_fn fn, void *context,
                   uint32_t count) {
    pool_start_job(pool, job, fn, context, count, true);
}

bool rn_pool_try_run(struct rn_pool *pool, rn_job_fn fn, void *context, uint32_t count) {
    struct rn_pool_job job;
    if (!pool_start_job(pool, &job, fn, context, count, false)) {
        return false;
    }
    rn_pool_finish(pool, &job);
    return true;
}

bool rn_pool_help(struct rn_pool *pool, struct rn_pool_job *job) {
    pool_here(pool);
    pthread_mutex_lock(&pool->lock);
    bool took = !job->done && job_has_more(job);
    if (took) {
        job->users++;
        pthread_mutex_unlock(&pool->lock);
        took = pool_take_one(job, 0);
        pthread_mutex_lock(&pool->lock);
        job_leave(pool, job);
    }
    pthread_mutex_unlock(&pool->lock);
    return took;
}

void rn_pool_finish(struct rn_pool *pool, struct rn_pool_job *job) {
    pool_here(pool);
    pthread_mutex_lock(&pool->lock);
    if (!job->done) {
        job->users++;
        pthread_mutex_unlock(&pool->lock);
        pool_take(job, 0);
        pthread_mutex_lock(&pool->lock);
        job_leave(pool, job);
        while (!job->done) {
            pthread_cond_wait(&pool->done, &pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
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
    rn_pool_start(pool, &job, fn, context, count);
    rn_pool_finish(pool, &job);
}
