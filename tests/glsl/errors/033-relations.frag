precision mediump float;
void main() {
    bool b = vec2(1.0) < vec2(2.0);
    b = 1 < 2.0;
    b = true < false;
    vec3 v = vec3(1.0) + vec2(1.0);
    mat2 m = mat2(1.0) * vec3(1.0);
    v *= mat2(1.0);
    float f = 1.0;
    f *= vec2(1.0);
}
