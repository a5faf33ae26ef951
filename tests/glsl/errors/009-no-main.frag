precision mediump float;
float f(float x) { return x; }
