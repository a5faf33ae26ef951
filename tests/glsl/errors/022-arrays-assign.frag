precision mediump float;
struct S { float a[2]; };
void main() {
    float a[2], b[2];
    a = b;
    bool c = a == b;
    S s, t;
    s = t;
    c = s == t;
    S u = s;
}
