precision highp float;
//! k = 1
struct P { vec2 a; float b[3]; };
struct Q { P p[2]; mat2 m; };
uniform int k;
void change(inout P s, inout mat2 m, const in int k) { s.b[k + 1] += 1000.0; m[k].y += 200.0; s.a.x = m[0].x; }
void main() {
    Q q;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) q.p[i].b[j] = float(10 * i + j);
        q.p[i].a = vec2(float(i), 5.0);
        q.m[i] = vec2(float(i), 7.0 + float(i));
    }
    q.p[k].b[k] += 100.0;
    change(q.p[k], q.m, k);
    gl_FragColor = vec4(q.p[1].b[1], q.p[k].b[k + 1], q.m[k].y, q.p[0].b[k]);
}
