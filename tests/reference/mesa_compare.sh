#!/bin/bash
# SPDX-License-Identifier: MIT
# Draws every sample with vlgl and with Mesa's llvmpipe and compares the pictures (mesa_compare.c says how).
# usage: mesa_compare.sh BUILD [SAMPLE...]
#
# Stray pixels that are allowed, and why. All were looked at.
#   cubemap      reflections at grazing angles: llvmpipe computes the level of detail from an approximate log2, so
#                single texels of the cube's mip chain differ by one filter step
#   normal_map   llvmpipe filters 8-bit textures with 8-bit rounded intermediate results; the lit brick edges amplify it
#   shadow_map   one outline pixel of a column: depth packed in RGBA8 differs in the last bit on a silhouette
#   blur         outline pixels of balls, spread by the filter
#   particles    hundreds of blended sprites over each other: llvmpipe's 8-bit blend rounds each layer towards zero,
#                ours to nearest, and the difference adds up to 12 of 255; the share of pixels within 2 is 97.8 %
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
