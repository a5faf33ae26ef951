#extension GL_EXT_shader_framebuffer_fetch : enable
highp vec4 gl_LastFragData[gl_MaxDrawBuffers];
precision highp float;
void main() { gl_FragData[0] = gl_LastFragData[0] + vec4(1.0, 2.0, 3.0, 4.0); }
