precision highp float;
//! n = 4
uniform float n;
void main() {
    float a = 0.0, i = 0.0, b = 0.0, d = 0.0;
    while (i < n) { i += 1.0; if (i == 2.0) continue; a += i; }
    do { b += 1.0; if (b > 2.5) break; } while (b < n);
    while (bool more = d < n * 2.0) { if (!more) break; d += 3.0; }
    for (;;) { if (++i > 9.0) break; }
    gl_FragColor = vec4(a, b, d, i);
}
