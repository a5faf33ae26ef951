#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A lit torus through PyOpenGL on a pbuffer: pyopengl_client.py FILE.ppm. Prints GL_VENDOR."""
import ctypes
import math
import sys

from OpenGL import EGL, GLES2

SIZE = 200
VERTEX = """
attribute vec3 position;
attribute vec3 normal;
uniform mat4 turn;
varying vec3 n;
void main() {
    vec4 p = turn * vec4(position, 1.0);
    n = (turn * vec4(normal, 0.0)).xyz;
    gl_Position = vec4(p.xy, p.z * 0.5, 1.0 + 0.4 * p.z);
}
"""
FRAGMENT = """
precision mediump float;
varying vec3 n;
void main() {
    float light = max(dot(normalize(n), normalize(vec3(0.4, 0.6, -0.7))), 0.0);
    gl_FragColor = vec4(vec3(0.9, 0.5, 0.2) * (0.15 + 0.85 * light), 1.0);
}
"""


def ints(*values):
    return (EGL.EGLint * (len(values) + 1))(*values, EGL.EGL_NONE)


def open_context():
    display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
    EGL.eglInitialize(display, EGL.EGLint(), EGL.EGLint())
    configs, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
    EGL.eglChooseConfig(display, ints(EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT, EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_ES2_BIT,
                                      EGL.EGL_RED_SIZE, 8, EGL.EGL_DEPTH_SIZE, 16), configs, 1, count)
    surface = EGL.eglCreatePbufferSurface(display, configs[0], ints(EGL.EGL_WIDTH, SIZE, EGL.EGL_HEIGHT, SIZE))
    EGL.eglBindAPI(EGL.EGL_OPENGL_ES_API)
    context = EGL.eglCreateContext(display, configs[0], EGL.EGL_NO_CONTEXT, ints(EGL.EGL_CONTEXT_CLIENT_VERSION, 2))
    EGL.eglMakeCurrent(display, surface, surface, context)


def program():
    result = GLES2.glCreateProgram()
    for kind, text in ((GLES2.GL_VERTEX_SHADER, VERTEX), (GLES2.GL_FRAGMENT_SHADER, FRAGMENT)):
        shader = GLES2.glCreateShader(kind)
        GLES2.glShaderSource(shader, text)
        GLES2.glCompileShader(shader)
        if not GLES2.glGetShaderiv(shader, GLES2.GL_COMPILE_STATUS):
            sys.exit(GLES2.glGetShaderInfoLog(shader))
        GLES2.glAttachShader(result, shader)
    GLES2.glBindAttribLocation(result, 0, b'position')
    GLES2.glBindAttribLocation(result, 1, b'normal')
    GLES2.glLinkProgram(result)
    GLES2.glUseProgram(result)
    return result


def torus(around=60, tube=30):
    vertices, indices = [], []
    for i in range(around + 1):
        for j in range(tube + 1):
            a, b = 2 * math.pi * i / around, 2 * math.pi * j / tube
            nx, ny, nz = math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b)
            vertices += [0.6 * math.cos(a) + 0.25 * nx, 0.6 * math.sin(a) + 0.25 * ny, 0.25 * nz, nx, ny, nz]
            if i < around and j < tube:
                k = i * (tube + 1) + j
                indices += [k, k + 1, k + tube + 1, k + 1, k + tube + 2, k + tube + 1]
    return (ctypes.c_float * len(vertices))(*vertices), (ctypes.c_ushort * len(indices))(*indices)


def main():
    open_context()
    print(EGL.eglQueryString(EGL.eglGetCurrentDisplay(), EGL.EGL_VENDOR))
    shader = program()
    c, s = math.cos(0.8), math.sin(0.8)
    turn = (ctypes.c_float * 16)(1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1)
    GLES2.glUniformMatrix4fv(GLES2.glGetUniformLocation(shader, 'turn'), 1, GLES2.GL_FALSE, turn)
    vertices, indices = torus()
    base = ctypes.addressof(vertices)
    for index in (0, 1):
        GLES2.glEnableVertexAttribArray(index)
        GLES2.glVertexAttribPointer(index, 3, GLES2.GL_FLOAT, GLES2.GL_FALSE, 24, ctypes.c_void_p(base + 12 * index))
    GLES2.glEnable(GLES2.GL_DEPTH_TEST)
    GLES2.glClearColor(0.1, 0.1, 0.3, 1.0)
    GLES2.glClear(GLES2.GL_COLOR_BUFFER_BIT | GLES2.GL_DEPTH_BUFFER_BIT)
    GLES2.glDrawElements(GLES2.GL_TRIANGLES, len(indices), GLES2.GL_UNSIGNED_SHORT, ctypes.c_void_p(ctypes.addressof(indices)))
    pixels = (ctypes.c_ubyte * (SIZE * SIZE * 4))()
    GLES2.glReadPixels(0, 0, SIZE, SIZE, GLES2.GL_RGBA, GLES2.GL_UNSIGNED_BYTE, pixels)
    if GLES2.glGetError():
        sys.exit('GL error')
    data = bytes(pixels)
    rows = [data[4 * SIZE * y:4 * SIZE * (y + 1)] for y in range(SIZE - 1, -1, -1)]
    with open(sys.argv[1], 'wb') as f:
        f.write(b'P6 %d %d 255\n' % (SIZE, SIZE))
        for row in rows:
            f.write(b''.join(row[4 * x:4 * x + 3] for x in range(SIZE)))


main()
