#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cost_test.py VLGL: cost pictures (`vlgl render --view`) and VLGL_PROFILE, on the samples."""
import json
import os

from checks import Checks
import pngs

t = Checks('cost_test.py VLGL')

# The profile agrees with the counters, its parts with its sums, and the picture is what it is without.
for sample in ('stencil_mirror', 'shadow_map', 'particles'):
    t.expect(0, 'plain.png', 'render', sample, '-o', 'plain.png', '--size', '96x64')
    table = t.run('render', sample, '-o', 'profiled.png', '--size', '96x64', '--table', env={'VLGL_PROFILE': 'p.json'})
    t.expect(0, 'same', 'diff', 'plain.png', 'profiled.png')
    with open('p.json') as f:
        profile = json.load(f)
    fragments = int(table.stdout.strip().split('\n')[-1].split()[2])
    t.check(profile['totals']['fragments'] == fragments, '%s: fragments %d' % (sample, fragments))
    draws = [d for d in profile['draws'] if d['kind'] == 'draw']
    for name in ('fragments', 'vertices', 'primitives_in', 'fs_instructions', 'texture_reads'):
        total = profile['totals'][name]
        t.check(sum(d[name] for d in draws) == total, '%s: %s of the draws' % (sample, name))
        t.check(sum(p['counters'][name] for p in profile['programs']) == total, '%s: %s of the programs' % (sample, name))
    t.check(all(0 <= d['program'] < len(profile['programs']) for d in draws), sample + ': program numbers')
    t.check(profile['frames'] == 1 and profile['dropped'] == 0, sample + ': one frame')
    events = profile['traceEvents']
    tiles = [e for e in events if e['name'].startswith('tile')]
    t.check(len(tiles) > 0 and all(e['ph'] == 'X' and e['dur'] >= 0 and e['tid'] > 0 for e in tiles), sample + ': tiles')
    whole = [e for e in events if e['ph'] == 'X' and e['tid'] == 0]
    t.check(len(whole) == len(profile['draws']), sample + ': a span for each draw')
t.run('render', 'triangle', '-o', 'x.png', '--size', '8x8', '--frames', '3', env={'VLGL_PROFILE': 'q-%p.json'})
made = [name for name in os.listdir('.') if name.startswith('q-')]
t.check(len(made) == 1 and made[0][2:-5].isdigit() and json.load(open(made[0]))['frames'] == 3, '%p and three frames')
done = t.run('render', 'triangle', '-o', 'y.png', '--size', '8x8', env={'VLGL_PROFILE': 'no/such/folder.json'})
t.check(done.returncode == 0 and 'no/such/folder.json: cannot write' in done.stderr, 'a profile that cannot be written')

# Pictures: the map has the picture's size and a legend below; cold and hot places are where they must be.
for view in ('overdraw', 'cycles', 'depth', 'mip', 'batches', 'tiles', 'texture-reads'):
    t.expect(0, 'v.png', 'render', 'textured_cube', '--view', view, '-o', 'v.png', '--size', '128x96')
    t.check(pngs.size('v.png') == (128, 96 + 46), view + ': size')
t.expect(0, 'v.png', 'render', 'textured_cube', '--view', 'texture-reads', '-o', 'v.png', '--size', '128x96')
width, height, rows = pngs.read('v.png')
sky, cube, floor = (sum(rows[y][x][:3]) for x, y in ((64, 3), (64, 40), (10, 80)))
t.check(sky < floor < cube, 'no read in the sky, one on the floor, two where the cube hides it: %d %d %d' % (sky, floor, cube))
with open('all.frag', 'w') as f:
    f.write('precision highp float;\nuniform float time;\nvoid main() { gl_FragColor = vec4(gl_FragCoord.xy, time, 1.0); }\n')
bright = []
for size in ('8x8', '16x8', '64x64'):
    t.expect(0, 'v.png', 'render', 'all.frag', '--view', 'batches', '-o', 'v.png', '--size', size)
    bright.append(sum(pngs.read('v.png')[2][0][0][:3]))
t.check(bright[0] < bright[1] == bright[2], 'batches: the scale ends at a full one: %s' % bright)
t.expect(0, 'v.png', 'render', 'all.frag', '--view', 'mip', '-o', 'v.png', '--size', '64x64')
t.expect(1, "--view does not take 'heat'", 'render', 'triangle', '--view', 'heat')
t.expect(1, '--view needs a value', 'render', 'triangle', '--view')

# Uniforms of a shader file.
with open('u.frag', 'w') as f:
    f.write('precision highp float;\nuniform vec3 tint;\nuniform float a[3];\nuniform int n;\nuniform mat2 m;\n'
            'uniform bool on;\n'
            'void main() { gl_FragColor = vec4(tint * a[1] + float(n) * m[1].x * (on ? 1.0 : 0.0), 1.0); }\n')
t.expect(0, 'u.png', 'render', 'u.frag', '-o', 'u.png', '--size', '4x4', '--set', 'tint=1,0.41,0.21', '--set', 'a=9,0.5',
         '--set', 'n=2', '--set', 'm=7,7,0.099,7', '--set', 'on=1')
t.check(pngs.read('u.png')[2][0][0] == (178, 103, 77, 255), 'uniforms: %s' % (pngs.read('u.png')[2][0][0],))
t.expect(1, '2 numbers do not fit', 'render', 'u.frag', '-o', 'u.png', '--set', 'tint=1,2')
t.expect(1, '6 numbers do not fit', 'render', 'u.frag', '-o', 'u.png', '--set', 'tint=1,2,3,4,5,6')
t.expect(1, 'no uniform of this name', 'render', 'u.frag', '-o', 'u.png', '--set', 'hue=1')
t.expect(1, "--set does not take 'hue'", 'render', 'u.frag', '-o', 'u.png', '--set', 'hue')
t.expect(1, "--camera does not take '5'", 'render', 'triangle', '--camera', '5')
t.expect(1, "--camera does not take '0,95'", 'render', 'triangle', '--camera', '0,95')
t.finish()
