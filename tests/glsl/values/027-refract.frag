precision highp float;
//! eta = 0.5
uniform float eta;
void main() {
    vec3 r = refract(vec3(0.0, -1.0, 0.0), vec3(0.0, 1.0, 0.0), eta);
    vec3 t = refract(normalize(vec3(1.0, -0.1, 0.0)), vec3(0.0, 1.0, 0.0), 2.0);
    gl_FragColor = vec4(r, length(t));
}
