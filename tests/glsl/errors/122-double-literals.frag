#extension GL_VLGL_fp64 : enable
precision mediump float;
double a = 1.0lF;
double b = 1lf;
double c = 1.0e400lf;
double e = 0.1lf + 1.0LF;
#if 1.0lf
#endif
void main() {
    gl_FragColor = vec4(float(a + b + c + e));
}
