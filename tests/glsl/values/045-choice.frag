precision highp float;
//! k = 1
struct S { float a; vec2 b; };
uniform float k;
float heavy(float x) { float s = 0.0; for (int i = 0; i < 3; i++) s += sin(x) * 0.0 + x; return s; }
void main() {
    S s = k > 0.0 ? S(1.0, vec2(2.0)) : S(3.0, vec2(4.0));
    float h = k < 0.0 ? heavy(1.0) : heavy(2.0);
    bool b = k > 0.0 && heavy(k) > 2.0 || heavy(k) < 0.0;
    gl_FragColor = vec4(s.a, s.b.y, h, float(b));
}
