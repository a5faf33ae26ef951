precision highp float;
//! t = 1
uniform float t;
float count = 0.0;
bool hit(bool r) { count += 1.0; return r; }
void main() {
    bool a = t > 2.0 && hit(true);
    bool b = t < 2.0 || hit(false);
    bool d = t < 2.0 && hit(true);
    bool e = t > 2.0 || hit(false);
    float f = t < 2.0 ? (count += 10.0) : (count += 100.0);
    gl_FragColor = vec4(count, f, float(a) + 2.0 * float(b) + 4.0 * float(d) + 8.0 * float(e), float(hit(true) ^^ hit(true)));
}
