#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""diff_test.py VLGL: `vlgl diff` as a user calls it, on files of every kind of PNG."""
import json
import os
import shutil
import subprocess

from checks import Checks
import pngs

t = Checks('diff_test.py VLGL')
W, H = 40, 30


def plain(x, y):
    return (x * 6, y * 8, 128)


def spot(x, y):
    return (x * 6, y * 8, 131) if (x, y) in ((7, 3), (9, 3), (0, 20)) else plain(x, y)


pngs.rgb('a.png', W, H, plain)
pngs.rgb('b.png', W, H, spot)
pngs.rgb('small.png', W // 2, H, plain)

# Criteria. 3 of 1200 pixels are off by 3: 0.25 %; PSNR = 10 log10(255^2 * 3600 / 27) = 69.38 dB.
t.expect(0, 'same: all 1200 pixels', 'diff', 'a.png', 'a.png')
t.expect(1, 'different: 3 of 1200 pixels (0.25 %), largest 3, first at 7,3, PSNR 69.38 dB', 'diff', 'a.png', 'b.png')
t.expect(1, 'different', 'diff', 'a.png', 'b.png', '--tolerance', '2')
t.expect(0, 'same by the rule|0 beyond', 'diff', 'a.png', 'b.png', '--tolerance', '3')
t.expect(0, 'same by the rule', 'diff', 'a.png', 'b.png', '--share', '0.25')
t.expect(1, 'different', 'diff', 'a.png', 'b.png', '--share', '0.24')
t.expect(0, 'same by the rule', 'diff', 'a.png', 'b.png', '--psnr', '69')
t.expect(1, 'different', 'diff', 'a.png', 'b.png', '--psnr', '70')
t.expect(1, 'different', 'diff', 'a.png', 'b.png', '--psnr', '69', '--tolerance', '2')
t.expect(0, 'SSIM 0.99', 'diff', 'a.png', 'b.png', '--ssim', '0.99')
t.expect(1, 'different', 'diff', 'a.png', 'b.png', '--ssim', '1')
t.expect(0, 'FLIP 0.0', 'diff', 'a.png', 'b.png', '--flip', '0.05')
t.expect(1, 'different', 'diff', 'a.png', 'b.png', '--flip', '0')
t.expect(1, 'sizes 40x30 and 20x30', 'diff', 'a.png', 'small.png')

# JSON and the picture.
out = json.loads(t.expect(1, '"pairs"', 'diff', 'a.png', 'b.png', '--all', '--json', '--picture', 'what.png'))
pair = out['pairs'][0]
t.check(out['different'] == 1 and out['same'] == 0 and out['failed'] == 0, 'JSON: sums')
t.check(pair['differing'] == 3 and pair['first'] == [7, 3] and abs(pair['psnr'] - 69.3802) < 1e-3, 'JSON: pair')
t.check(0 < pair['flip'] < 0.01 and 0.99 < pair['ssim'] < 1 and pair['picture'] == 'what.png', 'JSON: measures')
t.check(pngs.size('what.png') == (4 * W + 20, H + 38), 'size of the picture')
t.expect(0, 'same', 'diff', 'a.png', 'a.png', '--picture', 'none.png')
t.check(not os.path.exists('none.png'), 'no picture of equal pictures')
t.check(json.loads(t.run('diff', 'a.png', 'a.png', '--json').stdout)['pairs'][0]['psnr'] is None, 'infinite PSNR')
t.check(t.run('diff', 'a.png', 'b.png', '--quiet').stdout == '', '--quiet')

# Kinds of PNG that say the same in other ways.
colors = [(0, 0, 0), (255, 0, 0), (10, 20, 30), (255, 255, 255)]
pngs.rgb('rgb.png', 8, 8, lambda x, y: colors[(x + y) % 4])
for depth in (2, 4, 8):
    pngs.write('palette.png', 8, 8, 3, depth, lambda x, y: ((x + y) % 4,), palette=colors)
    t.expect(0, 'same', 'diff', 'rgb.png', 'palette.png')
pngs.write('rgba.png', 8, 8, 6, 8, lambda x, y: colors[(x + y) % 4] + (255,))
t.expect(0, 'same', 'diff', 'rgb.png', 'rgba.png')
pngs.write('clear.png', 8, 8, 3, 8, lambda x, y: ((x + y) % 4,), palette=colors, alpha=[0])
t.expect(1, '16 of 64 pixels (25 %), largest 255', 'diff', 'rgb.png', 'clear.png')
t.expect(1, 'SSIM|FLIP', 'diff', 'rgb.png', 'clear.png', '--all', '--picture', 'clear-diff.png')
pngs.write('grey.png', 8, 8, 0, 8, lambda x, y: (x * 30,))
pngs.rgb('grey3.png', 8, 8, lambda x, y: (x * 30,) * 3)
t.expect(0, 'same', 'diff', 'grey.png', 'grey3.png')

# 16 bits: the same as 8 when each value is twice the byte; one step of 65535 is seen.
pngs.write('deep.png', 8, 8, 0, 16, lambda x, y: (x * 30 * 257,))
pngs.write('deeper.png', 8, 8, 0, 16, lambda x, y: (x * 30 * 257 + (1 if x == y == 2 else 0),))
t.expect(0, 'same', 'diff', 'grey.png', 'deep.png')
t.expect(1, '1 of 64 pixels (1.562 %), largest 0.0038911, first at 2,2', 'diff', 'deep.png', 'deeper.png')
t.expect(0, 'same by the rule', 'diff', 'grey.png', 'deeper.png', '--tolerance', '1')
t.check(json.loads(t.run('diff', 'grey.png', 'deeper.png', '--json').stdout)['pairs'][0]['bits'] == 16, 'bits')

# Folders.
for folder in ('left', 'right'):
    os.makedirs(folder + '/sub')
    shutil.copy('a.png', folder + '/one.png')
    shutil.copy('grey.png', folder + '/sub/two.png')
t.expect(0, 'one.png: same|sub/two.png: same', 'diff', 'left', 'right')
shutil.copy('b.png', 'right/one.png')
shutil.copy('b.png', 'right/extra.png')
with open('right/notes.txt', 'w') as f:
    f.write('no picture\n')
t.expect(1, 'one.png: different|sub/two.png: same|extra.png: different: not in left', 'diff', 'left', 'right',
         '--picture', 'pictures/deep')
t.check(sorted(os.listdir('pictures/deep')) == ['one.png', 'sub'] and not os.listdir('pictures/deep/sub'),
        'pictures of folders')
out = json.loads(t.run('diff', 'left', 'right', '--json').stdout)
t.check((out['same'], out['different'], out['failed']) == (1, 2, 0), 'JSON of folders')
t.check([p['name'] for p in out['pairs']] == ['extra.png', 'one.png', 'sub/two.png'], 'JSON: names in order')
with open('right/sub/two.png', 'wb') as f:
    f.write(open('grey.png', 'rb').read()[:60])
t.expect(2, 'right/sub/two.png: ', 'diff', 'left', 'right')
os.makedirs('empty/one')
t.expect(2, 'no picture in', 'diff', 'empty', 'empty/one')

# A JPEG, if something here writes them.
if shutil.which('convert') and subprocess.run(['convert', 'a.png', '-quality', '95', 'a.jpg']).returncode == 0:
    t.expect(1, 'different', 'diff', 'a.png', 'a.jpg')
    t.expect(0, 'same by the rule', 'diff', 'a.png', 'a.jpg', '--flip', '0.1')

# What cannot be done: status 2, one message.
for words, message in ((['missing.png', 'a.png'], 'missing.png: no such file'),
                       (['a.png'], 'two pictures'), (['a.png', 'b.png', 'small.png'], 'not more'),
                       (['a.png', 'left'], 'is a folder'), (['a.png', 'b.png', '--speed'], "no option '--speed'"),
                       (['a.png', 'b.png', '--tolerance', '256'], "does not take '256'"),
                       (['a.png', 'b.png', '--tolerance', '-1'], "does not take '-1'"),
                       (['a.png', 'b.png', '--share', 'nan'], "does not take 'nan'"),
                       (['a.png', 'b.png', '--flip', '1.5'], "does not take '1.5'"),
                       (['a.png', 'b.png', '--ppd', '0'], "does not take '0'"),
                       (['a.png', 'b.png', '--psnr'], '--psnr needs a value'),
                       (['a.png', 'right/notes.txt'], 'notes.txt: not a PNG'),
                       (['a.png', 'b.png', '--picture', 'no/such/what.png'], 'no/such/what.png: cannot write')):
    t.expect(2, message, 'diff', *words)
t.finish()
