precision highp float;
//! k = 37
uniform int k;
void main() {
    float a[100];
    for (int i = 0; i < 100; i++) a[i] = float(i) * 0.5;
    float s = 0.0;
    for (int i = 99; i >= 0; i--) s += a[i];
    a[k] = -1.0;
    gl_FragColor = vec4(s, a[k], a[k + 1], a[99]);
}
