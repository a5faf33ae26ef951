precision highp float;
//! a = 1 2
//! b = 3 4 5 6 7 8
//! k = 2
varying vec2 a;
varying vec2 b[3];
uniform int k;
void main() { gl_FragColor = vec4(a, b[k].y, b[1].x); }
