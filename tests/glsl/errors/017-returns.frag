precision mediump float;
float f() { return; }
float g() { return 1; }
vec2 h() { return vec3(1.0); }
void main() { }
