precision highp float;
// An index out of range reads and writes inside the array: nothing else changes.
//! k = 1000
uniform int k;
uniform vec4 u[2];
void main() {
    float before = 1.0, a[2], after = 2.0;
    a[k] = 5.0;
    a[-k] = 6.0;
    vec2 v = vec2(3.0);
    v[k] = 9.0;
    gl_FragColor = vec4(before, after, a[0] + a[1], v.x + v.y + u[k].x + u[-k].y);
}
