precision mediump float;
float a;
int a;
void f(float a, float a) { }
void main() { float b; { float b; } vec2 b; }
