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
# Options that nothing takes, and doubles.
"$vlgl" render triangle --camera 10,20 -o no.png 2>message
check "$?$(cat message | head -n 1)" '1vlgl: render: --camera is for models, and none is named' '--camera without a model'
"$vlgl" render triangle --set x=1 -o no.png 2>message
check "$?$(cat message | head -n 1)" '1vlgl: render: --set is for shader files, and none is named' '--set without a shader'
check "$(ls no.png 2>/dev/null)" '' 'no picture then'
cat >doubles.frag <<'END'
#extension GL_VLGL_fp64 : require
precision highp float;
uniform double a;
uniform dvec2 b[2];
uniform dmat2 m;
void main() {
    bool same = a == 0.1lf && b[0] == dvec2(1.0lf, 1.0e-200lf) && b[1] == dvec2(3.0lf, 4.0lf) && m[1] == dvec2(0.3lf, 0.4lf);
    gl_FragColor = vec4(same ? 1.0 : 0.0);
}
END
"$vlgl" render doubles.frag --size 2x2 --set a=0.1 --set b=1,1e-200,3,4 --set m=0.1,0.2,0.3,0.4 -o doubles.png >/dev/null
check "$?" 0 'uniforms of doubles'
printf 'precision highp float;\nvoid main() { gl_FragColor = vec4(1.0); }\n' >white.frag
"$vlgl" render white.frag --size 2x2 -o white.png >/dev/null
"$vlgl" diff doubles.png white.png >/dev/null
check "$?" 0 'their values'
"$vlgl" render doubles.frag --size 2x2 --set b=1,2,3 -o doubles.png 2>message
check "$?$(cat message)" '1vlgl: doubles.frag: --set b: 3 numbers do not fit this uniform' 'three numbers for two doubles each'
check "$("$vlgl" --version | cut -c1-5)" 'vlgl ' '--version'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
