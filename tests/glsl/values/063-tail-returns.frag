// A function without 'return' gives zero, whatever it calls; a result is taken before out parameters go back.
precision highp float;
float one() { return 1.0; }
float nothing() { one(); }
float early(float x) { if (x > 0.0) { x = one() * 5.0; } return x + nothing(); }
float both(inout float x) { float y = x; x = 100.0; return y + x; }
vec2 loop(float n) { vec2 s = vec2(0.0); for (float i = 0.0; i < n; i++) { s += vec2(i, one()); } return s; }
void main() {
    float a = 1.0;
    float b = both(a) + a;
    gl_FragColor = vec4(nothing(), early(2.0) + early(-1.0), b, loop(4.0).x + loop(3.0).y);
}
