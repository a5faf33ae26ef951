precision mediump float;
float f(float x);
float g(float x) { return f(x); }
float f(float x) { return x > 0.0 ? g(x - 1.0) : 0.0; }
void main() { gl_FragColor = vec4(f(1.0)); }
