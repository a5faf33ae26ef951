/* SPDX-License-Identifier: MIT */
/*
 * The thread pool: N - 1 workers and the caller take indices from one counter until none is left.
 * One job runs at a time; callers of different contexts queue on 'turn'. Workers sleep between
 * jobs, compute in the renderer's floating-point environment and hold no state of their own. A
 * forked child finds no workers, so it makes new ones at its first job.
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
    pthread_mutex_t turn; /* held by the caller whose job runs */
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t work, done;
    rn_job_fn fn;
    void *context;
    uint32_t count;
    atomic_uint next;    /* next index of the job */
    uint32_t generation; /* counts jobs */
    unsigned busy;       /* workers that have not finished the job */
    bool quit;
    unsigned threads; /* worker numbers that jobs may see */
    unsigned running; /* workers that exist */
    pid_t pid;
    pthread_t handles[POOL_MAX];
};

struct pool_start {
    struct rn_pool *pool;
    unsigned worker;
    uint32_t generation;
};

static void pool_take(struct rn_pool *pool, unsigned worker) {
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count) {
            return;
        }
        pool->fn(pool->context, worker, index);
    }
}

static void *pool_main(void *argument) {
    struct pool_start start = *(struct pool_start *)argument;
    struct rn_pool *pool = start.pool;
    free(argument);
    const struct fpenv env = fpenv_enter();
    pthread_mutex_lock(&pool->lock);
    uint32_t seen = start.generation;
    for (;;) {
        while (pool->generation == seen && !pool->quit) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->quit) {
            break;
        }
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        pool_take(pool, start.worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) {
            pthread_cond_signal(&pool->done);
        }
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
        start->generation = pool->generation;
        if (pthread_create(&pool->handles[pool->running], NULL, pool_main, start) != 0) {
            free(start);
            break;
        }
        pool->running++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void pool_init(struct rn_pool *pool) {
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->busy = 0;
    pool_spawn(pool);
}

struct rn_pool *rn_pool_create(unsigned threads) {
    struct rn_pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        return NULL;
    }
    pool->threads = threads < 1 ? 1 : threads > POOL_MAX ? POOL_MAX : threads;
    atomic_init(&pool->next, 0);
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
        pthread_mutex_destroy(&pool->turn);
    }
    free(pool);
}

unsigned rn_pool_threads(const struct rn_pool *pool) {
    return pool->threads;
}

void rn_pool_run(struct rn_pool *pool, rn_job_fn fn, void *context, uint32_t count) {
    if (count == 0) {
        return;
    }
    if (pool->pid != getpid()) {
        pool_init(pool); /* forked: the parent's threads and the state of its locks are not ours */
    }
    pthread_mutex_lock(&pool->turn);
    if (pool->running == 0 || count == 1) {
        for (uint32_t i = 0; i < count; i++) {
            fn(context, 0, i);
        }
        pthread_mutex_unlock(&pool->turn);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->running;
    pool->generation++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    pool_take(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy != 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}
