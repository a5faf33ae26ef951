varying vec2 v;
uniform float u;
void main() { gl_FragColor = vec4(v, u, 1.0); }
