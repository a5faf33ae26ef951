#!/bin/bash
# SPDX-License-Identifier: MIT
# What the vlgl command does with input that is wrong: exit status 1, one message that names the file and the place,
# nothing on standard output that looks like a result, and no output file.
# usage: bad_input.sh VLGL
set -uo pipefail

vlgl=$(realpath "${1:?usage: bad_input.sh VLGL}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# refuse PATTERN ARGUMENT...: the command line must fail with a message that matches PATTERN and leave no out.*.
refuse() {
    local pattern=$1 status
    shift
    rm -rf out.*
    "$vlgl" "$@" >stdout 2>stderr </dev/null
    status=$?
    local fault=
    [ $status -eq 1 ] || fault+=" status $status;"
    grep -qE -- "$pattern" stderr || fault+=" no /$pattern/ in the message;"
    [ "$(grep -cE "^[^ ']" stderr)" -eq 1 ] || fault+=" not one message;" # details are indented, the hint is quoted
    [ -z "$(find . -name 'out.*')" ] || fault+=" left $(find . -name 'out.*');"
    if [ -n "$fault" ]; then
        failed=$((failed + 1))
        echo "FAILED vlgl $*:$fault"
        sed 's/^/    /' stderr | head -n 20
    else
        passed=$((passed + 1))
    fi
}

# Command lines.
refuse "'paint' is no command" paint
refuse "no option '--wide'" render triangle --wide
refuse 'nothing to draw' render
refuse '--size' render triangle -o out.png --size 0x10
refuse '--size' render triangle -o out.png --size 8193x10
refuse '--size' render triangle -o out.png --size 10x-1
refuse '--size' render triangle -o out.png --size 18446744073709551617x10
refuse '--size' render triangle -o out.png --size
refuse '--frames' render triangle -o out.png --frames 0
refuse '--samples' render triangle -o out.png --samples 3
refuse '--time' render triangle -o out.png --time nan
refuse 'no_such_sample' render no_such_sample -o out.png
refuse 'no_such_folder' render triangle -o no_such_folder/out.png --size 8x8
refuse 'takes no argument' list triangle
refuse 'takes no argument' info triangle
refuse 'no file' asm
refuse 'no file' dis
refuse 'no file' compile
refuse 'not understood: --fast' compile --fast
refuse 'stage' compile --stage geometry x.frag
refuse '--threads' bench fill --threads 0
refuse 'no_such_row' bench no_such_row

# Shaders: the place is FILE:LINE:COLUMN.
printf 'precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(1.0)\n}\n' >semicolon.frag
refuse 'semicolon.frag:3:28: error' render semicolon.frag -o out.png
refuse 'semicolon.frag:3:28: error' compile semicolon.frag -o out.vliw
printf 'precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(a, 1);\n}\n' >name.frag
refuse "name.frag:3:25: error.*'a'" render name.frag -o out.png
printf 'void main() { gl_FragColor = vec4(0.0); ' >cut.frag
refuse 'cut.frag:1:[0-9]+: error' render cut.frag -o out.png
: >empty.frag
refuse 'empty.frag' render empty.frag -o out.png
head -c 4096 /dev/zero >zeros.frag
refuse 'zeros.frag' render zeros.frag -o out.png
refuse 'missing.frag' render missing.frag -o out.png
refuse 'missing.frag' compile missing.frag -o out.vliw
mkdir folder.frag
refuse 'folder.frag' render folder.frag -o out.png

# A shader that never ends: the context is lost, and the message names shader and line.
printf 'precision highp float;\nuniform float time;\nvoid main() {\n    float a = time, b = a;\n    while (a >= b) a += 1.0;\n    gl_FragColor = vec4(a);\n}\n' >endless.frag
VLGL_BUDGET=100000 refuse 'endless.frag: .*lost: fragment shader program [0-9]+, line 5:' render endless.frag -o out.png --size 16x16

# Variables that are none.
VLGL_THREADS=0 refuse 'VLGL_THREADS=0 ' info
VLGL_THREADS=many refuse 'VLGL_THREADS=many ' render triangle -o out.png
VLGL_BUDGET=small refuse 'VLGL_BUDGET=small ' render triangle -o out.png
VLGL_SIMD=mmx refuse 'VLGL_SIMD=mmx ' render triangle -o out.png

# VL-IW text and binaries.
printf 'mov r0.xyzw, c0.xyzw\nfrobnicate r1, r2\n' >bad.vl
refuse 'bad.vl:1:1: ' asm bad.vl -o out.vliw
printf 'precision highp float;\nvarying vec4 c;\nvoid main() { gl_FragColor = c * c; }\n' >good.frag
"$vlgl" compile good.frag -o good.vliw >/dev/null || failed=$((failed + 1))
size=$(stat -c %s good.vliw)
for at in 0 8 $((size / 2)) $((size - 1)); do
    cp good.vliw flipped.vliw
    byte=$(od -An -tu1 -j "$at" -N 1 good.vliw)
    printf "$(printf '\\x%02x' $((byte ^ 0x41)))" | dd of=flipped.vliw bs=1 seek="$at" conv=notrunc status=none
    refuse 'flipped.vliw' dis flipped.vliw -o out.vl
done
for length in 0 3 16 $((size - 1)); do
    head -c "$length" good.vliw >short.vliw
    refuse 'short.vliw' dis short.vliw -o out.vl
done

# The processor model: command lines, programs that break rules, that never end, that go astray.
refuse 'no file' sim
refuse 'not understood' sim --wild 1
refuse '--threads takes' sim phong --threads 9
refuse '--paper takes no file' sim --paper phong
refuse 'missing.frag' sim missing.frag -o out.png
printf '.unchecked\nADD A B | ADD C D\nEND\n' >pair.s
refuse 'pair.s:2: .*rule 17' sim pair.s -o out.png
printf '.unchecked\n.gprs 8\nADDR +4000(0) | MOV A r0\nEND\n' >beyond.s
refuse 'beyond.s:3: .*rule 24' sim beyond.s -o out.png
printf 'MOV A B\ntop: BL top\n' >endless.s
refuse 'endless.s: .*budget.* at unit 1, line 2' sim endless.s --budget 1000 -o out.png
printf 'MOV A.x A - #1\nMULx #900\nADDR A.x(0) | BL D 900\nTRAP\n' | sed 's/^MULx.*/ADD A.x A - #900/' >astray.s
refuse 'astray.s: .*at unit 4, line 3' sim astray.s -o out.png
printf '.stage fragment\nDDX A B\nEND\n' >quad.s
refuse 'quad.s: .*quads' sim quad.s --threads 6 -o out.png

# Models and pictures (through libassimp, if this machine has it).
if "$vlgl" render missing.obj -o out.png 2>&1 | grep -q libassimp; then
    echo "skipped: no libassimp, so no corrupt models"
else
    refuse 'missing.obj' render missing.obj -o out.png
    printf 'v 0 0\nf 1 2 999999\n' >bad.obj
    refuse 'bad.obj' render bad.obj -o out.png
    printf 'glTF\2\0\0\0\377\377\377\177' >cut.glb
    refuse 'cut.glb' render cut.glb -o out.png
    printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n' >cut.ply
    refuse 'cut.ply' render cut.ply -o out.png
    { printf '%80s' x; printf '\377\377\377\177'; } >cut.stl
    refuse 'cut.stl' render cut.stl -o out.png
    printf 'MM\1\0\0\0' >cut.3ds
    refuse 'cut.3ds' render cut.3ds -o out.png
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 30 ]
