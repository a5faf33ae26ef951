precision highp float;
//! s.v = 1 2 3
//! s.w = 4 5 6 7 8 9
//! t[0].a = 10
//! t[1].a = 20
//! t[0].b = 1 2 3 4
//! t[1].b = 5 6 7 8
//! k = 1
struct S { vec3 v; vec2 w[3]; };
struct T { float a; mat2 b; };
uniform S s;
uniform T t[2];
uniform int k;
float f(T x) { return x.a + x.b[1][0]; }
vec2 g(vec2 w[3], int i) { return w[i]; }
void main() { gl_FragColor = vec4(f(t[k]), f(t[0]), g(s.w, k + 1).x, s.v[k] + g(s.w, k).y); }
