// SPDX-License-Identifier: MIT
/*
 * mapbox.js PACKAGE OUT: the shaders of mapbox-gl 1.x or maplibre-gl 1.x/2.x (src/shaders/NAME.vertex.glsl and
 * NAME.fragment.glsl) as the library assembles them: the prelude first, "#pragma mapbox:" lines expanded. Each
 * program is written twice: properties from attributes, and all properties from uniforms (NAME+uniforms).
 */
'use strict';
const fs = require('fs');
const path = require('path');

const [, , packageDir, outDir] = process.argv;
const dir = path.join(packageDir, 'src', 'shaders');
fs.mkdirSync(outDir, { recursive: true });
const read = (name) => fs.readFileSync(path.join(dir, name), 'utf8');
const PRAGMA = /#pragma mapbox: (\w+) (\w+) (\w+) (\w+)/g;

// A property is a uniform where HAS_UNIFORM_u_NAME is defined, else an attribute (and a varying if the fragment shader names it).
function expand(vertex, fragment) {
    const shared = new Set();
    const choose = (name, attribute, uniform) => `#ifndef HAS_UNIFORM_u_${name}\n${attribute}\n#else\n${uniform}\n#endif\n`;
    const properties = new Set();
    const f = fragment.replace(PRAGMA, (all, what, precision, type, name) => {
        shared.add(name);
        properties.add(name);
        return what === 'define'
            ? choose(name, `varying ${precision} ${type} ${name};`, `uniform ${precision} ${type} u_${name};`)
            : choose(name, '', `${precision} ${type} ${name} = u_${name};`);
    });
    const v = vertex.replace(PRAGMA, (all, what, precision, type, name) => {
        properties.add(name);
        const attribute = type === 'float' ? 'vec2' : 'vec4';
        const varying = shared.has(name);
        const unpack = /color/.test(name) ? 'color' : attribute;
        const value = unpack === 'vec4' ? `a_${name}` : `unpack_mix_${unpack}(a_${name}, u_${name}_t)`;
        return what === 'define'
            ? choose(name, `uniform lowp float u_${name}_t;\nattribute ${precision} ${attribute} a_${name};\n` +
                (varying ? `varying ${precision} ${type} ${name};` : ''), `uniform ${precision} ${type} u_${name};`)
            : choose(name, `${varying ? '' : `${precision} ${type} `}${name} = ${value};`, `${precision} ${type} ${name} = u_${name};`);
    });
    return { v, f, properties };
}

const prelude = expand(read('_prelude.vertex.glsl'), read('_prelude.fragment.glsl'));
let count = 0;
for (const file of fs.readdirSync(dir).sort()) {
    const m = /^([a-z].*)\.vertex\.glsl$/.exec(file);
    if (!m || !fs.existsSync(path.join(dir, m[1] + '.fragment.glsl'))) {
        continue;
    }
    const { v, f, properties } = expand(read(file), read(m[1] + '.fragment.glsl'));
    for (const uniforms of properties.size ? [false, true] : [false]) {
        const lines = ['#define DEVICE_PIXEL_RATIO 1.0', ...(uniforms ? [...properties].map((p) => `#define HAS_UNIFORM_u_${p}`) : [])];
        const name = path.join(outDir, m[1] + (uniforms ? '+uniforms' : ''));
        fs.writeFileSync(name + '.vert', [...lines, prelude.v, v].join('\n'));
        fs.writeFileSync(name + '.frag', [...lines, prelude.f, f].join('\n'));
        count++;
    }
}
console.log(count + ' programs');
