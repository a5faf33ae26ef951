precision mediump float;
varying vec2 v;
void main() { gl_FragColor = vec4(v, 0.0, 1.0); }
