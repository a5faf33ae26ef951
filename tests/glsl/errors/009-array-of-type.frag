precision mediump float;
float[2] a;
float[2] b[2];
void f(const float[3] x) { }
void main() { int[2] c; c[0] = 1; float d[2]; f(d); }
