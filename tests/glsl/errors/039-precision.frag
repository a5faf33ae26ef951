precision mediump vec2;
precision float;
precision lowp bool;
precision highp sampler2D;
highp bool b;
void main() { }
