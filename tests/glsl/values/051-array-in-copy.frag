precision highp float;
// An array parameter keeps the values of the call while the function changes the array itself.
float g[2];
float f(float a[2]) { g[0] += 100.0; return a[0] + g[0]; }
float h(float a[2], inout float b[2]) { b[0] = 50.0; return a[0] + b[0]; }
void main() {
    g[0] = 1.0;
    g[1] = 2.0;
    float l[2];
    l[0] = 3.0;
    gl_FragColor = vec4(f(g), g[0], h(l, l), l[0]);
}
