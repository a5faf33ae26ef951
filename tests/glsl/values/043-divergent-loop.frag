precision highp float;
void main() {
    float n = gl_FragCoord.x + gl_FragCoord.y * 2.0;
    float s = 0.0;
    for (float i = 0.0; i < 100.0; i++) { if (i >= n) break; if (mod(i, 2.0) == 1.0) continue; s += i + 1.0; }
    gl_FragColor = vec4(s, n, 0.0, 0.0);
}
