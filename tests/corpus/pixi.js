// SPDX-License-Identifier: MIT
/*
 * pixi.js PACKAGE OUT: the shaders of a PixiJS distribution, found as the string literals with a main() in them,
 * with the head that its Program puts before them. %templates% of the batch and blur shaders are filled in. Each
 * fragment shader is paired with the first vertex shader that declares all its varyings.
 */
'use strict';
const fs = require('fs');
const path = require('path');

const [, , packageDir, outDir] = process.argv;
fs.mkdirSync(outDir, { recursive: true });
const file = ['dist/browser/pixi.js', 'dist/pixi.js'].map((f) => path.join(packageDir, f)).find((f) => fs.existsSync(f));
const text = fs.readFileSync(file, 'utf8');
/* Up to version 4 both stages have the same default precision. */
const old = /"version":\s*"4\./.test(fs.readFileSync(path.join(packageDir, 'package.json'), 'utf8'));

function fill(source) {
    const samples = [0, 1, 2, 3, 4, 5, 6, 7];
    const loop = samples.map((i) => (i ? 'else ' : '') + (i < 7 ? `if (vTextureId < ${i}.5) ` : '') +
        `{ color = texture2D(uSamplers[${i}], vTextureCoord); }`).join('\n');
    const size = 5;
    const blur = (make) => samples.slice(0, size).map(make).join('\n');
    return source.replace(/%count%/g, '8').replace(/%forloop%/g, loop).replace(/%size%/g, String(size))
        .replace(/%blur%/g, /gl_Position/.test(source)
            ? blur((i) => `vBlurTexCoords[${i}] = textureCoord + vec2(${i - 2}.0 * strength, 0.0);`)
            : 'gl_FragColor = vec4(0.0);\n' + blur((i) => `gl_FragColor += texture2D(uSampler, vBlurTexCoords[${i}]) * 0.2;`));
}

const HEAD = '#define SHADER_NAME pixi-shader\n';
const precision = (source, p) => /^#version/.test(source) ? source
    : HEAD + (/^\s*precision/m.test(source) ? source : `precision ${p} float;\n${source}`);
const vertex = [], fragment = [];
for (const m of text.matchAll(/"(?:[^"\\\n]|\\.)*void main(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*void main(?:[^'\\\n]|\\.)*'/g)) {
    let source;
    try {
        source = fill(eval(m[0]));
    } catch (e) {
        continue;
    }
    if (/#version 300/.test(source) || !/gl_Frag|gl_Position/.test(source)) {
        continue; /* another language; a piece of a text that is put together at run time */
    }
    (/gl_Position/.test(source) ? vertex : fragment).push(source);
}
const varyings = (s) => [...s.matchAll(/varying\s+(?:\w+p\s+)?(\w+)\s+(\w+)/g)].map((m) => m[2] + ':' + m[1]);
let count = 0;
fragment.forEach((f, i) => {
    const name = path.join(outDir, 'shader-' + String(i).padStart(2, '0'));
    const v = vertex.find((s) => varyings(f).every((x) => varyings(s).includes(x)));
    fs.writeFileSync(name + '.frag', precision(f, 'mediump'));
    if (v) {
        fs.writeFileSync(name + '.vert', precision(v, old ? 'mediump' : 'highp'));
    }
    count++;
});
vertex.forEach((s, i) => fs.writeFileSync(path.join(outDir, 'alone-' + i + '.vert'), precision(s, old ? 'mediump' : 'highp')));
console.log(fragment.length + ' fragment, ' + vertex.length + ' vertex shaders');
