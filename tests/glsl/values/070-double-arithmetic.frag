#extension GL_VLGL_fp64 : enable
precision highp float;
//! third = 0.33333333333333333333
//! sum = 1e15 0.125
uniform double third;
uniform dvec2 sum;
void main() {
    double left = third - double(0.33333334);      // what a float cannot hold
    double big = sum.x + sum.y;
    dvec3 v = dvec3(1.0, 2.0, 3.0) * 0.1lf;
    gl_FragColor = vec4(float(left * 1e8lf), float(big - sum.x), float(third * 3.0lf - 1.0lf), float((0.1lf + 0.2lf - 0.3lf) * 1e17lf + v.z));
}
