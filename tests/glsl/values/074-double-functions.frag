#extension GL_VLGL_fp64 : enable
precision highp float;
//! x = -1.75
uniform double x;
void main() {
    dvec2 v = dvec2(3.0lf, 4.0lf);
    double rounded = floor(x) * 1000.0lf + ceil(x) * 100.0lf + trunc(x) * 10.0lf + fract(x);
    double chosen = min(x, 2.0lf) + max(x, 2.0lf) + clamp(x, -1.0lf, 1.0lf) + abs(x) + sign(x);
    double lengths = length(v) * 100.0lf + dot(v, v) + distance(v, dvec2(0.0lf)) + sqrt(16.0lf) + inversesqrt(4.0lf);
    bvec2 less = lessThan(v, dvec2(4.0lf)), same = equal(v, dvec2(3.0lf, 5.0lf));
    double mixed = mix(1.0lf, 3.0lf, 0.25lf) + mod(-1.0lf, 4.0lf) + step(2.0lf, 3.0lf) + cross(dvec3(1, 0, 0), dvec3(0, 1, 0)).z;
    double fused = fma(1.0lf + 1e-9lf, 1.0lf - 1e-9lf, -1.0lf) * 1e18lf;
    gl_FragColor = vec4(float(rounded), float(chosen), float(lengths) + (less.x && !less.y && same.x && !same.y ? 0.25 : 0.0), float(mixed + fused + normalize(v).x));
}
