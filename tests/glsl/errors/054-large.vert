uniform vec4 a[70000];
struct S { vec4 a[60000]; vec4 b[60000]; };
void main() { gl_Position = a[0]; }
