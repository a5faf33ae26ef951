precision mediump float;
uniform float u;
varying vec2 v;
void main() {
    u = 1.0;
    v.x = 1.0;
    gl_FragCoord.x = 1.0;
    const float c = 1.0;
    c = 2.0;
    1.0 = 2.0;
    (c + 1.0)++;
}
