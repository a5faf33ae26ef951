precision mediump float;
struct s { sampler2D t; float k; };
uniform s a, b;
void f(s p, sampler2D q) { p.k = 1.0; p.t = q; p = b; q = p.t; a.k = 2.0; }
void main() { f(a, b.t); }
