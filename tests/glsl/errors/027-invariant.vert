uniform float u;
invariant u;
invariant uniform float w;
void main() { gl_Position = vec4(1.0); invariant gl_PointSize; }
invariant gl_Position;
