precision mediump float;
sampler2D a;
uniform sampler2D s, t;
void f(out sampler2D x) { }
void main() { sampler2D b; b = s; bool c = s == t; s + t; }
