varying invariant vec2 a;
highp attribute vec2 b;
void f(highp const float x) { }
void g(const out float x) { }
void main() { }
