precision highp float;
// An in parameter keeps the value of the call, whatever happens to the argument.
vec3 p = vec3(1.0);
void G(inout vec3 q) { p += q; q = vec3(9.0); }
void F(in vec3 a) { G(a); }
void main() { F(p); gl_FragColor = vec4(p, 1.0); }
