precision highp float;
float k = 0.0;
float inc() { return k += 1.0; }
void main() {
    float a = (inc(), inc(), k * 10.0);
    float b = inc() - inc() * 2.0;
    vec2 c = vec2(inc(), inc());
    gl_FragColor = vec4(a, b, c);
}
