precision mediump float;
struct T { float x; };
float T(float x) { return x; }
float g;
void g() { }
void main() { float h = g(1.0); float sin = 1.0; h = sin(1.0); main; T; }
