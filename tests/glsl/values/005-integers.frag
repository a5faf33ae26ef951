precision highp float;
//! i = -7
//! f = -1.7
uniform int i;
uniform float f;
void main() { gl_FragColor = vec4(float(i / 2), float(int(f)), float(-i / 2), float(i / -2 * 2 + i)); }
