precision highp float;
void f(out float a, inout float b, in float c) { a = b + c; b = a * 2.0; c = 100.0; }
void swap(inout vec2 a, inout vec2 b) { vec2 t = a; a = b; b = t; }
void main() {
    float x = 1.0, y = 2.0;
    f(x, y, y);
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    swap(v.xy, v.wz);
    float w = 5.0;
    f(w, w, 1.0);
    gl_FragColor = vec4(x, y, v.x * 10.0 + v.y, v.z * 10.0 + v.w);
}
