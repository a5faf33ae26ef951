#extension GL_VLGL_fp64 : enable
precision highp float;
//! m = 1 2 3 4
//! c = 1
uniform dmat2 m;
uniform int c;
void main() {
    dmat3 big = dmat3(m);
    dvec2 v = m * dvec2(1.0lf, 10.0lf), w = dvec2(1.0lf, 10.0lf) * m;
    dmat2 p = m * m + dmat2(1.0lf);
    p[c] *= 2.0lf;
    gl_FragColor = vec4(float(v.x * 1000.0lf + v.y), float(w.x + w.y), float(p[1][0] * 100.0lf + p[0].y), float(big[2][2] + matrixCompMult(m, m)[1].y));
}
