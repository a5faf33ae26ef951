precision mediump float;
void main() {
    vec3 v = vec3(1.0);
    v.xx = vec2(1.0);
    float f = v.w;
    vec2 g = v.xg;
    f.x = 1.0;
    v.q;
}
