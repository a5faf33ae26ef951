#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""style.py: mechanical style of the tree: file length, tabs, trailing blanks, licence line, unfinished marks,
and every header compiling alone (twice)."""
import os
import re
import subprocess
import sys
import tempfile

from files import project_files

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAX_LINES = 800
TABLES = re.compile(r'(srgb|words)\.def$')  # generated number tables may be long


def check_text(path, text):
    lines = text.split('\n')
    if len(lines) - 1 > MAX_LINES and not TABLES.search(path):
        yield '%d lines, more than %d' % (len(lines) - 1, MAX_LINES)
    if path.endswith(('.c', '.h', '.def')) and 'SPDX-License-Identifier: MIT' not in lines[0]:
        yield 'the first line is not the licence line'
    for n, line in enumerate(lines, 1):
        if '\t' in line and path.endswith(('.c', '.h', '.def', '.py')) and 'tests/' not in path:
            yield 'line %d: tab' % n
        if line != line.rstrip():
            yield 'line %d: trailing blanks' % n
        if re.search(r'\b(TODO|FIXME|XXX|HACK)\b', line) and 'tests/lint' not in path:
            yield 'line %d: unfinished mark' % n
    if text and not text.endswith('\n'):
        yield 'no newline at the end'


def check_headers(headers):
    """Every header compiles alone and twice."""
    with tempfile.TemporaryDirectory() as tmp:
        for path in headers:
            if re.search(r'simd_\w+\.h$|_tmpl\.h$|base/simd\.h$', path):
                continue  # chosen by a macro, compiled through the templates
            source = os.path.join(tmp, 'h.c')
            with open(source, 'w', encoding='utf-8') as f:
                f.write('#include "%s"\n#include "%s"\ntypedef int not_empty;\n' % (path, path))
            r = subprocess.run(['cc', '-std=c11', '-D_POSIX_C_SOURCE=200809L', '-fsyntax-only', '-I', ROOT,
                                '-I', os.path.join(ROOT, 'samples'), source], capture_output=True, text=True)
            if r.returncode:
                yield '%s does not compile alone:\n%s' % (path, r.stderr[:600])


def main():
    files = project_files(ROOT)
    bad, headers = 0, []
    for path in files:
        full = os.path.join(ROOT, path)
        if not re.search(r'\.(c|h|def|py|sh|txt|md)$', path) or not os.path.exists(full):
            continue
        with open(full, encoding='utf-8') as f:
            text = f.read()
        if path.endswith('.h') and not path.startswith('tests/'):
            headers.append(path)
        for message in check_text(path, text):
            print('%s: %s' % (path, message))
            bad += 1
    for message in check_headers(headers):
        print(message)
        bad += 1
    print('style: %d files, %d faults' % (len(files), bad))
    return 1 if bad else 0


sys.exit(main())
