#!/bin/bash
# SPDX-License-Identifier: MIT
# cmake --install into an empty folder; then the installed vlgl, a program built with pkg-config, one built by CMake's
# find_package (shared and static), and one that takes vlgl through LD_LIBRARY_PATH or the system's libEGL.
# usage: install_test.sh BUILD
set -uo pipefail

build=$(realpath "${1:?usage: install_test.sh BUILD}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
unset LD_LIBRARY_PATH __EGL_VENDOR_LIBRARY_FILENAMES
export EGL_PLATFORM=surfaceless

check() { # check WHAT COMMAND...: the command must succeed and print "vlgl pixel 255 51 0 255", or what EXPECT holds
    local what=$1 expect=${EXPECT:-"vlgl pixel 255 51 0 255"}
    shift
    if "$@" >out 2>err && grep -qF -- "$expect" out; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        head -n 5 out err
    fi
}

cat >client.c <<'EOF'
#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <stdio.h>
#ifdef WITH_HEADER
#include <vlgl.h>
#endif
int main(void) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_ALPHA_SIZE, 8, EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, 4, EGL_HEIGHT, 4, EGL_NONE}, two[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    EGLDisplay d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig c;
    EGLint n;
    unsigned char p[4] = {0};
    if (!eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) || !eglChooseConfig(d, wanted, &c, 1, &n) || n < 1) {
        return 1;
    }
    EGLSurface s = eglCreatePbufferSurface(d, c, size);
    eglMakeCurrent(d, s, s, eglCreateContext(d, c, EGL_NO_CONTEXT, two));
    glClearColor(1.0f, 0.2f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
#ifdef WITH_HEADER
    PFNVLGLGETMESSAGEPROC get_message = (PFNVLGLGETMESSAGEPROC)eglGetProcAddress("vlglGetMessage");
    if (!get_message || get_message()) {
        return 2;
    }
#endif
    printf("%s pixel %d %d %d %d\n", (const char *)glGetString(GL_VENDOR), p[0], p[1], p[2], p[3]);
    return 0;
}
EOF

cmake --install "$build" --prefix "$work/root" >install.log 2>&1 || { cat install.log; exit 1; }
lib=$(dirname "$(find root -name libvlgl.so.0)")
EXPECT="EGL vendor         vlgl" check 'installed vlgl' root/bin/vlgl info
EXPECT=picture.png check 'installed vlgl draws' root/bin/vlgl render triangle -o picture.png

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$work/$lib/pkgconfig
    # shellcheck disable=SC2046
    cc -DWITH_HEADER client.c -o by_pc $(pkg-config --cflags --libs vlgl) || failed=$((failed + 1))
    check 'pkg-config' env LD_LIBRARY_PATH="$lib" ./by_pc
fi

mkdir by_cmake
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
cat >by_cmake/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(client C)
find_package(vlgl 0.1 REQUIRED)
foreach(kind vlgl static)
  add_executable(client_${kind} ../client.c)
  target_compile_definitions(client_${kind} PRIVATE WITH_HEADER)
  target_link_libraries(client_${kind} PRIVATE vlgl::${kind})
endforeach()
EOF
if cmake -S by_cmake -B by_cmake/build "${generator[@]}" -DCMAKE_PREFIX_PATH="$work/root" >cmake.log 2>&1 && cmake --build by_cmake/build >>cmake.log 2>&1; then
    check 'CMake, shared' by_cmake/build/client_vlgl
    check 'CMake, static' by_cmake/build/client_static
else
    failed=$((failed + 1))
    tail -n 20 cmake.log
fi

# A program that knows nothing of vlgl.
if cc client.c -o plain -L"$lib/vlgl" -Wl,-rpath-link,"$lib" -lEGL -lGLESv2; then
    check 'LD_LIBRARY_PATH' env LD_LIBRARY_PATH="$lib/vlgl" ./plain
    json=$(find root -name '60_vlgl.json')
    if [ -n "$json" ] && ldconfig -p | grep -q libGLdispatch.so.0; then
        check 'libglvnd' env __EGL_VENDOR_LIBRARY_FILENAMES="$json" ./plain
    else
        echo "skipped: no libglvnd"
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 5 ]
