precision highp float;
float zero() { if (gl_FragCoord.x < 0.0) return 1.0; }
void main() {
    float a[3];
    vec2 v;
    float r = 0.0;
    for (int i = 0; i < 3; i++) { float x; r += x; x = 5.0; }
    gl_FragColor = vec4(zero(), a[1], v.y, r);
}
