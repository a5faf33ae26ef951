#extension GL_VLGL_fp64 : enable
precision highp float;
double table[4];
void main() {
    double sum = 0.0lf;
    for (int i = 0; i < 1000; i++) {
        sum += 0.1lf;
        if (sum > 99.95lf && i < 0) break;
    }
    for (int i = 0; i < 4; i++) {
        table[i] = double(i) * 0.5lf;
    }
    table[int(gl_FragCoord.x)]++;
    double lane = double(gl_FragCoord.x) / 3.0lf;
    gl_FragColor = vec4(float((sum - 100.0lf) * 1e12lf), float(table[0] + table[1]), float(lane * 3.0lf), -lane > 0.0lf ? 1.0 : float(-lane + lane));
}
