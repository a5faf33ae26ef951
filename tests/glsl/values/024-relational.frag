precision highp float;
//! v = 1 2 3 4
uniform vec4 v;
void main() {
    bvec4 a = lessThan(v, vec4(2.5)), b = greaterThanEqual(v, vec4(2.0)), c = equal(a, b);
    ivec3 i = ivec3(1, 2, 3);
    gl_FragColor = vec4(float(any(a)) + 2.0 * float(all(a)), dot(vec4(b), v), dot(vec4(not(c)), v), float(all(notEqual(i, ivec3(3, 1, 2)))));
}
