precision mediump float;
struct S { float x; } f() { return S(1.0); }
void g(struct T { float y; } t) { }
void main() { }
