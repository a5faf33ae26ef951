precision highp float;
void add(inout vec3 v, inout float s) { v += 1.0; s *= 2.0; }
void main() {
    vec4 a = vec4(1.0, 2.0, 3.0, 4.0);
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    add(a.wyx, a.z);
    add(a.xyz, m[1][0]);
    gl_FragColor = vec4(a.x * 10.0 + a.y, a.z, a.w, m[1][0]);
}
