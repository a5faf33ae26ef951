precision mediump float;
float f(float x) { return x; }
float f(float y) { return y; }
int f(float z) { return 1; }
float sin(float x) { return x; }
void main() { }
