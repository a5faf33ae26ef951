precision highp float;
struct S { vec3 n; float d; };
S make(float x) { S s; s.n = vec3(x, x + 1.0, x + 2.0); s.d = x * 2.0; if (x > 5.0) { return S(vec3(0.0), -1.0); } return s; }
S twice(S s) { s.d += s.d; s.n.zx = s.n.xz; return s; }
void main() { S s = twice(make(3.0)); gl_FragColor = vec4(s.n, s.d + make(6.0).d); }
