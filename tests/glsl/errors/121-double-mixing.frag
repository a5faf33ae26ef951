#extension GL_VLGL_fp64 : enable
precision mediump float;
varying double v;
uniform highp double p;
uniform double u;
uniform float n;
uniform dvec2 w;
void main() {
    double d = 1.0;
    float f = 1.0lf;
    double e = u * 2.0;
    gl_FragColor.x = u;
    dvec2 a = w * vec2(2.0);
    vec2 g = sin(w);
    bool b = u && true;
    gl_FragColor = vec4(max(u, 1.0));
    double c = u.x;
    a[u] = 1.0lf;
    dmat2 m = dmat2(1.0lf) * dvec3(1.0lf);
    double q = mix(w, w, n).x;
    if (u) discard;
}
