precision mediump float;
void main() {
    if (1) { }
    while (1.0) { }
    for (; vec2(1.0);) { }
    do { } while (3);
    float f = 1 ? 1.0 : 2.0;
    f = true ? 1.0 : 1;
    bool b = !1.0;
    b = !bvec2(true);
    b = b && 1;
}
