precision mediump float;
attribute vec2 a;
void main() { }
