#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers.py: checks the include directions. Each folder may include itself and what its row names; nothing else.

A row: folder -> files and folders (prefixes) that its sources may include with quotes. System headers: see SYSTEM."""
import os
import re
import sys

from files import project_files

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VLIW, GLSLC, NARROW = 'vm/include/vliw.h', 'vm/include/glslc.h', 'vm/include/vliw_narrow.h'
# simd.h stands for its backends, isa tables for what is generated from them
LAYERS = {
    'vm/include': [VLIW, NARROW],
    'vm/base': [],
    'vm/isa': ['vm/base/', VLIW],
    'vm/ir': ['vm/base/', NARROW],
    'vm/glsl': ['vm/ir/', 'vm/base/', GLSLC, VLIW],
    'vm/codegen': ['vm/ir/', 'vm/isa/', 'vm/base/', VLIW],
    'vm/exec': ['vm/isa/', 'vm/base/', VLIW],
    'vm/driver': ['vm/glsl/', 'vm/ir/', 'vm/codegen/', 'vm/isa/', 'vm/base/', 'vm/include/'],
    'vm/model': ['vm/isa/', 'vm/exec/exec.h', 'vm/exec/ref_ops.h', 'vm/base/', VLIW,
                 'vm/include/vlgl_warps.h'],
    'renderer': [VLIW, NARROW] + ['vm/base/%s' % h for h in
                          ('simd', 'cpu.h', 'arena.h', 'array.h', 'bits.h', 'status.h', 'log.h', 'fpenv.h')],
    'api': ['renderer/renderer.h', 'renderer/transfer.h', 'renderer/counters.def', 'vm/include/',
            'vm/base/arena.h', 'vm/base/array.h', 'vm/base/str.h', 'vm/base/status.h', 'vm/base/log.h', 'vm/base/bits.h'],
    'samples': [],
    'samples/cli': ['samples/', 'vm/include/', 'vm/model/sim.h', 'api/vlgl.h'],
}
# Headers that only some folders may use at all.
SYSTEM = [
    (re.compile(r'^(GLES2|EGL|KHR)/'), ('api', 'samples', 'tests')),
    (re.compile(r'^(png|zlib|stb/|assimp/)'), ('samples', 'tests')),
    (re.compile(r'mmintrin\.h$|^arm_neon\.h$'), ('vm/base',)),
    (re.compile(r'^(pthread|threads)\.h$'), ('renderer', 'api', 'samples', 'tests')),
]


def row_of(path):
    folder = os.path.dirname(path)
    while folder and folder not in LAYERS:
        folder = os.path.dirname(folder)
    return folder


def resolve(path, name):
    """The file, relative to the root, that #include "name" in 'path' means."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    if os.path.exists(os.path.join(ROOT, beside)):
        return beside
    if path.startswith('samples/') and os.path.exists(os.path.join(ROOT, 'samples', name)):
        return 'samples/' + name
    return name


def faults(path, text):
    row = row_of(path)
    for number, line in enumerate(text.split('\n'), 1):
        m = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if not m:
            continue
        quote, name = m.groups()
        if quote == '<':
            for pattern, folders in SYSTEM:
                if pattern.search(name) and not any(path.startswith(f + '/') for f in folders):
                    yield number, 'only %s may include <%s>' % (', '.join(folders), name)
            continue
        target = resolve(path, name)
        if re.search(r'_tmpl\.c$', target):
            yield number, 'a template is compiled by the build, not included'
        if not row or row == os.path.dirname(target) or target.startswith(row + '/'):
            continue
        if not any(target.startswith(allowed) for allowed in LAYERS[row]):
            yield number, '%s may not include %s' % (row, target)


def main():
    files = [f for f in project_files(ROOT) if f.endswith(('.c', '.h', '.def'))]
    bad = 0
    for path in files:
        full = os.path.join(ROOT, path)
        if not os.path.exists(full):
            continue
        with open(full, encoding='utf-8') as f:
            text = f.read()
        if path.startswith('tests/'):
            continue
        for number, message in faults(path, text):
            print('%s:%d: %s' % (path, number, message))
            bad += 1
    print('layers: %d files, %d faults' % (len(files), bad))
    return 1 if bad else 0


sys.exit(main())
