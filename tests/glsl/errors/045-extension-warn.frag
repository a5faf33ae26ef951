#extension GL_OES_standard_derivatives : warn
precision mediump float;
varying vec2 v;
void main() { gl_FragColor = vec4(dFdx(v), dFdy(v)); }
