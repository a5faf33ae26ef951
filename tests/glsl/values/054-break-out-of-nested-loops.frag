precision highp float;
//! n = 3
uniform float n;
float find(float limit) {
    float steps = 0.0;
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            if (j > i) break;
            if (mod(float(i + j), 2.0) == 1.0) continue;
            steps += 1.0;
            if (steps >= limit) return float(i * 10 + j);
        }
    }
    return -1.0;
}
void main() { gl_FragColor = vec4(find(n), find(n + 1.0), find(7.0), find(100.0)); }
