precision highp float;
//! x = 2
uniform float x;
void main() {
    vec4 a = vec4(clamp(x, 0.0, 1.0), mix(1.0, 3.0, x * 0.25), step(x, 2.0), smoothstep(0.0, 4.0, x));
    vec4 b = vec4(min(x, 1.0), max(vec2(x), 3.0).y, sign(-x), abs(-x));
    vec4 c = vec4(floor(-x * 0.25), ceil(x * 0.25), length(vec2(3.0, x * 2.0)), distance(vec3(x), vec3(x, x, x + 3.0)));
    vec3 d = cross(vec3(1.0, 0.0, 0.0), vec3(0.0, x, 0.0));
    vec3 e = reflect(vec3(1.0, -1.0, 0.0), vec3(0.0, 1.0, 0.0)) + faceforward(vec3(x), vec3(0.0, 0.0, 1.0), vec3(0.0, 0.0, 1.0));
    gl_FragColor = vec4(dot(a, vec4(1.0, 10.0, 100.0, 1000.0)), dot(b, vec4(1.0, 10.0, 100.0, 1000.0)), dot(c, vec4(1.0, 10.0, 100.0, 1000.0)), d.z + e.x * 10.0 + e.y * 100.0);
}
