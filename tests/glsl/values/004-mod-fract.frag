precision highp float;
//! u = 0
uniform float u;
void main() { gl_FragColor = vec4(mod(9.0 + u, 3.0), mod(u - 1.0, 3.0), fract(u - 0.25), mod(5.0 + u, -3.0)); }
