precision highp float;
//! k = 1
uniform sampler2D s, arr[3];
uniform samplerCube cube;
uniform int k;
vec4 read(sampler2D t, vec2 p) { return texture2D(t, p); }
void main() {
    vec4 a = read(arr[k], vec2(0.25, 0.5)) + texture2D(s, vec2(0.125, 0.0), 1.0);
    vec4 b = textureCube(cube, vec3(1.0, 2.0, 3.0));
    gl_FragColor = vec4(a.x, a.y, b.z, a.w);
}
