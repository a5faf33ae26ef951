precision highp float;
//! u = 1 2 3 4
uniform vec4 u;
void main() {
    vec3 a = vec3(u);
    vec4 b = vec4(u.x, u.yz, 9.0);
    mat3 m = mat3(2.0);
    mat2 n = mat2(u);
    mat2 o = mat2(mat4(u, u * 2.0, u, u));
    vec4 p = vec4(n);
    bvec2 q = bvec2(u.x, 0.0);
    ivec3 r = ivec3(u.yzw * 1.4);
    gl_FragColor = vec4(a.z + b.w + m[1][1] + m[0][1], p.w + o[1][1], float(q.x) + 2.0 * float(q.y), float(r.x * 100 + r.y * 10 + r.z));
}
