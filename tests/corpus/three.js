// SPDX-License-Identifier: MIT
/*
 * three.js PACKAGE OUT: writes the shaders that three.js's own WebGLRenderer hands to WebGL, one pair of
 * OUT/NAME.vert and NAME.frag a program. The renderer runs for real, on a context that draws nothing and
 * notes the text. Materials, lights, fog, maps and so on are varied one at a time and a few together.
 */
'use strict';
const fs = require('fs');
const path = require('path');

const [, , packageDir, outDir] = process.argv;
fs.mkdirSync(outDir, { recursive: true });

const seen = new Set();
let current = 'unnamed';

function note(vertex, fragment) {
    const key = vertex + '\0' + fragment;
    if (seen.has(key)) {
        return;
    }
    seen.add(key);
    let name = current.replace(/[^A-Za-z0-9_+-]/g, '_');
    for (let n = 2; fs.existsSync(path.join(outDir, name + '.vert')); n++) {
        name = current.replace(/[^A-Za-z0-9_+-]/g, '_') + '.' + n;
    }
    fs.writeFileSync(path.join(outDir, name + '.vert'), vertex);
    fs.writeFileSync(path.join(outDir, name + '.frag'), fragment);
}

// ---- a context that draws nothing --------------------------------------------------------------------

const EXTENSIONS = ['OES_texture_float', 'OES_texture_float_linear', 'OES_texture_half_float', 'OES_texture_half_float_linear',
    'OES_standard_derivatives', 'OES_element_index_uint', 'OES_vertex_array_object', 'ANGLE_instanced_arrays',
    'EXT_frag_depth', 'EXT_shader_texture_lod', 'EXT_blend_minmax', 'WEBGL_draw_buffers', 'WEBGL_depth_texture',
    'EXT_color_buffer_half_float', 'WEBGL_color_buffer_float'];

function makeContext(canvas) {
    const constants = {
        VERTEX_SHADER: 0x8B31, FRAGMENT_SHADER: 0x8B30, COMPILE_STATUS: 0x8B81, LINK_STATUS: 0x8B82, VERSION: 0x1F02,
        MAX_TEXTURE_IMAGE_UNITS: 0x8872, MAX_VERTEX_TEXTURE_IMAGE_UNITS: 0x8B4C, MAX_TEXTURE_SIZE: 0x0D33,
        MAX_CUBE_MAP_TEXTURE_SIZE: 0x851C, MAX_VERTEX_ATTRIBS: 0x8869, MAX_VERTEX_UNIFORM_VECTORS: 0x8DFB,
        MAX_VARYING_VECTORS: 0x8DFC, MAX_FRAGMENT_UNIFORM_VECTORS: 0x8DFD, HIGH_FLOAT: 0x8DF2, MEDIUM_FLOAT: 0x8DF1,
        SCISSOR_BOX: 0x0C10, VIEWPORT: 0x0BA2, ACTIVE_UNIFORMS: 0x8B86, ACTIVE_ATTRIBUTES: 0x8B89, MAX_SAMPLES: 0x8D57,
        FRAMEBUFFER_COMPLETE: 0x8CD5, IMPLEMENTATION_COLOR_READ_FORMAT: 0x8B9B, IMPLEMENTATION_COLOR_READ_TYPE: 0x8B9A,
        TEXTURE_2D: 0x0DE1, TEXTURE_CUBE_MAP: 0x8513, TEXTURE0: 0x84C0,
    };
    const parameters = {
        0x1F02: 'WebGL 1.0 (nothing)', 0x8872: 16, 0x8B4C: 16, 0x0D33: 4096, 0x851C: 4096, 0x8869: 16, 0x8DFB: 1024, 0x8DFC: 16,
        0x8DFD: 1024, 0x0C10: [0, 0, 64, 64], 0x0BA2: [0, 0, 64, 64], 0x8B9B: 0x1908, 0x8B9A: 0x1401, 0x1F01: 'nothing', 0x1F00: 'nobody',
    };
    const functions = {
        getContextAttributes: () => ({ alpha: true, depth: true, stencil: true, antialias: false }),
        getExtension: (name) => EXTENSIONS.includes(name) ? new Proxy({}, { get: (t, k) => typeof k === 'string' && /[a-z]/.test(k) ? () => ({}) : 1 }) : null,
        getSupportedExtensions: () => EXTENSIONS,
        getShaderPrecisionFormat: () => ({ rangeMin: 127, rangeMax: 127, precision: 23 }),
        getParameter: (name) => name in parameters ? parameters[name] : 0,
        createShader: (type) => ({ type, text: '' }),
        shaderSource: (shader, text) => { shader.text = text; },
        getShaderParameter: () => true,
        getShaderInfoLog: () => '',
        createProgram: () => ({ shaders: [] }),
        attachShader: (program, shader) => { program.shaders[shader.type === 0x8B31 ? 0 : 1] = shader; },
        linkProgram: (program) => note(program.shaders[0].text, program.shaders[1].text),
        getProgramParameter: (program, name) => name === 0x8B82 ? true : 0,
        getProgramInfoLog: () => '',
        getUniformLocation: () => ({}),
        getAttribLocation: () => 0,
        getError: () => 0,
        isContextLost: () => false,
        checkFramebufferStatus: () => 0x8CD5,
    };
    return new Proxy({ canvas }, {
        get(target, key) {
            if (key in functions) {
                return functions[key];
            }
            if (key in target) {
                return target[key];
            }
            if (typeof key !== 'string') {
                return undefined;
            }
            if (/^[A-Z0-9_]+$/.test(key)) {
                return key in constants ? constants[key] : key.length * 7919 + key.charCodeAt(0);
            }
            return () => ({});
        },
    });
}

const quiet = () => {};
global.window = global;
global.self = global;
if (typeof navigator === 'undefined') {
    global.navigator = {};
}
global.addEventListener = global.removeEventListener = quiet;
console.warn = quiet;
const say = console.log;
console.log = quiet;
const canvas = { width: 64, height: 64, style: {}, addEventListener: quiet, removeEventListener: quiet,
    getContext: () => new Proxy({}, { get: () => quiet }) };
global.document = { createElementNS: () => canvas, createElement: () => canvas };
const THREE = require(path.join(packageDir, 'build', 'three.js'));
global.THREE = THREE;

// ---- scenes -------------------------------------------------------------------------------------------

function dataTexture() {
    const t = new THREE.DataTexture(new Uint8Array(4 * 16), 4, 4, THREE.RGBAFormat);
    t.needsUpdate = true;
    return t;
}

function cubeTexture() {
    const t = new THREE.CubeTexture([0, 1, 2, 3, 4, 5].map(dataTexture));
    t.needsUpdate = true;
    return t;
}

function geometry(morph, colored) {
    const g = new THREE.BufferGeometry();
    const set = (g.setAttribute || g.addAttribute).bind(g);
    const floats = (n) => new Float32Array(n).map((v, i) => Math.sin(i + 1));
    set('position', new THREE.BufferAttribute(floats(9), 3));
    set('normal', new THREE.BufferAttribute(floats(9), 3));
    set('uv', new THREE.BufferAttribute(floats(6), 2));
    set('uv2', new THREE.BufferAttribute(floats(6), 2));
    set('tangent', new THREE.BufferAttribute(floats(12), 4));
    set('skinIndex', new THREE.BufferAttribute(new Float32Array(12), 4));
    set('skinWeight', new THREE.BufferAttribute(floats(12), 4));
    set('lineDistance', new THREE.BufferAttribute(floats(3), 1));
    if (colored) {
        set('color', new THREE.BufferAttribute(floats(9), 3));
    }
    if (morph) {
        const list = [0, 1, 2, 3].map(() => new THREE.BufferAttribute(floats(9), 3));
        g.morphAttributes = { position: list, normal: list };
    }
    return g;
}

function newRenderer(options) {
    const r = new THREE.WebGLRenderer(Object.assign({ canvas, context: makeContext(canvas) }, options));
    r.setSize(64, 64, false);
    return r;
}

function addLights(scene, kinds, shadows) {
    const lights = {
        ambient: () => new THREE.AmbientLight(0x404040), hemi: () => new THREE.HemisphereLight(1, 2, 1),
        dir: () => new THREE.DirectionalLight(0xffffff, 1), point: () => new THREE.PointLight(0xffffff, 1, 10, 2),
        spot: () => new THREE.SpotLight(0xffffff, 1, 10, 0.5, 0.5), rect: () => new THREE.RectAreaLight(0xffffff, 1, 2, 2),
        probe: () => THREE.LightProbe ? new THREE.LightProbe() : new THREE.AmbientLight(1),
    };
    for (const kind of kinds) {
        const light = lights[kind]();
        if (shadows && light.shadow) {
            light.castShadow = true;
        }
        light.position.set(1, 2, 3);
        scene.add(light);
    }
}

const failed = [];

function draw(name, makeObject, setup) {
    setup = setup || {};
    current = name;
    try {
        const renderer = newRenderer(setup.renderer);
        Object.assign(renderer, setup.set || {});
        if (setup.shadows) {
            renderer.shadowMap.enabled = true;
            renderer.shadowMap.type = setup.shadows;
        }
        const scene = new THREE.Scene();
        addLights(scene, setup.lights || ['ambient', 'dir'], setup.shadows !== undefined);
        if (setup.fog) {
            scene.fog = setup.fog === 'exp' ? new THREE.FogExp2(0xffffff, 0.1) : new THREE.Fog(0xffffff, 1, 10);
        }
        Object.assign(scene, setup.scene || {});
        const object = makeObject();
        object.castShadow = object.receiveShadow = true;
        object.frustumCulled = false;
        scene.add(object);
        const camera = new THREE.PerspectiveCamera(60, 1, 0.1, 100);
        renderer.render(scene, camera);
    } catch (e) {
        failed.push(name + ': ' + e.message);
    }
}

const mesh = (Material, parameters, morph, colored) => () => new THREE.Mesh(geometry(morph, colored), new Material(parameters));

const MATERIALS = ['MeshBasicMaterial', 'MeshLambertMaterial', 'MeshPhongMaterial', 'MeshToonMaterial', 'MeshStandardMaterial',
    'MeshPhysicalMaterial', 'MeshNormalMaterial', 'MeshDepthMaterial', 'MeshDistanceMaterial', 'MeshMatcapMaterial',
    'ShadowMaterial'].filter((m) => THREE[m]);
const t2 = dataTexture;
const VARIANTS = {
    plain: {}, map: { map: t2 }, alphaMap: { alphaMap: t2, transparent: true }, alphaTest: { alphaTest: 0.5, map: t2 },
    aoMap: { aoMap: t2 }, lightMap: { lightMap: t2 }, envMap: { envMap: cubeTexture }, refraction: { envMap: () => { const c = cubeTexture(); c.mapping = THREE.CubeRefractionMapping; return c; } },
    equirect: { envMap: () => { const c = dataTexture(); c.mapping = THREE.EquirectangularReflectionMapping; return c; } },
    specularMap: { specularMap: t2 }, bumpMap: { bumpMap: t2 }, normalMap: { normalMap: t2 },
    objectNormalMap: { normalMap: t2, normalMapType: THREE.ObjectSpaceNormalMap }, displacementMap: { displacementMap: t2 },
    emissiveMap: { emissiveMap: t2, emissive: 0xffffff }, roughness: { roughnessMap: t2, metalnessMap: t2, metalness: 0.5 },
    gradientMap: { gradientMap: t2 }, matcap: { matcap: t2 }, clearcoat: { clearcoat: 0.5, clearCoat: 0.5, clearcoatNormalMap: t2 },
    sheen: { sheen: () => new THREE.Color(1, 1, 1) }, transmission: { transmission: 0.5, transparency: 0.5 },
    double: { side: THREE.DoubleSide, map: t2 }, back: { side: THREE.BackSide }, flat: { flatShading: true }, skinning: { skinning: true },
    vertexTangents: { vertexTangents: true, normalMap: t2 }, premultiplied: { premultipliedAlpha: true }, dithering: { dithering: true },
    clipping: { clippingPlanes: () => [new THREE.Plane(new THREE.Vector3(1, 0, 0), 0), new THREE.Plane(new THREE.Vector3(0, 1, 0), 0)] },
    rgbaDepth: { depthPacking: THREE.RGBADepthPacking }, noTone: { toneMapped: false },
    all: { map: t2, alphaMap: t2, aoMap: t2, lightMap: t2, envMap: cubeTexture, specularMap: t2, bumpMap: t2, normalMap: t2, displacementMap: t2,
        emissiveMap: t2, roughnessMap: t2, metalnessMap: t2, skinning: true, dithering: true },
};

// The parameters that the material of this version knows.
function known(Material, variant) {
    const probe = new Material();
    const out = {};
    let any = Object.keys(variant).length === 0;
    for (const key of Object.keys(variant)) {
        if (probe[key] !== undefined) {
            out[key] = typeof variant[key] === 'function' ? variant[key]() : variant[key];
            any = any || true;
        }
    }
    return any && (Object.keys(out).length || !Object.keys(variant).length) ? out : null;
}

const LIT = { lights: ['ambient', 'hemi', 'dir', 'dir', 'point', 'point', 'spot', 'rect', 'probe'], shadows: THREE.PCFShadowMap, fog: 'linear' };
for (const name of MATERIALS) {
    const Material = THREE[name];
    for (const variant of Object.keys(VARIANTS)) {
        const parameters = known(Material, VARIANTS[variant]);
        if (parameters) {
            const set = variant === 'clipping' ? { localClippingEnabled: true } : {};
            const make = variant === 'skinning' || variant === 'all' ? () => {
                const object = new THREE.SkinnedMesh(geometry(false), new Material(parameters));
                const bone = new THREE.Bone();
                object.add(bone);
                object.bind(new THREE.Skeleton([bone]));
                return object;
            } : mesh(Material, parameters);
            draw(name + '-' + variant, make, { set });
            if (variant === 'all' || variant === 'map') {
                draw(name + '-' + variant + '-lit', make, Object.assign({ set }, LIT));
            }
        }
    }
    draw(name + '-lit', mesh(Material, {}), LIT);
    draw(name + '-soft', mesh(Material, {}), { lights: ['dir', 'spot', 'point'], shadows: THREE.PCFSoftShadowMap });
    draw(name + '-basic', mesh(Material, {}), { lights: ['dir', 'spot', 'point'], shadows: THREE.BasicShadowMap });
    draw(name + '-vsm', mesh(Material, {}), { lights: ['dir', 'spot', 'point'], shadows: THREE.VSMShadowMap || THREE.PCFShadowMap });
    draw(name + '-morph', mesh(Material, { morphTargets: true, morphNormals: true }, true), {});
    draw(name + '-colors', mesh(Material, { vertexColors: THREE.VertexColors || true }, false, true), {});
    draw(name + '-fogexp', mesh(Material, {}), { fog: 'exp' });
    draw(name + '-logdepth', mesh(Material, {}), { renderer: { logarithmicDepthBuffer: true } });
    draw(name + '-gamma', mesh(Material, { map: t2() }), { set: { gammaOutput: true, gammaInput: true, outputEncoding: THREE.sRGBEncoding } });
    draw(name + '-mediump', mesh(Material, {}), { renderer: { precision: 'mediump' } });
    draw(name + '-physical', mesh(Material, {}), { set: { physicallyCorrectLights: true }, lights: ['dir', 'point', 'spot'] });
}
for (const tone of ['LinearToneMapping', 'ReinhardToneMapping', 'Uncharted2ToneMapping', 'CineonToneMapping', 'ACESFilmicToneMapping']) {
    if (THREE[tone] !== undefined) {
        draw(tone, mesh(THREE.MeshStandardMaterial, {}), { set: { toneMapping: THREE[tone] } });
    }
}
draw('LineBasic', () => new THREE.Line(geometry(), new THREE.LineBasicMaterial()), { fog: 'linear' });
draw('LineDashed', () => new THREE.Line(geometry(), new THREE.LineDashedMaterial()), { fog: 'exp' });
draw('Points', () => new THREE.Points(geometry(), new THREE.PointsMaterial({ map: dataTexture(), sizeAttenuation: true })), {});
draw('Points-plain', () => new THREE.Points(geometry(), new THREE.PointsMaterial({})), { fog: 'linear' });
draw('Sprite', () => new THREE.Sprite(new THREE.SpriteMaterial({ map: dataTexture(), rotation: 1 })), { fog: 'linear' });
draw('background-cube', mesh(THREE.MeshBasicMaterial, {}), { scene: { background: cubeTexture() } });
draw('background-2d', mesh(THREE.MeshBasicMaterial, {}), { scene: { background: dataTexture() } });
if (THREE.InstancedMesh) {
    draw('Instanced', () => new THREE.InstancedMesh(geometry(), new THREE.MeshStandardMaterial(), 2), LIT);
}
if (THREE.PMREMGenerator) {
    current = 'pmrem';
    try {
        const generator = new THREE.PMREMGenerator(newRenderer({}));
        generator.compileEquirectangularShader();
        generator.compileCubemapShader();
        const target = generator.fromScene(new THREE.Scene());
        draw('Standard-pmrem', mesh(THREE.MeshStandardMaterial, { envMap: target.texture }), LIT);
    } catch (e) {
        failed.push('pmrem: ' + e.message);
    }
}
for (const name of Object.keys(THREE.ShaderLib)) {
    const lib = THREE.ShaderLib[name];
    draw('ShaderLib-' + name, () => new THREE.Mesh(geometry(), new THREE.ShaderMaterial({
        uniforms: THREE.UniformsUtils.clone(lib.uniforms), vertexShader: lib.vertexShader, fragmentShader: lib.fragmentShader })), {});
}
// the effects of the examples
const shaderDir = path.join(packageDir, 'examples', 'js', 'shaders');
for (const file of fs.existsSync(shaderDir) ? fs.readdirSync(shaderDir) : []) {
    if (!/\.js$/.test(file)) {
        continue;
    }
    const before = new Set(Object.keys(THREE));
    try {
        (0, eval)(fs.readFileSync(path.join(shaderDir, file), 'utf8'));
    } catch (e) {
        failed.push(file + ': ' + e.message);
    }
    for (const key of Object.keys(THREE).filter((k) => !before.has(k))) {
        let list = [[key, THREE[key]]];
        if (THREE[key] && !THREE[key].fragmentShader) {
            list = Object.keys(THREE[key]).map((k) => [key + '-' + k, THREE[key][k]]);
        }
        for (const [name, effect] of list) {
            if (effect && effect.fragmentShader && effect.vertexShader) {
                draw('effect-' + name, () => new THREE.Mesh(geometry(), new THREE.ShaderMaterial({
                    defines: Object.assign({}, effect.defines), uniforms: THREE.UniformsUtils.clone(effect.uniforms || {}),
                    vertexShader: effect.vertexShader, fragmentShader: effect.fragmentShader })), { lights: [] });
            }
        }
    }
}
say(seen.size + ' programs, ' + failed.length + ' scenes failed');
failed.forEach((f) => say('  ' + f));
process.exit(0);
