attribute int a;
attribute float b[2];
attribute bvec2 c;
struct S { float x; };
attribute S s;
varying int d;
varying S e;
attribute float g = 1.0;
void main() { attribute vec2 h; uniform float i; }
