precision mediump float;
struct S { float x; int y; };
void main() {
    vec3 a = vec3(1.0, 2.0);
    vec2 b = vec2(vec2(1.0), 1.0);
    mat2 m = mat2(1.0, 2.0, 3.0);
    mat3 n = mat3(m, 1.0);
    vec4 d = vec4();
    S s = S(1.0);
    S t = S(1.0, 2.0);
    float f = float(s);
}
