/* SPDX-License-Identifier: MIT */
/*
 * Fence and reusable syncs. All drawing before a fence is carried out when the fence is made, so a fence
 * is signalled from birth. SPEC: EGL 1.5 section 3.8, EGL_KHR_reusable_sync, EGL_KHR_wait_sync.
 */
#include <stdlib.h>

#include "api/egl/egl.h"

static struct egl_sync *find_sync(EGLDisplay handle, const void *sync) {
    struct egl_display *display = egl_display_initialised(handle);
    struct egl_object *object = display ? egl_object_find(display, EGLI_SYNC, sync) : NULL;
    if (display && !object) {
        egl_fail(EGL_BAD_PARAMETER);
    }
    return (struct egl_sync *)object;
}

/*
 * 'first' is the first attribute of the list, EGL_NONE if none. The extension and EGL 1.5 have different errors for a
 * type that is none.
 */
static EGLSync create_sync(EGLDisplay handle, EGLenum type, EGLAttrib first, EGLint bad_type) {
    struct egl_thread *t = egl_thread();
    bool fence = type == EGL_SYNC_FENCE;
    struct egl_sync *sync = NULL;
    if (fence && t->context) {
        es_flush(t->context->es); /* outside the lock: it may take long */
    }
    egl_lock();
    struct egl_display *display = egl_display_initialised(handle);
    if (!display) {
        egl_unlock();
        return EGL_NO_SYNC;
    }
    EGLint error = EGL_SUCCESS;
    if (!fence && type != EGL_SYNC_REUSABLE_KHR) {
        error = bad_type;
    } else if (first != EGL_NONE) {
        error = EGL_BAD_ATTRIBUTE;
    } else if (fence && (!t->context || t->context->object.display != display)) {
        error = EGL_BAD_MATCH;
    } else if (!(sync = calloc(1, sizeof *sync))) {
        error = EGL_BAD_ALLOC;
    } else {
        sync->type = type;
        sync->status = fence ? EGL_SIGNALED : EGL_UNSIGNALED;
        egl_object_add(display, EGLI_SYNC, &sync->object);
    }
    t->error = error;
    egl_unlock();
    return sync;
}

EGLAPI EGLSync EGLAPIENTRY eglCreateSync(EGLDisplay d, EGLenum type, const EGLAttrib *list) {
    return create_sync(d, type, list ? list[0] : EGL_NONE, EGL_BAD_PARAMETER);
}
ES_EXPORT(eglCreateSync);

EGLAPI EGLSyncKHR EGLAPIENTRY eglCreateSyncKHR(EGLDisplay d, EGLenum type, const EGLint *list) {
    return create_sync(d, type, list ? list[0] : EGL_NONE, EGL_BAD_ATTRIBUTE);
}
ES_EXPORT(eglCreateSyncKHR);

EGLAPI EGLBoolean EGLAPIENTRY eglDestroySync(EGLDisplay d, EGLSync handle) {
    egl_lock();
    struct egl_sync *sync = find_sync(d, handle);
    if (sync) {
        sync->status = EGL_SIGNALED; /* its waiters go on */
        egl_wake_all();
        egl_object_destroy(&sync->object);
    }
    egl_unlock();
    return sync ? egl_succeed() : EGL_FALSE;
}
ES_EXPORT(eglDestroySync);

EGLAPI EGLBoolean EGLAPIENTRY eglDestroySyncKHR(EGLDisplay d, EGLSyncKHR handle) { return eglDestroySync(d, handle); }
ES_EXPORT(eglDestroySyncKHR);

EGLAPI EGLint EGLAPIENTRY eglClientWaitSync(EGLDisplay d, EGLSync handle, EGLint flags, EGLTime timeout) {
    struct egl_thread *t = egl_thread();
    if ((flags & EGL_SYNC_FLUSH_COMMANDS_BIT) && t->context) {
        es_flush(t->context->es);
    }
    egl_lock();
    struct egl_sync *sync = find_sync(d, handle);
    if (!sync) {
        egl_unlock();
        return EGL_FALSE;
    }
    uint64_t now = timeout == 0 || timeout == EGL_FOREVER ? 0 : egl_now();
    uint64_t deadline = timeout == EGL_FOREVER || timeout > UINT64_MAX - 1 - now ? UINT64_MAX : now + timeout;
    EGLint result = EGL_CONDITION_SATISFIED;
    sync->object.current++; /* a destroyed sync stays readable until its waiters are gone */
    while (sync->status != EGL_SIGNALED) {
        if (timeout == 0 || !egl_wait_until(deadline)) {
            result = sync->status == EGL_SIGNALED ? EGL_CONDITION_SATISFIED : EGL_TIMEOUT_EXPIRED;
            break;
        }
    }
    sync->object.current--;
    egl_object_settle(&sync->object);
    egl_unlock();
    egl_succeed();
    return result;
}
ES_EXPORT(eglClientWaitSync);

EGLAPI EGLint EGLAPIENTRY eglClientWaitSyncKHR(EGLDisplay d, EGLSyncKHR s, EGLint flags, EGLTimeKHR timeout) {
    return eglClientWaitSync(d, s, flags, timeout);
}
ES_EXPORT(eglClientWaitSyncKHR);

EGLAPI EGLBoolean EGLAPIENTRY eglWaitSync(EGLDisplay d, EGLSync handle, EGLint flags) {
    EGLBoolean ok = EGL_FALSE;
    egl_lock();
    struct egl_sync *sync = find_sync(d, handle);
    if (sync && !egl_thread()->context) {
        ok = egl_fail(EGL_BAD_MATCH);
    } else if (sync && (flags != 0 || sync->type != EGL_SYNC_FENCE)) {
        ok = egl_fail(EGL_BAD_PARAMETER);
    } else if (sync) {
        ok = egl_succeed(); /* a fence is always signalled: nothing to wait for */
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglWaitSync);

EGLAPI EGLint EGLAPIENTRY eglWaitSyncKHR(EGLDisplay d, EGLSyncKHR s, EGLint flags) { return (EGLint)eglWaitSync(d, s, flags); }
ES_EXPORT(eglWaitSyncKHR);

EGLAPI EGLBoolean EGLAPIENTRY eglSignalSyncKHR(EGLDisplay d, EGLSyncKHR handle, EGLenum mode) {
    EGLBoolean ok = EGL_FALSE;
    egl_lock();
    struct egl_sync *sync = find_sync(d, handle);
    if (sync && sync->type != EGL_SYNC_REUSABLE_KHR) {
        ok = egl_fail(EGL_BAD_MATCH);
    } else if (sync && mode != EGL_SIGNALED && mode != EGL_UNSIGNALED) {
        ok = egl_fail(EGL_BAD_PARAMETER);
    } else if (sync) {
        sync->status = (EGLint)mode;
        egl_wake_all();
        ok = egl_succeed();
    }
    egl_unlock();
    return ok;
}
ES_EXPORT(eglSignalSyncKHR);

static EGLBoolean sync_value(EGLDisplay d, const void *handle, EGLint attribute, EGLAttrib *value) {
    EGLBoolean ok = EGL_FALSE;
    egl_lock();
    struct egl_sync *sync = find_sync(d, handle);
    if (sync) {
        ok = egl_succeed();
        switch (attribute) {
        case EGL_SYNC_TYPE:
            *value = (EGLAttrib)sync->type;
            break;
        case EGL_SYNC_STATUS:
            *value = sync->status;
            break;
        case EGL_SYNC_CONDITION:
            if (sync->type == EGL_SYNC_FENCE) {
                *value = EGL_SYNC_PRIOR_COMMANDS_COMPLETE;
                break;
            }
            ok = egl_fail(EGL_BAD_ATTRIBUTE);
            break;
        default:
            ok = egl_fail(EGL_BAD_ATTRIBUTE);
            break;
        }
    }
    egl_unlock();
    return ok;
}

EGLAPI EGLBoolean EGLAPIENTRY eglGetSyncAttrib(EGLDisplay d, EGLSync s, EGLint attribute, EGLAttrib *value) {
    EGLAttrib result;
    EGLBoolean ok = sync_value(d, s, attribute, &result);
    if (ok && !value) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    if (ok) {
        *value = result;
    }
    return ok;
}
ES_EXPORT(eglGetSyncAttrib);

EGLAPI EGLBoolean EGLAPIENTRY eglGetSyncAttribKHR(EGLDisplay d, EGLSyncKHR s, EGLint attribute, EGLint *value) {
    EGLAttrib result;
    EGLBoolean ok = sync_value(d, s, attribute, &result);
    if (ok && !value) {
        return egl_fail(EGL_BAD_PARAMETER);
    }
    if (ok) {
        *value = (EGLint)result;
    }
    return ok;
}
ES_EXPORT(eglGetSyncAttribKHR);
