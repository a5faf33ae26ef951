precision mediump float;
void main() {
    float a = 1.5f, b = .5F, c = 2f, d = 1.0.0, e = 1e;
    int i = 0xZZ, j = 09, k = 3u;
    float many[4u];
    many[0] = a + b + c + d + e + float(i + j + k);
    gl_FragColor = vec4(many[0]);
}
