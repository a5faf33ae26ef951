precision highp float;
//! k = 1
struct L { sampler2D map; float scale; };
uniform L l[2];
uniform int k;
//! l[0].scale = 2
//! l[1].scale = 3
vec4 look(L x, vec2 p) { return texture2D(x.map, p * x.scale); }
void main() { gl_FragColor = vec4(look(l[k], vec2(0.25)).xy, look(l[0], vec2(0.5)).xz); }
