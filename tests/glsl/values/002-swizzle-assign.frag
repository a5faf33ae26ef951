precision highp float;
//! m = 1 2 3 4 5 6 7 8 9
uniform mat3 m;
void main() { vec3 v = vec3(1.0, 2.0, 3.0); v.zxy *= m; gl_FragColor = vec4(v, 0.0); }
