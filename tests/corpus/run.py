#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py BUILD FOLDER [--out DIR] [--repeat N] [--no-glslang] [--no-draw]: compiles, compares and draws every shader below
FOLDER (one corpus a subfolder; fetch.sh makes some) and prints a table.

For each corpus: how many compile and link; compile times; the size of the code beside the fixed format of 128 bits and beside
one operation an instruction (geometric means and worst); verdicts that differ from Debian's glslangValidator's; pictures that
differ from Mesa's llvmpipe's (where its softpipe agrees with it: two opinions). DIR (default BUILD/corpus) gets the details: NAME.tsv (one line a shader), NAME.verdicts,
NAME.pictures. README.md says what the differences are. Exit status 1 when a difference is not on the list there
(expected.txt: lines "verdict|status|picture PATTERN reason")."""
import argparse
import fnmatch
import math
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SLACK = 3              # of 255: two roundings and one of the target
FEW = 0.01             # share of pixels that may be further off: edges of steps and of triangles


def geomean(values):
    values = [v for v in values if v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else 0.0


def compile_all(args, folder, feeders):
    os.makedirs(feeders, exist_ok=True)
    run = subprocess.run([os.path.join(args.build, 'tests', 'corpus'), '--repeat', str(args.repeat), '--varyings', feeders, folder],
                         stdout=subprocess.PIPE, text=True, errors='replace', check=False)
    if run.returncode not in (0, 1):
        sys.exit('corpus ended with %d on %s' % (run.returncode, folder))
    lines = run.stdout.split('\n')
    names = lines[0].split('\t')
    return run.stdout, [dict(zip(names, l.split('\t'))) for l in lines[1:] if l]


def glslang(path):
    """(accepted, first error)"""
    run = subprocess.run(['glslangValidator', path], stdout=subprocess.PIPE, text=True, errors='replace', check=False)
    errors = [l for l in run.stdout.split('\n') if l.startswith('ERROR')]
    return run.returncode == 0, errors[0] if errors else ''


def draw_all(args, pairs, out, driver):
    """One picture (or a status) for each pair, by our library (driver None) or Mesa's."""
    listing = out + '.list'
    with open(listing, 'w', encoding='utf-8') as f:
        f.writelines('%s %s\n' % p for p in pairs)
    env = dict(os.environ)
    env['LD_LIBRARY_PATH'] = os.path.join(args.build, 'lib')
    if driver:
        env.update(LD_LIBRARY_PATH=args.system, EGL_PLATFORM='surfaceless', LIBGL_ALWAYS_SOFTWARE='1', GALLIUM_DRIVER=driver)
    if os.path.exists(out):
        os.unlink(out)
    first = 0
    while first < len(pairs):
        run = subprocess.Popen([os.path.join(args.build, 'tests', 'corpus_render'), listing, out, str(first)], env=env,
                               stderr=subprocess.DEVNULL)
        size, quiet = -1, 0
        while run.poll() is None and quiet < args.timeout:
            time.sleep(0.05 if quiet < 2 else 1)
            now = os.path.getsize(out) if os.path.exists(out) else 0
            quiet = 0 if now != size else quiet + (0.05 if quiet < 2 else 1)
            size = now
        if run.poll() is None: # no picture for so long
            run.kill()
        run.wait()
        done = read_pictures(out)
        last = max(done) if done else first - 1
        if last + 1 >= len(pairs):
            break
        with open(out, 'ab') as f:
            f.write(b'%d crash-or-hang 0 0\n' % (last + 1))
        first = last + 2
    return read_pictures(out)


def read_pictures(path):
    pictures = {}
    if os.path.exists(path):
        with open(path, 'rb') as f:
            while True:
                head = f.readline().split()
                if len(head) != 4:
                    break
                number, status, w, h = int(head[0]), head[1].decode(), int(head[2]), int(head[3])
                pictures[number] = (status, f.read(4 * w * h) if status == 'ok' else b'')
    return pictures


def pixels(data):
    return [data[i:i + 4] for i in range(0, len(data), 4)]


def distance(a, b):
    return 0 if a == b else max(abs(x - y) for x, y in zip(a, b))


def difference(ours, theirs, third):
    """(largest difference, share of pixels beyond SLACK, share where the two others agree and we do not)"""
    worst = beyond = alone = 0
    if ours != theirs:
        count = len(ours) // 4
        for a, b, c in zip(pixels(ours), pixels(theirs), pixels(third) if third else [None] * count):
            d = distance(a, b)
            worst = max(worst, d)
            if d > SLACK:
                beyond += 1
                alone += c is None or (distance(b, c) <= SLACK and distance(a, c) > SLACK)
    return worst, beyond * 4 / len(ours), alone * 4 / len(ours)


class Expected:
    """Differences that are explained."""

    def __init__(self, path):
        self.rows = []
        with open(path, encoding='utf-8') as f:
            for line in f:
                words = line.split(None, 2)
                if len(words) == 3 and not line.startswith('#'):
                    self.rows.append((words[0], words[1], words[2].strip()))

    def reason(self, kind, path):
        for k, pattern, reason in self.rows:
            if k == kind and fnmatch.fnmatch(path, pattern):
                return reason
        return None


def compare_verdicts(rows, folder, expected):
    lines, open_ones, total = [], 0, 0
    for row in rows:
        if row['kind'] == 'link':
            continue
        accepted, error = glslang(row['path'])
        if accepted != (row['verdict'] == 'ok'):
            name = os.path.relpath(row['path'], os.path.dirname(folder))
            reason = expected.reason('verdict', name)
            total += 1
            open_ones += reason is None
            lines.append('%s\tglslang %s, we %s\t%s\t%s' % (name, 'accepts' if accepted else 'refuses', row['verdict'],
                                                          error if not accepted else row['message'], reason or 'NOT EXPLAINED'))
    return lines, total, open_ones


def compare_pictures(args, rows, folder, feeders, name, expected):
    pairs = []
    for row in rows:
        if row['verdict'] != 'ok':
            continue
        if row['kind'] == 'link':
            pairs.append((row['path'], row['path'][:-4] + 'frag'))
        elif row['kind'] == 'frag':
            feeder = os.path.join(feeders, os.path.basename(row['path'])[:-4] + 'vert')
            if os.path.exists(feeder):
                pairs.append((feeder, row['path']))
    mine = draw_all(args, pairs, os.path.join(args.out, name + '.ours'), None)
    theirs = draw_all(args, pairs, os.path.join(args.out, name + '.llvmpipe'), 'llvmpipe')
    third = draw_all(args, pairs, os.path.join(args.out, name + '.softpipe'), 'softpipe')
    lines, counts = [], {'same': 0, 'rounding': 0, 'unclear': 0, 'explained': 0, 'open': 0}
    nothing = ('missing', b'')
    for i, pair in enumerate(pairs):
        a, b, c = mine.get(i, nothing), theirs.get(i, nothing), third.get(i, nothing)
        shown = os.path.relpath(pair[1], os.path.dirname(folder)) + (' (fed)' if feeders in pair[0] else '')
        if a[0] == b[0] == 'ok':
            worst, share, alone = difference(a[1], b[1], c[1])
            if worst == 0 or share <= FEW:
                counts['same' if worst == 0 else 'rounding'] += 1
                continue
            what = 'largest difference %d, %.1f %% beyond %d, %.1f %% where llvmpipe and softpipe agree' % (
                worst, 100 * share, SLACK, 100 * alone)
            if alone <= FEW:
                counts['unclear'] += 1
                lines.append('%s\t%s\t' % (shown, what) + 'llvmpipe and softpipe differ too, or softpipe agrees with us')
                continue
        elif a[0] == b[0]:
            counts['same'] += 1
            continue
        else:
            what = 'we: %s, llvmpipe: %s' % (a[0], b[0])
        kind = 'picture' if a[0] == b[0] else 'status'
        reason = expected.reason(kind, shown.replace(' (fed)', '+fed'))
        counts['explained' if reason else 'open'] += 1
        lines.append('%s\t%s\t%s' % (shown, what, reason or 'NOT EXPLAINED'))
    return lines, len(pairs), counts


def save(args, name, text):
    with open(os.path.join(args.out, name), 'w', encoding='utf-8') as f:
        f.write(text if text.endswith('\n') or not text else text + '\n')


def run_corpus(args, folder, expected):
    name = os.path.basename(folder)
    feeders = os.path.join(args.out, name + '.feeders')
    shutil.rmtree(feeders, ignore_errors=True)
    text, rows = compile_all(args, folder, feeders)
    save(args, name + '.tsv', text)
    shaders = [r for r in rows if r['kind'] != 'link']
    links = [r for r in rows if r['kind'] == 'link']
    good = [r for r in shaders if r['verdict'] == 'ok' and int(r['fixed'])]
    words = [int(r['words']) / (4.0 * int(r['fixed'])) for r in good]
    instructions = [int(r['instructions']) / int(r['operations']) for r in good if int(r['operations'])]
    # Programs are what is timed; corpora without vertex shaders have only fragment shaders.
    times = [float(r['ms']) for r in (links or shaders) if r['verdict'] == 'ok']
    print('%s: %d of %d shaders, %d of %d programs' % (
        name, sum(r['verdict'] == 'ok' for r in shaders), len(shaders), sum(r['verdict'] == 'ok' for r in links), len(links)))
    print('  compile%s: median %.2f ms, worst %.2f ms (CPU time, best of %d)' % (
        ' + link' if links else '', median(times), max(times or [0]), args.repeat))
    print('  code: %d words, %d instructions; words %.1f %% of the fixed format (worst %.1f %%), instructions %.1f %% of one operation each'
          % (sum(int(r['words']) for r in good), sum(int(r['instructions']) for r in good), 100 * geomean(words),
             100 * max(words or [0]), 100 * geomean(instructions)))
    narrow = [r for r in good if int(r['values'])]
    print('  narrow: %d fragment shaders have a program on bytes; in them %d of %d values are four bytes'
          % (len(narrow), sum(int(r['narrowed']) for r in narrow), sum(int(r['values']) for r in narrow)))
    open_ones = 0
    if not args.no_glslang:
        lines, total, unexplained = compare_verdicts(rows, folder, expected)
        save(args, name + '.verdicts', '\n'.join(lines))
        open_ones += unexplained
        print('  glslangValidator: %d verdicts differ, %d of them not explained' % (total, unexplained))
    if not args.no_draw:
        lines, total, counts = compare_pictures(args, rows, folder, feeders, name, expected)
        save(args, name + '.pictures', '\n'.join(lines))
        open_ones += counts['open']
        print('  llvmpipe: %d pictures, %d identical, %d within rounding; where softpipe and llvmpipe differ as well %d; '
              '%d for a known reason, %d not explained' % (total, counts['same'], counts['rounding'], counts['unclear'],
                                                           counts['explained'], counts['open']))
    sys.stdout.flush()
    return open_ones, words, instructions


def main():
    parser = argparse.ArgumentParser(description='A folder of shader corpora: sizes, times, verdicts, pictures.')
    parser.add_argument('build')
    parser.add_argument('folder')
    parser.add_argument('--out')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--timeout', type=int, default=60, help='seconds for one picture')
    parser.add_argument('--no-glslang', action='store_true')
    parser.add_argument('--no-draw', action='store_true')
    parser.add_argument('--only', help='a pattern for the subfolders')
    args = parser.parse_args()
    args.out = args.out or os.path.join(args.build, 'corpus')
    os.makedirs(args.out, exist_ok=True)
    if not args.no_glslang and shutil.which('glslangValidator') is None:
        print('glslangValidator is not installed (glslang-tools): verdicts are not compared')
        args.no_glslang = True
    args.system = '/usr/lib/%s-linux-gnu' % os.uname().machine
    if not args.no_draw and not os.path.exists(os.path.join(args.system, 'libEGL.so.1')):
        print('no libEGL.so.1 in %s: pictures are not compared' % args.system)
        args.no_draw = True
    expected = Expected(os.path.join(HERE, 'expected.txt'))
    folders = sorted(os.path.join(args.folder, d) for d in os.listdir(args.folder) if os.path.isdir(os.path.join(args.folder, d)))
    if not folders:
        folders = [args.folder.rstrip('/')]
    open_ones = 0
    for folder in folders:
        if not args.only or fnmatch.fnmatch(os.path.basename(folder), args.only):
            open_ones += run_corpus(args, folder, expected)[0]
    print('%d differences without an explanation' % open_ones)
    return 1 if open_ones else 0


if __name__ == '__main__':
    sys.exit(main())
