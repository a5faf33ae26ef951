#!/bin/bash
# SPDX-License-Identifier: MIT
# vlgl render --frames N -o NAME%04d.png writes every frame, the last equal to the one picture of the same run; --samples 4
# changes edges only.
# usage: render_options.sh VLGL
set -uo pipefail

vlgl=$(realpath "${1:?usage: render_options.sh VLGL}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

check() {
    if [ "$1" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $3: '$1', not '$2'"
    fi
}

"$vlgl" render textured_cube --size 64x48 --frames 12 -o 'f%03d.png' >names
check "$?" 0 'exit status'
check "$(wc -l <names)" 12 'names printed'
check "$(echo f*.png | wc -w)" 12 'files'
check "$(md5sum f*.png | cut -d' ' -f1 | sort -u | wc -l)" 12 'different pictures'
"$vlgl" render textured_cube --size 64x48 --frames 12 -o last.png >/dev/null
check "$(md5sum <f011.png)" "$(md5sum <last.png)" 'last frame'
"$vlgl" render triangle --size 64x48 -o 'p%d.png' >/dev/null
check "$(echo p*)" p0.png 'a number without width'
"$vlgl" render triangle --size 64x48 -o '100%.png' >/dev/null
check "$(echo 1*)" '100%.png' 'a percent sign that is no number'
one=$("$vlgl" render phong --size 160x120 --table --full-hash -o one.png | tail -n 1)
none=$("$vlgl" render phong --size 160x120 --samples 0 --table --full-hash -o none.png | tail -n 1)
four=$("$vlgl" render phong --size 160x120 --samples 4 --table --full-hash -o four.png | tail -n 1)
check "${one##* }" "${none##* }" '--samples 0 is the default'
check "$([ "${one##* }" != "${four##* }" ] && echo differs)" differs '--samples 4'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
