precision mediump float;
void main() {
    if (true) {
        gl_FragColor = vec4(1.0);
}
