precision mediump float;
void f() { }
void g(void a) { }
void main() {
    void x;
    float y = f();
    f() + 1.0;
    y = (f(), 2.0);
}
