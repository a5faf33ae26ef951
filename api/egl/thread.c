/* SPDX-License-Identifier: MIT */
/* The lock of all EGL objects, the thread's state and error, and lists of objects. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "api/egl/egl.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static _Thread_local struct egl_thread state = {.error = EGL_SUCCESS, .api = EGL_OPENGL_ES_API};

static _Thread_local bool ending;

/* A thread that ends with a context current releases it, as eglReleaseThread would. Runs once: see egl_lock. */
static void thread_ends(void *unused) {
    (void)unused;
    ending = true;
    if (state.context) {
        eglReleaseThread();
    }
}

static void make_condition(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/*
 * fork() waits for calls of other threads to end, so that the child, in which they do not exist, finds whole objects
 * and free locks. What was current on them stays so in the child: EGL_BAD_ACCESS.
 */
static void before_fork(void) {
    pthread_mutex_lock(&mutex);
    es_fork_prepare();
}

static void after_fork(void) {
    es_fork_parent();
    pthread_mutex_unlock(&mutex);
}

static void in_child(void) {
    es_fork_child();
    pthread_mutex_init(&mutex, NULL);
    make_condition();
}

static void set_up(void) {
    make_condition();
    pthread_key_create(&thread_key, thread_ends);
    pthread_atfork(before_fork, after_fork, in_child);
}

struct egl_thread *egl_thread(void) {
    return &state;
}

void egl_lock(void) {
    pthread_once(&once, set_up);
    pthread_mutex_lock(&mutex);
    if (!ending && !pthread_getspecific(thread_key)) { /* in its own destructor the value is gone and must stay so */
        pthread_setspecific(thread_key, &state);
    }
}

void egl_unlock(void) { pthread_mutex_unlock(&mutex); }

uint64_t egl_now(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

bool egl_wait_until(uint64_t deadline) {
    if (deadline == UINT64_MAX) {
        pthread_cond_wait(&condition, &mutex);
        return true;
    }
    struct timespec ts = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    return pthread_cond_timedwait(&condition, &mutex, &ts) != ETIMEDOUT;
}

void egl_wake_all(void) { pthread_cond_broadcast(&condition); }

EGLBoolean egl_fail(EGLint error) {
    state.error = error;
    return EGL_FALSE;
}

EGLBoolean egl_succeed(void) {
    state.error = EGL_SUCCESS;
    return EGL_TRUE;
}

void *egl_fail_handle(EGLint error) {
    state.error = error;
    return NULL;
}

EGLAPI EGLint EGLAPIENTRY eglGetError(void) {
    EGLint error = state.error;
    state.error = EGL_SUCCESS;
    return error;
}
ES_EXPORT(eglGetError);

EGLAPI EGLBoolean EGLAPIENTRY eglBindAPI(EGLenum api) {
    if (api != EGL_OPENGL_ES_API) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    state.api = api;
    return egl_succeed();
}
ES_EXPORT(eglBindAPI);

EGLAPI EGLenum EGLAPIENTRY eglQueryAPI(void) {
    state.error = EGL_SUCCESS;
    return state.api;
}
ES_EXPORT(eglQueryAPI);

/* ---- objects ------------------------------------------------------------------------------------------- */

struct egl_object *egl_object_find(struct egl_display *display, enum egl_object_kind kind, const void *handle) {
    for (struct egl_object *o = display->objects[kind]; o; o = o->next) {
        if (o == handle) {
            return o;
        }
    }
    return NULL;
}

void egl_object_add(struct egl_display *display, enum egl_object_kind kind, struct egl_object *object) {
    object->display = display;
    object->kind = (uint8_t)kind;
    object->next = display->objects[kind];
    display->objects[kind] = object;
}

void egl_object_settle(struct egl_object *object) {
    if (!object->destroyed || object->current) {
        return;
    }
    switch (object->kind) {
    case EGLI_CONTEXT:
        egl_context_free((struct egl_context *)object);
        break;
    case EGLI_SURFACE:
        egl_surface_free((struct egl_surface *)object);
        break;
    case EGLI_IMAGE:
        es_image_destroy(((struct egl_image *)object)->es);
        free(object);
        break;
    default:
        free(object);
        break;
    }
}

void egl_object_destroy(struct egl_object *object) {
    struct egl_object **link = &object->display->objects[object->kind];
    while (*link != object) {
        link = &(*link)->next;
    }
    *link = object->next;
    object->destroyed = true;
    egl_object_settle(object);
}
