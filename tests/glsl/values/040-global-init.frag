precision highp float;
const float k = 2.0;
float a = k * 3.0;
vec2 b = vec2(k > 0.0 ? 1.0 : 2.0, 4.0);
mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
void main() { gl_FragColor = vec4(a, b, m[1][0]); }
