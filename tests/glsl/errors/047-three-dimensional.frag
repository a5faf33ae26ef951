#extension GL_OES_texture_3D : require
precision mediump float;
uniform lowp sampler3D s;
void main() { gl_FragColor = texture3D(s, vec3(0.5)); }
