#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows how the two regressions of regressions/ are caught: one by pixels, one by cost alone. The project itself is
# not touched; the reports stay in the folder that is named last. usage: show-regressions.sh [FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(mktemp -d)}
for name in hills clock; do
    mkdir -p "$out/$name"
    cp -R "$here/scenes.txt" "$here/golden" "$here/shaders" "$out/$name/"
    cp "$here/regressions/$name.frag" "$out/$name/shaders/$name.frag"
    echo "== shaders/$name.frag replaced by regressions/$name.frag"
    if vlgl test "$out/$name"; then
        echo "not caught" >&2
        exit 1
    fi
done
echo "reports: $out/hills/out/report.html $out/clock/out/report.html"
