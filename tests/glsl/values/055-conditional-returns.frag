precision highp float;
float sgn(float x) { if (x > 0.0) return 1.0; else if (x < 0.0) return -1.0; return 0.0; }
vec2 two(float x) { vec2 r = vec2(x); { r.y += 1.0; if (x > 1.0) { r *= 10.0; return r; } } r.x = -1.0; return r.yx; }
void main() { gl_FragColor = vec4(sgn(gl_FragCoord.x - 1.0), sgn(0.0), two(gl_FragCoord.y)); }
