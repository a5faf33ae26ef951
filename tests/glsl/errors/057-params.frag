precision mediump float;
uniform float u;
void f(uniform float x, varying vec2 y) { }
const float k(float x) { return x; }
void main() { }
