precision highp float;
void main() {
    int i = 3;
    float f = float(i++ * 10 + i);
    float g = float(--i + i--);
    vec2 v = vec2(1.0);
    vec2 w = v++ + ++v;
    mat2 m = mat2(1.0);
    m++;
    gl_FragColor = vec4(f, g, w.x + v.y, m[0][0] + m[0][1] + float(i));
}
