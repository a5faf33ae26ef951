precision highp float;
struct lamp { float k; sampler2D map; vec2 at; };
struct pair { lamp a[2]; float scale; };
//! u.a[0].k = 1
//! u.a[0].at = 0.25 0.5
//! u.a[1].k = 2
//! u.a[1].at = 0.5 0.25
//! u.scale = 10
uniform pair u;
//! one = 1
uniform int one;
float n = 0.0;
float count() { n += 1.0; return n; }
float read(lamp l, float factor) {
    l.k *= factor;
    l.at.x += 0.125;
    vec4 t = texture2D(l.map, l.at);
    return t.x + 100.0 * t.z + l.k;
}
float inner(pair p, int i) {
    p.a[1].k += 0.5;
    p.scale = 3.0;
    return read(p.a[i], p.scale) * p.a[1].k;
}
void main() {
    gl_FragColor = vec4(read(u.a[0], 2.0), inner(u, 1), inner(u, one), read(u.a[one], count()) + u.scale);
}
