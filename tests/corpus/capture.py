#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""capture.py CAPTURES OUT: splits the files that Mesa writes with MESA_SHADER_CAPTURE_PATH into pairs of OUT/N.vert and N.frag;
equal pairs once."""
import os
import re
import sys


def main():
    captures, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    seen = set()
    for name in sorted(os.listdir(captures), key=lambda n: int(re.sub(r'\D', '', n) or 0)):
        with open(os.path.join(captures, name), encoding='utf-8', errors='replace') as f:
            parts = re.split(r'^\[(\w+) shader\]\n', f.read(), flags=re.M)
        texts = {parts[i]: parts[i + 1].rstrip() + '\n' for i in range(1, len(parts) - 1, 2)}
        key = (texts.get('vertex'), texts.get('fragment'))
        if None in key or key in seen:
            continue
        seen.add(key)
        base = os.path.join(out, 'program-%02d' % len(seen))
        for text, end in zip(key, ('.vert', '.frag')):
            with open(base + end, 'w', encoding='utf-8') as f:
                f.write(text)
    print('%d programs' % len(seen))


main()
