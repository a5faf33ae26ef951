precision mediump float;
void f() { };
void main() { }
