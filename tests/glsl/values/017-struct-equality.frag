precision highp float;
struct S { vec2 a; int b; };
void main() {
    S x = S(vec2(1.0, 2.0), 3), y = x;
    bool same = x == y;
    y.b++;
    bool other = x != y;
    mat2 m = mat2(1.0), n = mat2(1.0);
    n[1][0] = 2.0;
    gl_FragColor = vec4(float(same), float(other), float(m == n), float(vec3(1.0) == vec3(1.0, 1.0, 1.0)));
}
