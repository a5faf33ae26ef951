// hills.frag with a slip that a reviewer misses: two digits of the haze.
// `vlgl test` reports other pixels.
precision highp float;
uniform vec2 resolution;
uniform float time;

// A smooth random height: hashes of whole numbers, blended.
float hash(float n) {
    return fract(fract(n * 0.3183099 + 0.1) * 43.7585);
}
float wave(float x) {
    float i = floor(x);
    float f = x - i;
    return mix(hash(i), hash(i + 1.0), f * f * (3.0 - 2.0 * f));
}
float ridge(float x, float layer) {
    return 0.55 * wave(x * 2.0 + layer * 7.0) + 0.3 * wave(x * 5.0 + layer * 3.0) + 0.15 * wave(x * 11.0);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    float day = 0.5 + 0.5 * cos(time * 0.3);
    vec3 haze = mix(vec3(0.93, 0.62, 0.45), vec3(0.75, 0.86, 0.94), day);
    vec3 color = mix(haze, mix(vec3(0.35, 0.30, 0.50), vec3(0.32, 0.56, 0.84), day), p.y);
    vec2 sun = vec2(0.9, 0.35 + 0.45 * day);
    color = mix(color, vec3(1.0, 0.95, 0.8), 1.0 - smoothstep(0.06, 0.075, distance(p, sun)));
    for (int i = 0; i < 5; i++) {
        float layer = float(i);
        float height = 0.62 - 0.12 * layer + 0.22 * ridge(p.x + layer, layer);
        vec3 hill = mix(haze, vec3(0.10, 0.22, 0.18), 0.24 + 0.17 * layer);
        color = mix(hill, color, smoothstep(height - 0.004, height + 0.004, p.y));
    }
    gl_FragColor = vec4(color, 1.0);
}
