#extension GL_VLGL_fp64 : enable
precision highp float;
//! d = -2.75
//! n = 7
uniform double d;
uniform int n;
void main() {
    bool b = bool(d);
    double e = double(b) + double(n) + double(true);
    dvec3 v = dvec3(vec2(0.5, 0.25), n);
    ivec2 i = ivec2(dvec2(d, -d));
    vec3 f = vec3(v);
    gl_FragColor = vec4(float(e), float(int(d)), float(i.y) + f.z, float(bool(0.0lf)) + float(v.x + v.y));
}
