precision mediump float;
void main() { gl_FragData[1] = vec4(1.0); }
