#extension GL_OES_standard_derivatives : enable
#extension GL_OES_standard_derivatives : disable
precision mediump float;
void main() { gl_FragColor = vec4(dFdx(1.0)); }
