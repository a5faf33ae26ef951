#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sim_test.py VLGL: `vlgl sim --warps` on recordings. What VLGL_WARPS records of a sample is, warp by warp and line by
line, what the cycle-accurate core makes of the same frame; damaged recordings are refused by name."""
import csv
import os
import random
import struct

from checks import Checks

t = Checks('sim_test.py VLGL')


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def write(path, data):
    with open(path, 'wb') as f:
        f.write(data)


def rows(path):
    """What was simulated, without the programs' numbers, which depend on where the watch began."""
    with open(path) as f:
        return [row[1:] for row in csv.reader(f)]


def seal(body):
    checksum = 0xCBF29CE484222325
    for byte in body:
        checksum = (checksum ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return b'VLGLWRP1' + struct.pack('<Q', checksum) + body


for sample in ('textured_cube', 'shadow_map'):
    t.run('render', sample, '--size', '64x48', '-o', 'a.png', env={'VLGL_WARPS': 'a.warps'})
    for csv_file, name in (('core.csv', sample), ('recorded.csv', 'a.warps')):
        t.expect(0, 'over lrr', 'sim', '--warps', name, '--size', '64x48', '--csv', csv_file)
    t.check(len(rows('core.csv')) > 70 and rows('core.csv') == rows('recorded.csv'),
            sample + ': the recording is not what the core does')

t.run('render', 'textured_cube', '--size', '64x48', '-o', 'b.png', env={'VLGL_WARPS': '%c-%p.warps', 'VLGL_THREADS': '7'})
t.check([f for f in os.listdir() if f.startswith('0-')] != [], 'no file with the numbers of context and process')
done = t.run('render', 'triangle', '-o', 'b.png', env={'VLGL_WARPS': 'no/such/folder.warps'})
t.check(done.returncode == 0 and 'no/such/folder.warps: cannot write' in done.stderr, 'a file that cannot be written')
done = t.run('render', 'triangle', '-o', 'b.png', env={'VLGL_WARPS': 'both', 'VLGL_TRACE': '0,0,0'})
t.check(done.returncode != 0 and not os.path.exists('both'), 'VLGL_TRACE and VLGL_WARPS together')

whole = read('a.warps')
random.seed(1)
for number in range(40):
    data = bytearray(whole)
    if number % 2:
        data = data[:random.randrange(len(data))]
    else:
        data[number // 2 if number < 30 else random.randrange(len(data))] ^= 1 << random.randrange(8)
    write('bad.warps', data)
    t.expect(1, 'bad.warps: ', 'sim', '--warps', 'bad.warps')
# With a checksum that is right again: refused, or read and found too short, but nothing worse.
t.check(seal(whole[16:]) == whole, 'the checksum')
t.run('render', 'triangle', '--size', '8x8', '-o', 'a.png', env={'VLGL_WARPS': 'small.warps'})
small = read('small.warps')
for number in range(40):
    body = bytearray(small[16:])
    for _ in range(random.randrange(1, 4)):
        body[random.randrange(len(body))] = random.randrange(256)
    write('bad.warps', seal(bytes(body)))
    t.expect(1, 'vlgl: ', 'sim', '--warps', 'bad.warps')
t.expect(1, 'missing.warps', 'sim', '--warps', 'missing.warps')
write('text.warps', b'void main() {}\n')
t.expect(1, 'text.warps: no recording of VLGL_WARPS', 'sim', '--warps', 'text.warps')
t.finish()
