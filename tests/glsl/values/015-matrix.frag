precision highp float;
//! u = 1
uniform float u;
void main() {
    mat2 a = mat2(1.0, 2.0, 3.0, 4.0) * u;
    mat2 b = mat2(5.0, 6.0, 7.0, 8.0);
    mat2 c = a * b;
    vec2 v = a * vec2(1.0, 2.0), w = vec2(1.0, 2.0) * a;
    mat2 d = matrixCompMult(a, b) / 2.0 - a;
    gl_FragColor = vec4(c[0][1] + c[1][0] * 100.0, v.x + v.y * 100.0, w.x + w.y * 100.0, d[1][1]);
}
