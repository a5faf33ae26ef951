#extension GL_VLGL_fp64 : enable
attribute double a;
precision highp double;
void main() {
    gl_Position = vec4(1.0);
}
