#extension GL_VLGL_fp64 : require
precision highp float;
//! at = 2
//! list = 1 2 3 4 5 6
uniform int at;
uniform dvec3 list[2];
struct pair { float f; dvec2 d; double s; };
dvec2 swap(in dvec2 v, out double sum) { sum = v.x + v.y; return v.yx; }
void main() {
    dvec4 v = dvec4(list[0].zyx, 9.5lf);
    v.wx = v.xw;
    v[at] += 10.0lf;
    double sum;
    dvec2 s = swap(list[1].xz, sum);
    pair p = pair(1.0, s, sum);
    pair q = p;
    q.d.y = -q.d.y;
    bool same = p == pair(1.0, dvec2(6.0, 4.0), 10.0lf);
    gl_FragColor = vec4(float(v.x * 100.0lf + v.w), float(v.z) + (same ? 0.5 : 0.0), float(p.d.x * 10.0lf + q.d.y), p == q ? 1.0 : float(list[at - 1].y));
}
