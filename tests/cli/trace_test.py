#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_test.py VLGL [PIXELS]: `vlgl trace` equals reality. For random pixels over all samples: the traced final color
is the PNG's; each draw's steps add up to the pixel; the reference interpreter, which the steps come from, gives the
executor's outputs bit for bit; and what it gives becomes, by the rules of GL worked out here, the bytes of the pixel."""
import concurrent.futures
import json
import os
import random
import struct
import sys

from checks import Checks
import pngs

t = Checks('trace_test.py VLGL [PIXELS]')
PIXELS = int(sys.argv[2]) if len(sys.argv) > 2 else 48
W, H = 160, 120
SEED = int(os.environ.get('VLGL_SEED', '1'))
random.seed(SEED)


def to_byte(value):
    value = 0.0 if value == 'nan' else 1.0 if value == 'inf' else 0.0 if value == '-inf' else float(value)
    single = struct.unpack('<f', struct.pack('<f', min(1.0, max(0.0, value)) * 255))[0]  # one float multiplication
    return round(single)  # Python rounds halves to even, as the renderer does


def expected(fragment):
    """Bytes that a shaded, written fragment must leave: exact without blending, None where this file has no rule."""
    before, color = fragment['before']['bytes'], None
    for output in fragment['outputs']:
        color = output['values'] if output['name'] == 'color 0' else color
    if color is None:
        return None
    mask, source = fragment['color_mask'], [to_byte(v) for v in color]
    if 'blend' in fragment:
        if fragment['blend']['rgb'] != ['src_alpha', 'add', 'one_minus_src_alpha'] or fragment['blend']['alpha'][1] != 'add':
            return None
        alpha = source[3] / 255
        source = [source[c] * alpha + before[c] * (1 - alpha) for c in range(3)] + [None]
    return [source[c] if 'rgba'[c] in mask else before[c] for c in range(4)]


def check_fragment(where, fragment):
    faults = []
    if not fragment.get('agrees', False):
        faults.append('interpreter and executor differ')
    if fragment['passed'] and not fragment['discarded'] and not fragment['shaded'] and fragment['color_mask']:
        faults.append('written but not shaded')
    if not fragment['passed'] or fragment['discarded']:
        if fragment['before']['bytes'] != fragment['after']['bytes']:
            faults.append('a fragment that fails changes the color')
        return faults
    want = expected(fragment)
    got = fragment['after']['bytes']
    slack = 0.51 if 'blend' in fragment else 0
    if want and any(w is not None and abs(w - g) > slack for w, g in zip(want, got)):
        faults.append('color %s, wanted %s' % (got, want))
    if fragment.get('depth_test', {}).get('write') and fragment['after']['depth'] != fragment['depth_test']['value']:
        faults.append('depth %r, wanted %r' % (fragment['after']['depth'], fragment['depth_test']['value']))
    return faults


def trace(sample, x, y):
    name = '%s-%d-%d.json' % (sample, x, y)
    done = t.run('trace', sample, '--pixel', '%d,%d' % (x, y), '--size', '%dx%d' % (W, H), '--json', name)
    if done.returncode != 0:
        return ['status %d: %s' % (done.returncode, done.stderr[:200])], 0
    with open(name) as f:
        data = json.load(f)
    os.remove(name)
    faults = []
    if data['final']['bytes'] != list(pictures[sample][y][x]):
        faults.append('final %s, the PNG has %s' % (data['final']['bytes'], pictures[sample][y][x]))
    at, shaded = None, 0
    for event in data['events']:
        if not event['consistent']:
            faults.append('draw %s: the steps do not add up' % event.get('draw'))
        if at is not None and event['before'] != at:
            faults.append('draw %s does not begin where the one before it ended' % event.get('draw'))
        at = event['after']
        step = event['before']
        for fragment in event.get('fragments', []):
            if fragment['before'] != step:
                faults.append('a fragment does not begin where the one before it ended')
            step = fragment['after']
            faults += check_fragment(sample, fragment)
            shaded += 1
        if event['kind'] == 'draw' and not event['more'] and step != event['after']:
            faults.append('draw %s: the last fragment is not the pixel' % event['draw'])
    if data['events'] and at != data['final']:
        faults.append('the last event is not the final pixel')
    return faults, shaded


samples = t.run('list').stdout.split('\n')
samples = [line.split()[0] for line in samples if line.strip()]
pictures = {}
for sample in samples:
    t.run('render', sample, '-o', sample + '.png', '--size', '%dx%d' % (W, H))
    pictures[sample] = pngs.read(sample + '.png')[2]
jobs = [(samples[i % len(samples)], random.randrange(W), random.randrange(H)) for i in range(PIXELS)]
fragments = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for job, (faults, shaded) in zip(jobs, pool.map(lambda j: trace(*j), jobs)):
        fragments += shaded
        t.check(not faults, '%s pixel %d,%d (VLGL_SEED=%d): %s' % (*job, SEED, '; '.join(faults[:3])))
t.check(fragments >= PIXELS, '%d fragments in %d pixels' % (fragments, PIXELS))

# The command: text, page, files, other programs, bad input.
text = t.expect(0, 'frame 0, pixel 80 60: |clear:|triangle|depth|pixel', 'trace', 'textured_cube', '--pixel', '80,60', '--size',
                '160x120', '--steps')
t.check('texture2D' in text and 'TEX' in text and 'level' in text, 'steps show source, instruction and texels')
t.expect(0, 'vertex 3|gl_Position', 'trace', 'textured_cube', '--vertex', '3')
t.expect(0, '', 'trace', 'phong', '--pixel', '3,4', '--html', 'page.html')
page = open('page.html').read()
t.check('const DATA = {"vlgl_trace"' in page and 'http:' not in page and 'https:' not in page, 'the page holds the trace')
t.run('render', 'triangle', '-o', 'three.png', '--size', '40x30', '--frames', '3', env={'VLGL_TRACE': '2,20,15',
                                                                                    'VLGL_TRACE_FILE': 'three.json'})
t.expect(0, 'frame 2, pixel 20 15:', 'trace', 'three.json')
t.expect(0, 'nothing was drawn there|pixel 300 300', 'trace', 'triangle', '--pixel', '300,300', '--size', '40x30')
done = t.run('render', 'triangle', '-o', 'x.png', env={'VLGL_TRACE': '0,1'})
t.check(done.returncode == 1 and 'VLGL_TRACE=0,1 is neither' in done.stderr, 'a bad VLGL_TRACE: ' + done.stderr)
t.expect(1, 'this frame was not drawn', 'trace', 'triangle', '--pixel', '1,1', '--frame', '5')
# Doubles: what an instruction makes, copies of it, and uniforms are shown as doubles.
with open('doubles.frag', 'w') as f:
    f.write('#extension GL_VLGL_fp64 : require\nprecision highp float;\nuniform dvec2 at;\nvoid main() {\n'
            '    double d = at.x * double(gl_FragCoord.x) + at.y;\n    if (d > 0.5lf) { d = sqrt(d); }\n'
            '    gl_FragColor = vec4(float(d));\n}\n')
words = ('trace', 'doubles.frag', '--pixel', '3,2', '--size', '8x8', '--set', 'at=0.1,0.25')
t.expect(0, ' 0.7745966692414834 (double)', *words, '--steps')
found = json.loads(t.expect(0, 'doubles', *words, '--json', '-'))
uniform = [u for s in found['shaders'] for u in s['uniforms'] if u['name'] == 'at']
t.check([u['values'] for u in uniform] == [[[0.1], [0.25]]], 'doubles: the uniform %s' % uniform)
made = [d[3] for e in found['events'] for f in e.get('fragments', []) for s in f['steps'] for d in s.get('doubles', [])]
exact = 0.1 * 3.5 + 0.25
t.check(exact in made and exact ** 0.5 in made, 'doubles: %s and its root in %s' % (exact, made))
with open('no.json', 'w') as f:
    f.write('{"a": 1}')
with open('cut.json', 'w') as f:
    f.write('{"vlgl_trace": 1, "events": [')
t.expect(1, 'no.json: this is no trace', 'trace', 'no.json')
t.expect(1, 'cut.json: this is no trace: line 1', 'trace', 'cut.json')
t.expect(1, 'missing.json', 'trace', 'missing.json')
for words, message in ((['triangle'], '--pixel X,Y or --vertex N'), (['triangle', '--pixel', '1'], "--pixel does not take '1'"),
                       (['triangle', '--pixel', '-1,2'], "--pixel does not take '-1,2'"), (['--pixel', '1,1'], 'a scene is needed'),
                       (['triangle', '--vertex', 'x'], "--vertex does not take 'x'"), (['nothing', '--pixel', '1,1'], 'nothing: no sample'),
                       (['triangle', '--pixel', '1,1', '--fast', '1'], "no option '--fast'"), (['a', 'b'], 'one scene, not more'),
                       (['triangle', '--pixel', '1,1', '--html', 'no/page.html'], 'no/page.html: cannot write')):
    t.expect(1, message, 'trace', *words)
t.finish()
