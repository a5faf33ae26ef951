precision mediump float;
void main() {
    float a[3];
    a[3] = 1.0;
    a[-1] = 1.0;
    a[1.0] = 1.0;
    vec2 v = vec2(0.0);
    v[2] = 1.0;
    float f;
    f[0] = 1.0;
    mat2 m = mat2(1.0);
    m[2] = v;
}
