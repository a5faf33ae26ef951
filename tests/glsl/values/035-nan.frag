precision highp float;
//! z = 0
uniform float z;
void main() {
    float n = z / z;
    gl_FragColor = vec4(n == n ? 1.0 : 2.0, n != n ? 1.0 : 2.0, clamp(n, 0.0, 1.0), 1.0 / z > 1e30 ? 1.0 : 0.0);
}
