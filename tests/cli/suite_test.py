#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""suite_test.py VLGL: `vlgl test`: manifests, every outcome of a scene, goldens, JUnit, and the example project."""
import os
import re
import shutil
import xml.etree.ElementTree

from checks import Checks
import pngs

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
t = Checks('suite_test.py VLGL')
os.environ['PATH'] = os.path.dirname(t.vlgl) + ':' + os.environ['PATH']


def manifest(text, folder='p'):
    os.makedirs(folder, exist_ok=True)
    with open(folder + '/scenes.txt', 'w') as f:
        f.write(text)


def shader(body, name='p/s.frag'):
    with open(name, 'w') as f:
        f.write('precision highp float;\nuniform vec2 resolution;\nuniform float shade;\nvoid main() {\n%s}\n' % body)


# Manifests that make no sense: one message with file and line, nothing rendered.
for text, message in (('[a]\nsample = no_such\n', ':2: there is no such sample'),
                      ('[a]\n', ':1: this scene has no sample'), ('', 'no scene in it'),
                      ('[a b]\nsample = phong\n', ':1: a name has'), ('[../x]\nsample = phong\n', ':1: a name has'),
                      ('[a]\nsample = phong\n[a]\nsample = phong\n', ':3: there is a scene of this name'),
                      ('[a]\nsample = phong\nshader = x.frag\n', ':3: a scene draws one thing'),
                      ('sample = phong\n', ':1: this belongs below'), ('[a]\nsample = phong\nsize = 0x4\n', ':3: this value'),
                      ('[a]\nsample = phong\ntolerance = 300\n', ':3: this value'), ('[a]\ncolor = red\n', ':2: this key'),
                      ('[a]\nsample = phong\ncost = cheap\n', ':3: the cost is'), ('hello\n', ':1: neither'),
                      ('[a\n', ':1: a scene begins'), ('[a]\nsample = phong\nenv = X\n', ':3: this is not NAME=VALUE'),
                      ('[a]\nsample = phong\ntimeout = 0\n', ':3: seconds'), ('[a]\nsample = phong\nset = x\n', ':3: this value')):
    manifest(text)
    t.expect(1, 'p/scenes.txt' + message if message[0] == ':' else message, 'test', 'p')
    t.check(not os.path.exists('p/out'), 'nothing is made for ' + text[:20])
t.expect(1, 'nowhere/scenes.txt: cannot read', 'test', 'nowhere')
t.expect(1, 'a folder', 'test')
t.expect(1, "no option '--fast'", 'test', 'p', '--fast')
t.expect(1, "-j does not take '0'", 'test', 'p', '-j', '0')

# Every outcome.
manifest('''size = 32x24
[one]
shader = s.frag
set = shade=0.5
[two]
sample = triangle
tolerance = 3
share = 100
[three]
command = test "$COLOR" = blue && cp picture.png "$OUT"
env = COLOR=blue
cost = off
''')
shader('    gl_FragColor = vec4(shade, gl_FragCoord.xy / resolution, 1.0);\n')
pngs.rgb('p/picture.png', 8, 8, lambda x, y: (x, y, 9))
t.expect(1, '3 new', 'test', 'p')
t.check(not os.path.exists('p/golden'), 'goldens come from --update alone')
t.expect(0, '3 updated', 'test', 'p', '--update')
t.check(sorted(os.listdir('p/golden')) == ['one.cost', 'one.png', 'three.png', 'two.cost', 'two.png'], 'goldens')
t.check(pngs.size('p/golden/one.png') == (32, 24), 'size of a scene')
t.check(os.path.exists('p/out/contact.png'), 'contact sheet')
t.expect(0, '3 passed', 'test', 'p', '-j', '1')
t.expect(0, '1 passed', 'test', 'p', 'two')
t.expect(0, '2 passed', 'test', 'p', 't*')
t.expect(1, "no scene 'four'", 'test', 'p', 'four')
t.check(t.run('test', 'p', '--list').stdout == 'one\ntwo\nthree\n', '--list')
t.check(t.run('test', 'p', '--quiet').stdout.count('\n') == 1, '--quiet')

golden = open('p/golden/one.png', 'rb').read()
shader('    gl_FragColor = vec4(shade + 0.004, gl_FragCoord.xy / resolution, 1.0);\n')
t.expect(1, 'changed  one: different: 768 of 768 pixels|2 passed, 1 changed', 'test', 'p')
t.check(open('p/golden/one.png', 'rb').read() == golden, 'a golden stays without --update')
t.check(os.path.exists('p/out/one.png'), 'the picture is there')
shader('    vec3 c = vec3(0.0);\n    for (int i = 0; i < 9; i++) { c += sin(gl_FragCoord.xyx * shade); }\n'
       '    gl_FragColor = vec4(shade, gl_FragCoord.xy / resolution, 1.0);\n'
       '    if (c.x > 1e30) { gl_FragColor = vec4(0.0); }\n')
t.expect(1, 'costlier one: program 0 fragment words', 'test', 'p', 'one')
t.expect(0, 'updated  one', 'test', 'p', '--update')
shader('    gl_FragColor = vec4(shade, gl_FragCoord.xy / resolution, 1.0);\n')
t.expect(0, 'cheaper in', 'test', 'p', 'one')
t.expect(0, 'updated', 'test', 'p', '--update')
costs = open('p/golden/one.cost').read()
t.check(re.search(r'^program 0 fragment fragments 768$', costs, re.M) is not None, 'fragments in the cost golden')
t.check(all(re.search(r'^program 0 fragment %s \d+$' % k, costs, re.M) for k in ('words', 'instructions', 'cycles', 'executed')),
        'figures of a shader')
with open('p/golden/one.cost', 'w') as f:
    f.write('program 0 fragment words many\n')
t.expect(1, 'is no line of costs', 'test', 'p', 'one')
os.remove('p/golden/one.cost')
t.expect(1, 'there is no cost golden yet', 'test', 'p', 'one')
t.expect(0, 'updated', 'test', 'p', 'one', '--update')
with open('p/golden/one.png', 'wb') as f:
    f.write(golden[:40])
t.expect(1, 'error    one: p/golden/one.png', 'test', 'p', 'one')

# Processes that fail, hang or draw nothing.
manifest('''cost = off
[bad-shader]
shader = broken.frag
[missing]
shader = missing.frag
[status]
command = echo it went wrong; exit 3
[nothing]
command = true
[crash]
command = kill -SEGV $$
[hang]
command = sleep 60
timeout = 1
[no-picture]
command = echo hello > "$OUT"
[no-vlgl]
command = cp ../p/picture.png "$OUT"
cost = exact
''', 'q')
shader('    gl_FragColor = vec4(1.0)\n', 'q/broken.frag')
out = t.expect(1, '7 error', 'test', 'q', '-j', '8')
for pattern in (r'error    bad-shader: exit status 1: .*does not compile', r'error    missing: exit status 1',
                r'error    status: exit status 3: it went wrong', r'error    nothing: no picture was written',
                r'error    crash: the process was ended by signal 11', r'error    hang: stopped after 1 seconds',
                r'error    no-vlgl: no costs', r'new      no-picture'):
    t.check(re.search(pattern, out) is not None, pattern)
page = open('q/out/report.html').read()
t.check('does not compile' in page and 'broken.frag:5:' in page, "the page has the process's words")
t.check(re.search(r'(src|href)\s*=\s*["\']?https?:', page) is None, 'nothing is loaded from elsewhere')
junit = xml.etree.ElementTree.parse('q/out/junit.xml').getroot()
suite = junit.find('testsuite')
t.check((suite.get('tests'), suite.get('errors'), suite.get('failures')) == ('8', '7', '1'), 'JUnit: sums')
names = {c.get('name'): [k.tag for k in c] for c in suite.findall('testcase')}
t.check(names['hang'] == ['error'] and names['no-picture'] == ['failure'], 'JUnit: kinds')
t.check(open('q/out/status.log').read() == 'it went wrong\n', 'the log stays')

# The example project: its pixels are the repository's on every machine; costs are those of this compiler.
shutil.copytree(SOURCE + '/samples/golden-ci', 'g', ignore=shutil.ignore_patterns('out'))
for name in os.listdir('g/golden'):
    if name.endswith('.cost'):
        os.remove('g/golden/' + name)
out = t.run('test', 'g').stdout
t.check(out.count('there is no cost golden yet') == 6 and 'changed' not in out, 'the goldens of golden-ci: ' + out)
t.expect(0, '6 updated', 'test', 'g', '--update')
t.expect(0, '6 passed', 'test', 'g')
shutil.copy('g/regressions/hills.frag', 'g/shaders/hills.frag')
out = t.expect(1, '4 passed, 2 changed', 'test', 'g')
shutil.copy(SOURCE + '/samples/golden-ci/shaders/hills.frag', 'g/shaders/hills.frag')
shutil.copy('g/regressions/clock.frag', 'g/shaders/clock.frag')
out = t.expect(1, '4 passed, 2 costlier', 'test', 'g')
t.check(re.search(r'costlier clock: program 0 fragment executed \d+ -> \d+ \(\+\d+', out) is not None, 'the regression of cost')
t.finish()
