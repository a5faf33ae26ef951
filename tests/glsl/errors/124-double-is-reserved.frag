precision mediump float;
uniform double d;
void main() {
    dvec2 v;
    gl_FragColor = vec4(0.0);
}
