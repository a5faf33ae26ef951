precision highp float;
//! k = 1
uniform int k;
float f(float x) { return x * 2.0; }
void main() {
    float a[4];
    int i = 0;
    a[i++] += 5.0;
    a[i++ + k] = 7.0;
    vec4 v = vec4(0.0);
    v[i++] = f(f(f(1.0)) + f(a[0]));
    gl_FragColor = vec4(a[0], a[2], v.z, float(i));
}
