//! p = 1 2 3
//! m = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! k = 2
attribute vec3 p;
attribute mat4 m;
uniform int k;
void main() { gl_Position = m * vec4(p, 1.0) + m[k] * 0.0 + vec4(m[k].x); }
