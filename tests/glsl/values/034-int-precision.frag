precision highp float;
//! n = 1000
uniform int n;
void main() {
    int a = n * n + 7;
    gl_FragColor = vec4(float(a / 1000), float(a - a / 10 * 10), float(-a / 3), float(65536 * 200));
}
