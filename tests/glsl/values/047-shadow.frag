#extension GL_EXT_shadow_samplers : enable
precision highp float;
uniform highp sampler2DShadow s;
void main() { gl_FragColor = vec4(shadow2DEXT(s, vec3(0.25, 0.5, 0.75)), shadow2DProjEXT(s, vec4(1.0, 2.0, 3.0, 4.0)), 0.0, 0.0); }
