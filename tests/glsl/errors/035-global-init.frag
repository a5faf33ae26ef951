precision mediump float;
uniform float u;
float a = u;
void main() { }
