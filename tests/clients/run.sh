#!/bin/bash
# SPDX-License-Identifier: MIT
# Real programs on vlgl, without a screen: each runs, and where it makes a picture that stands still, the picture is
# compared with llvmpipe's. A program that is not installed is skipped; packages.txt names the Debian packages.
# usage: run.sh BUILD [CLIENT...]     KEEP=FOLDER keeps pictures and logs; exit status 77 = nothing could be run
set -uo pipefail

build=$(realpath "${1:?usage: run.sh BUILD [CLIENT...]}")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lib=$build/lib
vlgl=$build/bin/vlgl
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
work=$(realpath "$work")
cd "$work" || exit 1
passed=0 failed=0 skipped=0 xvfb=
unset LD_LIBRARY_PATH DISPLAY WAYLAND_DISPLAY EGL_PLATFORM __EGL_VENDOR_LIBRARY_FILENAMES VLGL_DEBUG
export XDG_RUNTIME_DIR=$work/run HOME=$work LC_ALL=C NO_AT_BRIDGE=1 MESA_SHADER_CACHE_DISABLE=true
mkdir -p -m 700 "$XDG_RUNTIME_DIR"

finish() {
    [ -n "$xvfb" ] && kill "$xvfb" 2>/dev/null
    [ -n "${KEEP:-}" ] || rm -rf "$work"
}
trap finish EXIT

# on vlgl|glvnd|mesa SECONDS COMMAND...: runs it on that library (glvnd: vlgl through the system's libEGL).
on() {
    local library=$1 seconds=$2
    shift 2
    if [ "$library" = vlgl ]; then
        env LD_LIBRARY_PATH="$lib" timeout -k 2 "$seconds" "$@"
    elif [ "$library" = glvnd ]; then
        env __EGL_VENDOR_LIBRARY_FILENAMES="$lib/egl_vendor.json" timeout -k 2 "$seconds" "$@"
    else
        env LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe timeout -k 2 "$seconds" "$@"
    fi
}

# need FILE-OR-COMMAND...: sets 'missing' to the first that is not there.
need() {
    missing=
    for what in "$@"; do
        if ! command -v "$what" >/dev/null && [ ! -e "$what" ]; then
            missing=$what
            return 1
        fi
    done
}

# Starts the server for all clients, here and not in need_x, which runs in subshells that cannot be asked to end it.
start_x() {
    command -v Xvfb >/dev/null || return
    Xvfb -displayfd 3 -noreset -screen 0 1024x768x24 -nolisten tcp 3>display >/dev/null 2>&1 &
    xvfb=$!
    for _ in $(seq 50); do [ -s display ] && break; sleep 0.1; done
}

need_x() {
    need Xvfb import "$@" || return 1
    [ -s display ] || { missing='a working Xvfb'; return 1; }
    x=:$(head -n 1 display)
}

# window_picture LIBRARY FILE COMMAND...: a program's window on Xvfb after two seconds.
window_picture() {
    local library=$1 file=$2
    shift 2
    DISPLAY=$x on "$library" 20 "$@" >"$file.log" 2>&1 &
    local client=$!
    sleep "${WAIT:-2.5}"
    DISPLAY=$x timeout 10 import -window root "$file.all.png"
    pkill -TERM -P "$client" 2>/dev/null
    kill "$client" 2>/dev/null
    wait "$client" 2>/dev/null
    convert "$file.all.png" -crop "${CROP:-300x300+0+0}" +repage "$file"
}

# alike FILE [OPTION...]: FILE on vlgl against FILE on Mesa (vlgl.FILE, mesa.FILE).
alike() {
    local file=$1
    shift
    "$vlgl" diff "vlgl.$file" "mesa.$file" --picture "difference.$file" "$@"
}

# colours FILE: number of colours, so that an empty picture is noticed.
colours() { convert "$1" -format '%k' info:; }

# ---- the clients: each a function that fails, succeeds or sets 'missing' -------------------------------------------

client_es2_info() {
    need_x es2_info || return 0
    DISPLAY=$x on vlgl 20 es2_info >es2_info.log && grep -q 'GL_VENDOR: vlgl' es2_info.log
}

client_glvnd() {
    need_x es2_info "$lib/egl_vendor.json" || return 0
    DISPLAY=$x on glvnd 20 es2_info >glvnd.log && grep -q 'GL_VENDOR: vlgl' glvnd.log
}

client_es2tri() {
    need_x es2tri || return 0
    for l in vlgl mesa; do window_picture $l $l.es2tri.png es2tri; done
    alike es2tri.png --tolerance 2 --share 0.1 && [ "$(colours vlgl.es2tri.png)" -gt 10 ]
}

client_es2gears() { # it moves: only the colours of the three wheels are asked for
    need_x es2gears_x11 || return 0
    window_picture vlgl vlgl.es2gears.png es2gears_x11
    for colour in '#c81a00' '#00c832' '#3333ff'; do
        share=$(convert vlgl.es2gears.png -fuzz 25% -fill white -opaque "$colour" -fill black +opaque white -format '%[fx:mean*1000]' info:)
        [ "${share%.*}" -ge 5 ] || { echo "too little of $colour: $share of 1000"; return 1; }
    done
}

client_glmark2() {
    need_x glmark2-es2 || return 0
    DISPLAY=$x on vlgl 900 glmark2-es2 --validate -s 400x300 >glmark2.log 2>&1
    grep -c 'Validation: Success' glmark2.log
    ! grep -E 'Validation: Failure|Error|Set up failed' glmark2.log && [ "$(grep -c 'Validation: Success' glmark2.log)" -ge 20 ]
}

client_glmark2_warps() { # what it shades, recorded, runs on the model of many warps
    need_x glmark2-es2 || return 0
    DISPLAY=$x VLGL_WARPS=$work/%c.warps on vlgl 100 glmark2-es2 --validate -b texture -b bump -b terrain >warps.log 2>&1
    "$vlgl" sim --warps ./*.warps --csv warps.csv >>warps.log && [ "$(cut -d , -f 1,2 warps.csv | sort -u | grep -c fragment)" -ge 5 ]
}

sdl=/usr/libexec/installed-tests/SDL2
client_sdl_automation() { # draws and compares the results itself
    need $sdl/testautomation || return 0
    (cd $sdl && SDL_VIDEODRIVER=offscreen SDL_RENDER_DRIVER=opengles2 SDL_AUDIODRIVER=dummy on vlgl 100 ./testautomation --filter Render) >sdl_automation.log 2>&1
    tail -n 3 sdl_automation.log | grep -E 'Total=[1-9].* Passed=[1-9].* Failed=0'
}

client_sdl_gles2() {
    need $sdl/testgles2 || return 0
    (cd $sdl && SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy on vlgl 4 ./testgles2) >sdl_gles2.log 2>&1
    grep -E 'frames per second' sdl_gles2.log && ! grep -iE 'error' sdl_gles2.log
}

client_sdl_chessboard() {
    need_x $sdl/testdrawchessboard || return 0
    for l in vlgl mesa; do
        SDL_VIDEODRIVER=x11 SDL_VIDEO_X11_FORCE_EGL=1 SDL_RENDER_DRIVER=opengles2 SDL_FRAMEBUFFER_ACCELERATION=opengles2 \
            SDL_AUDIODRIVER=dummy CROP=1024x768+0+0 window_picture $l $l.chessboard.png $sdl/testdrawchessboard
    done
    alike chessboard.png --tolerance 1 && [ "$(colours vlgl.chessboard.png)" -ge 2 ]
}

client_gstreamer() {
    need gst-launch-1.0 || return 0
    gst-inspect-1.0 glshader >/dev/null 2>&1 || { missing='the GStreamer element glshader'; return 0; }
    cat >effect.frag <<'EOF'
#version 100
precision mediump float;
varying vec2 v_texcoord;
uniform sampler2D tex;
void main() {
    vec4 c = texture2D(tex, v_texcoord);
    gl_FragColor = vec4(mix(c.brg, vec3(1.0) - c.rgb, v_texcoord.x) * (0.4 + 0.6 * v_texcoord.y), 1.0);
}
EOF
    for l in vlgl mesa; do
        GST_GL_API=gles2 GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device GST_REGISTRY=$work/gst.$l on $l 60 gst-launch-1.0 -q \
            videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,width=320,height=240,format=RGBA ! glupload ! \
            glshader fragment="\"$(cat effect.frag)\"" ! gldownload ! pngenc ! filesink location=$l.gst.png >gst.$l.log 2>&1 || return 1
    done
    alike gst.png --tolerance 2 --share 0.1 && [ "$(colours vlgl.gst.png)" -ge 8 ]
}

client_weston() {
    need weston weston-screenshooter || return 0
    printf '[shell]\npanel-position=none\nlocking=false\nstartup-animation=none\n' >weston.ini
    for l in vlgl mesa; do
        mkdir -p shot.$l
        on $l 40 weston --config="$work/weston.ini" --backend=headless-backend.so --use-gl --width=400 --height=300 --socket=w-$l \
            --idle-time=0 --debug >weston.$l.log 2>&1 &
        compositor=$!
        sleep 3
        for _ in 1 2 3 4 5 6; do # the desktop is there when two pictures in a row are the same and not of one colour
            sleep 1
            mv $l.weston.png $l.before.png 2>/dev/null
            (cd shot.$l && rm -f ./*.png && WAYLAND_DISPLAY=w-$l timeout 20 weston-screenshooter >/dev/null 2>&1 && mv ./*.png ../$l.weston.png)
            [ "$(colours $l.weston.png)" -ge 2 ] && cmp -s $l.before.png $l.weston.png && break
        done
        pkill -TERM -P $compositor 2>/dev/null
        wait $compositor 2>/dev/null
    done
    grep -q 'GL vendor: vlgl' weston.vlgl.log && alike weston.png --tolerance 2 && [ "$(colours vlgl.weston.png)" -ge 2 ]
}

client_qtquick() { # eglfs on the off-screen window; Mesa has none, so it draws the same on Xvfb
    need_x qmlscene || return 0
    for l in vlgl mesa; do
        sed "s|PICTURE|$work/$l.qt.png|" "$here/scene.qml" >$l.qml
    done
    QT_QPA_PLATFORM=eglfs QT_QPA_EGLFS_FB=/dev/null QT_QPA_EGLFS_WIDTH=320 QT_QPA_EGLFS_HEIGHT=240 QT_QPA_EGLFS_PHYSICAL_WIDTH=100 \
        QT_QPA_EGLFS_PHYSICAL_HEIGHT=75 QT_QPA_EGLFS_INTEGRATION=none QSG_INFO=1 on vlgl 40 qmlscene vlgl.qml >qt.vlgl.log 2>&1
    DISPLAY=$x QT_QPA_PLATFORM=xcb QT_XCB_GL_INTEGRATION=xcb_egl on mesa 40 qmlscene mesa.qml >qt.mesa.log 2>&1
    grep -q 'GL_VENDOR: *vlgl' qt.vlgl.log || { tail -n 3 qt.vlgl.log; return 1; }
    alike qt.png --tolerance 3 && [ "$(colours vlgl.qt.png)" -ge 50 ]
}

client_pyopengl() {
    need python3 || return 0
    python=$(command -v /usr/bin/python3 || command -v python3)
    $python -c 'import OpenGL' 2>/dev/null || { missing='python3-opengl'; return 0; }
    for l in vlgl mesa; do
        PYOPENGL_PLATFORM=egl EGL_PLATFORM=surfaceless on $l 60 "$python" "$here/pyopengl_client.py" $l.py.ppm >py.$l.log 2>&1 || { tail -n 3 py.$l.log; return 1; }
        convert $l.py.ppm $l.py.png
    done
    grep -q "'vlgl'" py.vlgl.log && alike py.png --tolerance 2 --share 0.2 && [ "$(colours vlgl.py.png)" -ge 100 ]
}

client_apitrace() { # captured on vlgl, replayed on both; the twentieth frame, because windows get their size on the way
    need_x apitrace eglretrace es2gears_x11 || return 0
    rm -f gears.trace ./*.trace-*.png
    DISPLAY=$x on vlgl 3 apitrace trace --api=egl -o gears.trace es2gears_x11 >apitrace.log 2>&1
    call=$(apitrace dump gears.trace 2>/dev/null | grep -oE '^[0-9]+ eglSwapBuffers' | sed -n '20s/ .*//p')
    [ -n "$call" ] || { echo "fewer than 20 frames in the trace"; return 1; }
    for l in glvnd mesa; do # eglretrace wants a libGL of the same family, which LD_LIBRARY_PATH alone does not give
        DISPLAY=$x on $l 60 eglretrace -s $l.trace- -S "$call" gears.trace >retrace.$l.log 2>&1
        mv $l.trace-*.png $l.trace.png || return 1
    done
    mv glvnd.trace.png vlgl.trace.png
    alike trace.png --tolerance 2 --share 0.5 && [ "$(colours vlgl.trace.png)" -gt 10 ]
}

# ---- all of them ------------------------------------------------------------------------------------------------------

all="es2_info glvnd es2tri es2gears glmark2 glmark2_warps sdl_automation sdl_gles2 sdl_chessboard gstreamer weston qtquick pyopengl apitrace"
rm -f display
start_x
for client in ${*:-$all}; do
    missing=
    if ! declare -F "client_$client" >/dev/null; then
        echo "no client $client; there are: $all"
        exit 2
    fi
    if output=$(client_$client 2>&1; status=$?; echo "$missing" >missing; exit $status); then
        missing=$(cat missing)
        if [ -n "$missing" ]; then
            skipped=$((skipped + 1))
            echo "skipped $client: needs $missing"
        else
            passed=$((passed + 1))
            echo "passed  $client"
        fi
    else
        failed=$((failed + 1))
        echo "FAILED  $client"
        echo "$output" | tail -n 8 | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
