precision mediump float;
void main() {
    float f = 1;
    vec2 v = vec2(1.0) * 2;
    int i = 2.0;
    float g = f + i;
}
