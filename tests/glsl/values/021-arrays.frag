precision highp float;
//! k = 3
uniform int k;
float sum(float a[4]) { float s = 0.0; for (int i = 0; i < 4; i++) s += a[i]; a[0] = 99.0; return s; }
void fill(out float a[4], float x) { for (int i = 0; i < 4; i++) a[i] = x * float(i); }
void main() {
    float a[4], b[4];
    fill(a, 2.0);
    b[k - 1] = 5.0;
    a[k] = a[k - 1] + 1.0;
    gl_FragColor = vec4(sum(a), a[0], b[2], sum(b) + a[k]);
}
