precision highp float;
//! x = -3
uniform float x;
const float four = 4.0;
void main() {
    vec2 p = pow(vec2(x, 0.5), vec2(5.0));
    gl_FragColor = vec4(pow(x, 2.0), pow(x, 3.0), pow(x, four) + p.y, p.x + pow(x, 1.0));
}
