precision mediump float;
void main() {
    gl_FragColor = texture2D(1.0, vec2(0.0)) + foo(1.0) + vec4(sin(1));
}
