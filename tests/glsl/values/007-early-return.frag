precision highp float;
//! k = 2
uniform float k;
float pick(float x) {
    for (int i = 0; i < 10; i++) {
        if (float(i) == x) { return float(i) * 10.0; }
        if (x < 0.0) continue;
        if (i == 5) break;
    }
    return -1.0;
}
void main() { gl_FragColor = vec4(pick(k), pick(k + 3.0), pick(k + 7.0), pick(-k)); }
