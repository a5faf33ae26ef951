/* SPDX-License-Identifier: MIT */
/*
 * vlgl.h: what vlgl offers beyond OpenGL ES and EGL. All functions come from eglGetProcAddress, so that a
 * client runs on any library:
 *
 *     PFNVLGLGETMESSAGEPROC get_message = (PFNVLGLGETMESSAGEPROC)eglGetProcAddress("vlglGetMessage");
 *     if (get_message && get_message()) { ... }
 */
#ifndef VLGL_H
#define VLGL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Why the context current on this thread was lost (which shader, which source line), else why this thread's last
 * eglInitialize failed; NULL when neither happened. The text stays until the context goes or this thread's next eglInitialize.
 */
typedef const char *(*PFNVLGLGETMESSAGEPROC)(void);

/*
 * Work of the current context since its last call: values[0] triangles in, values[1] fragments shaded, then
 * every counter of api/README.md. Writes at most n values, returns how many. It runs pending drawing first.
 */
typedef int (*PFNVLGLGETCOUNTERSPROC)(uint64_t *values, int n);

/*
 * For tools: shows every shader batch of the current context to 'tap' (vm/include/vliw.h) before and after it
 * runs, on the thread that runs it; NULL ends that. The struct is borrowed. It runs pending drawing first.
 */
struct vliw_tap;
typedef void (*PFNVLGLSETTAPPROC)(const struct vliw_tap *tap);

/*
 * Figures of each pixel of the default framebuffer of the current context, from vlglViewBegin on (drawing costs more
 * meanwhile; no pixel changes). vlglViewRead copies width * height values, rows from the bottom, and ends the view; it
 * returns how many, 0 if none was begun or n is too small.
 */
enum vlgl_view {
    VLGL_VIEW_OVERDRAW = 1,      /* fragments shaded */
    VLGL_VIEW_CYCLES = 2,        /* VL-IW instructions of these fragments; of programs with branches the mean of a 2x2 quad */
    VLGL_VIEW_DEPTH = 3,         /* the depth buffer, 0 to 16777215, at the time of reading */
    VLGL_VIEW_MIP = 4,           /* level of detail of the last texture read, 1 + level * 256; 0: none was read */
    VLGL_VIEW_BATCHES = 5,       /* fragments in the batch that shaded the pixel last: 1 to 128 */
    VLGL_VIEW_TILES = 6,         /* microseconds spent on the pixel's tile of 64x64 */
    VLGL_VIEW_TEXTURE_READS = 7  /* texture lookups of these fragments */
};
typedef int (*PFNVLGLVIEWBEGINPROC)(int view);
typedef int (*PFNVLGLVIEWREADPROC)(uint32_t *values, int n);

/*
 * GL_VLGL_fp64: doubles in shaders, where '#extension GL_VLGL_fp64 : enable' (or require) stands in the shader. Types
 * double, dvec2..4, dmat2..4, literals like 1.5lf, constructors as the only conversions, the operators of floats, and
 * abs, sign, floor, ceil, trunc, fract, mod, min, max, clamp, mix, step, sqrt, inversesqrt, fma (one rounding), length,
 * distance, dot, cross, normalize, matrixCompMult, lessThan .. notEqual. Varyings and attributes cannot be doubles.
 * Uniforms can, and are set with these, whose errors are those of glUniform*f and glGetUniformfv; a double of an array
 * or a vector takes a uniform vector of its own in the limits. glGetActiveUniform gives these types:
 */
#define GL_DOUBLE_VLGL 0x140A
#define GL_DOUBLE_VEC2_VLGL 0x8FFC
#define GL_DOUBLE_VEC3_VLGL 0x8FFD
#define GL_DOUBLE_VEC4_VLGL 0x8FFE
#define GL_DOUBLE_MAT2_VLGL 0x8F46
#define GL_DOUBLE_MAT3_VLGL 0x8F47
#define GL_DOUBLE_MAT4_VLGL 0x8F48
typedef void (*PFNGLUNIFORM1DVLGLPROC)(int location, double x);
typedef void (*PFNGLUNIFORM2DVLGLPROC)(int location, double x, double y);
typedef void (*PFNGLUNIFORM3DVLGLPROC)(int location, double x, double y, double z);
typedef void (*PFNGLUNIFORM4DVLGLPROC)(int location, double x, double y, double z, double w);
typedef void (*PFNGLUNIFORMDVVLGLPROC)(int location, int count, const double *value); /* glUniform1dvVLGL .. 4dv */
typedef void (*PFNGLUNIFORMMATRIXDVVLGLPROC)(int location, int count, unsigned char transpose,
                                             const double *value); /* glUniformMatrix2dvVLGL .. 4dv */
typedef void (*PFNGLGETUNIFORMDVVLGLPROC)(unsigned program, int location, double *params);

#ifdef VLGL_PROTOTYPES
extern void glUniform1dVLGL(int location, double x);
extern void glUniform2dVLGL(int location, double x, double y);
extern void glUniform3dVLGL(int location, double x, double y, double z);
extern void glUniform4dVLGL(int location, double x, double y, double z, double w);
extern void glUniform1dvVLGL(int location, int count, const double *value);
extern void glUniform2dvVLGL(int location, int count, const double *value);
extern void glUniform3dvVLGL(int location, int count, const double *value);
extern void glUniform4dvVLGL(int location, int count, const double *value);
extern void glUniformMatrix2dvVLGL(int location, int count, unsigned char transpose, const double *value);
extern void glUniformMatrix3dvVLGL(int location, int count, unsigned char transpose, const double *value);
extern void glUniformMatrix4dvVLGL(int location, int count, unsigned char transpose, const double *value);
extern void glGetUniformdvVLGL(unsigned program, int location, double *params);
extern void vlglSetTap(const struct vliw_tap *tap);
extern const char *vlglGetMessage(void);
extern int vlglGetCounters(uint64_t *values, int n);
extern int vlglViewBegin(int view);
extern int vlglViewRead(uint32_t *values, int n);
#endif

#ifdef __cplusplus
}
#endif

#endif
