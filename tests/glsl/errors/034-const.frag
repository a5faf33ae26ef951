precision mediump float;
void main() {
    float x = 1.0;
    const float a = x;
    const float b;
    const vec2 c = vec2(a, sin(1.0));
}
