precision mediump float;
float dmat2(float x) { return x; }      // a name like any other
void main() {
    float f = 1.5lf;
    gl_FragColor = vec4(dmat2(f));
}
