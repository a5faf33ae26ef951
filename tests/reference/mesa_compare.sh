#!/bin/bash
# SPDX-License-Identifier: MIT
# Draws every sample with vlgl and with Mesa's llvmpipe and compares the pictures (mesa_compare.c says how).
# usage: mesa_compare.sh BUILD [SAMPLE...]
#
# Stray pixels that are allowed, and why they are there. "Outline" means: triangles seen edge-on, across which a varying (a normal,
# a reflected direction) changes by much of its range per pixel, so that the last bit of a vertex position shows; looked up
# pixel by pixel in both pictures.
#   cubemap      11, all on outlines of the ball and the rings, none where two cube faces meet (the two largest components of
#                the direction differ by more than 0.02 at each of them)
#   shadow_map    1, an outline pixel of a box
#   blur          5, one outline pixel of a ball in the sharp picture, then blurred
#   particles     5,000, hundreds of blended layers, each rounded to 8 bits. With a half-float target the two libraries agree
#                within 2/255 everywhere; from that picture vlgl's 8-bit one is off by more than 2 at 933 pixels (at most 6),
#                llvmpipe's at 3,656 (at most 9)
# normal_map had 9 because llvmpipe filters RGBA8 textures in 8-bit arithmetic; with no_aos_sampling it has none.
set -euo pipefail

build=$(cd "${1:?usage: mesa_compare.sh BUILD [SAMPLE...]}" && pwd)
shift
out=$build/mesa_compare
mkdir -p "$out/mesa" "$out/vlgl"
if [ $# -eq 0 ]; then
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    mapfile -t names < <(sed -n 's/^SAMPLE(\([a-z0-9_]*\)).*/\1/p' "$root/samples/samples.def")
    set -- "${names[@]}"
fi
declare -A strays=([cubemap]=11 [shadow_map]=1 [blur]=5 [particles]=5200)
declare -A shares=([particles]=97.5)
system=$(dirname "$(ldconfig -p | awk '/libEGL\.so\.1 / { print $NF; exit }')")
if [ ! -e "$system/libEGL.so.1" ] || [ -z "$(ldconfig -p | grep libEGL_mesa)" ]; then
    echo "skipped: no Mesa on this machine"
    exit 77
fi
passed=0 failed=0
for name in "$@"; do
    if [ "$name" = deep_zoom ]; then # doubles in shaders: an extension of ours
        continue
    fi
    EGL_PLATFORM=surfaceless LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe GALLIVM_PERF=no_aos_sampling LD_LIBRARY_PATH=$system \
        "$build/bin/vlgl" render "$name" -o "$out/mesa/$name.png" >/dev/null
    "$build/bin/vlgl" render "$name" -o "$out/vlgl/$name.png" >/dev/null
    printf '%-16s ' "$name"
    if "$build/tests/mesa_compare" "$out/mesa/$name.png" "$out/vlgl/$name.png" "${strays[$name]:-0}" \
        "${shares[$name]:-99.5}" "$out/$name-difference.png"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
