precision highp float;
float x = 1.0;
float f(float x) { { float x = x + 1.0; return x; } }
float g(float a) { float a = 5.0; return a; }
void main() {
    float r = x;
    float x = x + 10.0;
    for (float x = 0.0; x < 2.0; x++) r += x;
    { float x = 100.0; r += x; }
    gl_FragColor = vec4(r, x, f(4.0), g(1.0));
}
