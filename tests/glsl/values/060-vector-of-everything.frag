precision highp float;
void main() {
    bool b = true;
    vec4 v = vec4(b, 2, 3.5, int(4.9));
    ivec2 i = ivec2(b, -2.9);
    bvec3 c = bvec3(0, 0.5, b);
    gl_FragColor = vec4(v.x + v.w, float(i.y), float(c.x) + float(c.y) + float(c.z), float(bool(i.y)));
}
