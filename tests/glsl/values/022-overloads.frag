precision highp float;
float f(float x) { return 1.0; }
float f(vec2 x) { return 2.0; }
float f(int x) { return 3.0; }
float f(float x, float y) { return 4.0; }
float sin(float a, float b) { return a + b; }
void main() { gl_FragColor = vec4(f(1.0) + 10.0 * f(vec2(1.0)), f(1), f(1.0, 1.0), sin(1.0, 2.0) + sin(0.0)); }
