precision mediump float;
void main() {
    float f(float x);
    void g() { }
}
