precision highp float;
//! z = 0
uniform float z;
void main() {
    float never;
    gl_FragColor = vec4(atan(z, z), pow(z, z), length(normalize(vec3(z))), never);
}
