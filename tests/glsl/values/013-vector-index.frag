precision highp float;
//! k = 2
uniform int k;
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
    v[k] = 30.0;
    v.wz[k - 1] += 1.0;
    m[k - 1][k] = 60.0;
    m[k].yx = vec2(80.0, 70.0);
    gl_FragColor = vec4(v.z, m[1].z, m[k][k - 2], v[k - 1] + m[2][1]);
}
