precision mediump float;
uniform float u;
const float x = 1.0;
void f(out float a) { a = 1.0; }
void main() {
    f(1.0);
    f(u);
    f(x + x);
    float y;
    f(y);
}
