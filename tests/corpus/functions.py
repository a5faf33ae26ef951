#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""functions.py FOLDER OUT: makes one fragment shader of each file of a function library (lygia, glsl-noise).

#include "..." is replaced by the file, "#pragma glslify" is dropped, #extension goes to the top (it must: 3.4), and a main() is added that calls every
function that the file itself defines, with arguments made of one varying and one sampler."""
import os
import re
import sys

ARGUMENT = {
    'float': 'v.x', 'int': '2', 'bool': '(v.x > 0.5)', 'vec2': 'v.xy', 'vec3': 'v.xyz', 'vec4': 'v', 'ivec2': 'ivec2(v.xy)',
    'mat2': 'mat2(v)', 'mat3': 'mat3(v.xyz, v.yzx, v.zxw)', 'mat4': 'mat4(v, v.yzwx, v.zwxy, v.wxyz)',
    'sampler2D': 'tex', 'SAMPLER_TYPE': 'tex', 'samplerCube': 'cube',
}
ADD = {'float': 'o.x += %s;', 'int': 'o.x += float(%s);', 'bool': 'o.x += float(%s);', 'vec2': 'o.xy += %s;', 'vec3': 'o.xyz += %s;',
       'vec4': 'o += %s;', 'mat2': 'o.xy += %s[1];', 'mat3': 'o.xyz += %s[1];', 'mat4': 'o += %s[1];', 'void': '%s;'}
SIGNATURE = re.compile(r'^[ \t]*(float|int|bool|void|vec[234]|mat[234])\s+(\w+)\s*\(([^(){};]*)\)\s*\{', re.M)


def load(path, depth=0):
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    text = re.sub(r'^\s*#(pragma glslify|extension).*$', '', text, flags=re.M)

    def include(m):
        target = os.path.normpath(os.path.join(os.path.dirname(path), m.group(1)))
        return load(target, depth + 1) if depth < 20 and os.path.exists(target) else ''
    return re.sub(r'^[ \t]*#include\s+"([^"]+)".*$', include, text, flags=re.M)


def calls(text):
    """(statements, temporaries) that call the functions of the file."""
    out, names = [], 0
    stripped = re.sub(r'/\*.*?\*/|//[^\n]*', '', text, flags=re.S)
    for kind, name, params in SIGNATURE.findall(stripped):
        if name == 'main':
            continue
        arguments, before, good = [], [], True
        for param in [p.strip() for p in params.split(',') if p.strip() and p.strip() != 'void']:
            words = [w for w in param.split() if w not in ('const', 'highp', 'mediump', 'lowp')]
            is_out = words[0] in ('out', 'inout')
            words = words[1:] if words[0] in ('in', 'out', 'inout') else words
            value = ARGUMENT.get(words[0]) if len(words) >= 1 and '[' not in param else None
            if value is None:
                good = False
                break
            if is_out:
                names += 1
                before.append('%s t%d = %s;' % (words[0], names, value))
                value = 't%d' % names
            arguments.append(value)
        if good:
            out.append(''.join(before) + ADD[kind] % ('%s(%s)' % (name, ', '.join(arguments))))
    return out


def main():
    folder, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    count = 0
    for base, dirs, files in sorted(os.walk(folder)):
        dirs.sort()
        for name in sorted(files):
            if not name.endswith('.glsl'):
                continue
            path = os.path.join(base, name)
            text = load(path)
            with open(path, encoding='utf-8', errors='replace') as f:
                statements = calls(f.read())
            target = os.path.relpath(path, folder).replace(os.sep, '_')[:-5]
            with open(os.path.join(out, target + '.frag'), 'w', encoding='utf-8') as f:
                f.write('#extension GL_OES_standard_derivatives : enable\nprecision highp float;\nprecision highp int;\nvarying vec4 v;\nuniform sampler2D tex;\nuniform samplerCube cube;\n'
                        + text + '\nvoid main() {\n    vec4 o = vec4(0.0);\n    '
                        + '\n    '.join('{ %s }' % s for s in statements) + '\n    gl_FragColor = o;\n}\n')
            count += 1
    print('%d shaders' % count)


main()
