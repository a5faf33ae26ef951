#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""call_test.py VLGL: `vlgl call`: values worked out by hand, messages, files of tests."""
import json
import struct

from checks import Checks

t = Checks('call_test.py VLGL')

with open('s.glsl', 'w') as f:
    f.write('''#version 100
uniform vec3 light;
uniform float table[3];
uniform mat2 turnIt;
varying vec2 uv;
float luminance(vec3 c) { return dot(c, vec3(0.25, 0.5, 0.125)); }
int half_of(int n) { return n / 2; }
bool inside(vec2 p) { return all(lessThan(p, uv)); }
float cut(float x) { if (x < 0.0) discard; return x; }
float pick(int i) { return table[i]; }
mat2 twice(mat2 m) { return m * 2.0; }
float forever(float x) { for (int i = 0; i < 1000000000; i++) { x = sin(x + 1.0); } return x; }
void main() { gl_FragColor = vec4(uv, luminance(light), 1.0); }
''')
with open('v.vert', 'w') as f:
    f.write('attribute vec4 corner;\nuniform sampler2D heights;\nfloat sum() { return corner.x + corner.w; }\n'
            'float high(vec2 p) { return texture2D(heights, p).x; }\nvoid main() { gl_Position = corner; }\n')

t.expect(0, 'luminance(vec3(1, 2, 4)) = 1.75    0x3fe00000', 'call', 's.glsl', 'luminance(vec3(1, 2, 4))')
t.expect(0, 'half_of(7) = 3\n', 'call', 's.glsl', 'half_of(7)')
t.expect(0, 'half_of(-7) = -3\n', 'call', 's.glsl', 'half_of(-7)')
t.expect(0, '= mat2(2.0, 4.0, 6.0, 8.0)', 'call', 's.glsl', 'twice(mat2(1, 2, 3, 4))')
t.expect(0, '= bvec2(true, false)', 'call', 's.glsl', 'bvec2(inside(vec2(0.1)), inside(vec2(0.4)))',
         '--set', 'uv=0.25,0.3')
t.expect(0, '= vec3(3.0, 2.0, 1.0)', 'call', 's.glsl', 'light.zyx', '--set', 'light=1 2 3')
t.expect(0, 'pick(0) = 5.0|pick(2) = -7.5|turnIt * vec2(1, 10) = vec2(31.0, 42.0)', 'call', 's.glsl', 'pick(0)', 'pick(2)',
         'turnIt * vec2(1, 10)', '--set', 'table=5,6,-7.5', '--set', 'turnIt=1,2,3,4')
t.expect(0, 'cut(-1.0) = discarded', 'call', 's.glsl', 'cut(-1.0)')
t.expect(0, 'sum() = 5.0', 'call', 'v.vert', 'sum()', '--set', 'corner=1,2,3,4')
t.expect(0, 'gl_FragCoord.xy = vec2(0.5, 0.5)', 'call', 's.glsl', 'gl_FragCoord.xy')
t.expect(0, '1.0 / 3.0 = 0.33333334    0x3eaaaaab', 'call', '-', '1.0 / 3.0')
t.expect(0, '= 1e+30    0x7149f2ca', 'call', '-', '1e30')
t.expect(0, '= inf    0x7f800000', 'call', '-', '1.0 / 0.0')
t.expect(0, '-2.5 = -2.5', 'call', '-', '-2.5')
t.expect(0, 'instructions|words', 'call', '-', '1.0 + 2.0', '--cost')

# Doubles: exact, of any size, as numbers, uniforms and results.
for text, bits in (('1.0lf / 3.0lf', '0x3fd5555555555555'), ('sqrt(2.0lf)', '0x3ff6a09e667f3bcd'), ('-(0.0lf)', '0x8000000000000000'),
                   ('0.1lf + 0.2lf', '0x3fd3333333333334'), ('4.9e-324lf', '0x0000000000000001'),
                   ('2.2250738585072014e-308lf', '0x0010000000000000'), ('1.7976931348623157e308lf', '0x7fefffffffffffff'),
                   ('-1.2345678901234567e100LF', '0xd4b693d8e89df183'), ('1.0e300lf * 1.0e300lf', 'inf    0x7ff0000000000000'),
                   ('0.0lf / 0.0lf', 'nan    0x7ff8000000000000'), ('double(0.1)', '0.10000000149011612lf    0x3fb99999a0000000')):
    t.expect(0, bits, 'call', '-', text)
    t.expect(0, bits, 'call', '-', text, '--fold')
t.expect(0, '= dmat2(1.0lf, 2.0lf, 3.0lf, 4.5lf)    0x3ff0000000000000', 'call', '-', 'dmat2(1.0lf, 2.0lf, 3.0lf, 4.5lf)')
t.expect(0, '= dvec3(3.0lf, 2.0lf, 1.5lf)', 'call', '-', 'dvec3(1.5lf, 2.0lf, 3.0lf).zyx')
t.expect(0, 'int(2.9lf) = 2', 'call', '-', 'int(2.9lf)')
with open('d.frag', 'w') as f:
    f.write('#extension GL_VLGL_fp64 : require\nprecision highp float;\nuniform double a;\nuniform dvec2 b[2];\nvoid main() {}\n')
t.expect(0, '= 0.1lf|= dvec2(3.5lf, 1e-200lf)', 'call', 'd.frag', 'a', 'b[1]', '--set', 'a=0.1', '--set', 'b=1,2.5lf,3.5,1e-200')
row = json.loads(t.expect(0, 'double', 'call', '-', '0.1lf * 3.0lf', '--json'))[0]
t.check(row['value'] == [0.1 * 3.0] and row['text'] == '0.30000000000000004lf' and row['type'] == 'double', 'doubles as JSON')
t.expect(1, "'1lf' is not a number", 'call', '-', '1lf')
t.expect(1, "'1.5f' is not a number", 'call', '-', '1.5f + 1.0')

# The shortest text reads back as the same bits; folded and not folded agree.
numbers = ['0.1', '16777217.0', '1.17549435e-38', '3.4028235e38', '0.333', '1e-45', '123456.789']
for fold in ([], ['--fold']):
    out = json.loads(t.expect(0, 'expression', 'call', '-', *numbers, '--json', *fold))
    for number, row in zip(numbers, out):
        bits = struct.pack('>f', float(number)).hex()
        t.check(row['bits'] == ['0x' + bits], number + ': bits')
        t.check(struct.pack('>f', float(row['text'])).hex() == bits, number + ': text ' + row['text'])

# Messages.
t.expect(1, "no function of this name", 'call', 's.glsl', 'lumi(1.0)')
t.expect(1, "no matching function 'luminance(float)'", 'call', 's.glsl', 'luminance(1.0)')
t.expect(1, 'cannot be applied', 'call', 's.glsl', '1 + 1.0')
t.expect(1, 'reads a texture', 'call', 'v.vert', 'high(vec2(0.5))')
t.expect(1, 'missing.glsl: cannot read', 'call', 'missing.glsl', '1.0')
t.expect(1, 'budget', 'call', 's.glsl', 'forever(1.0)', env={'VLGL_BUDGET': '100000'})
t.expect(1, 'VLGL_BUDGET is no number', 'call', 's.glsl', '1.0', env={'VLGL_BUDGET': 'many'})
t.expect(1, 'is not NAME=', 'call', 's.glsl', '1.0', '--set', 'light')
t.expect(1, 'is not NAME=', 'call', 's.glsl', '1.0', '--set', 'light=red')
t.expect(1, 'a file and an expression', 'call', 's.glsl')
t.expect(1, "no option '--slow'", 'call', 's.glsl', '1.0', '--slow')
t.expect(1, '--stage is vertex or fragment', 'call', 's.glsl', '1.0', '--stage', 'tess')
for rubbish in ('', '(', '1.0;', ')(', '}', '/*', '"', '\\', 'x' * 5000, '((((((' * 200, '#define main\n1.0', '\x01'):
    done = t.run('call', '-', rubbish)
    t.check(done.returncode == 1 and len(done.stderr.strip().split('\n')) == 1, 'rubbish %r' % rubbish[:20])
with open('bad.glsl', 'w') as f:
    f.write('/* a comment */ #version 100\nfloat f() { return 1.0; }\nfloat g() { retrun 1.0; }\n')
t.expect(1, 'bad.glsl:3:', 'call', 'bad.glsl', 'f()')

# Files of tests.
with open('good.calltest', 'w') as f:
    f.write('''# comment
file s.glsl
set light = 0, 1, 0
luminance(light) => 0.5
luminance(vec3(1.0)) => 0.875   # behind a test
1.0 / 3.0 => 0.3333 +- 0.0001
0.33333331 => 0.33333334 ulp 1
cut(-1.0) => discarded
half_of(9) => 4
nan => nan
file -
1.0lf / 3.0lf => 0.333333333333lf +- 1e-12
0.1lf + 0.2lf => 0.3lf ulp 1
file v.vert
sum() => 0.0
''')
t.expect(0, 'good.calltest:4|10 passed, 0 failed', 'call', '--test', 'good.calltest')
with open('wrong.calltest', 'w') as f:
    f.write('file -\n0.1lf + 0.2lf => 0.3lf\n1.0 => 1.5\n1.0 => 1\n0.0 => -0.0\n1.0 => nan\n1.0 => 1.1 +- 0.05\n0.33333328 => 0.33333334 ulp 1\n'
            '2.0 => 2.0\n')
out = t.expect(1, 'off by 0.5|float is not int|1 passed, 7 failed', 'call', '--test', 'wrong.calltest')
t.check(out.count('FAILED wrong.calltest:') == 7, 'seven failures')
for text, message in (('1.0 => 1.0\n', ':1: there is no file'), ('file -\n1.0 + 2.0\n', ':2: neither file'),
                      ('file -\n1.0 => 1.0 +- x\n', 'no tolerance'), ('file -\nx => 1.0\n', "undeclared"),
                      ('file -\n', 'no test in it'), ('stage x\n', 'the stage is'), ('file no.glsl\n', 'no.glsl')):
    with open('broken.calltest', 'w') as f:
        f.write(text)
    t.expect(1, message, 'call', '--test', 'broken.calltest')
t.finish()
