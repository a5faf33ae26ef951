#extension GL_EXT_shader_texture_lod : enable
precision highp float;
uniform sampler2D s;
uniform samplerCube c;
void main() {
    vec4 a = texture2DLodEXT(s, vec2(0.5), 3.0), b = textureCubeLodEXT(c, vec3(1.0), 2.0);
    vec4 d = texture2DGradEXT(s, vec2(0.25), vec2(1.0), vec2(2.0)), e = texture2DProjLodEXT(s, vec3(1.0, 2.0, 4.0), 5.0);
    gl_FragColor = vec4(a.w, b.w, d.x, e.w + e.x);
}
