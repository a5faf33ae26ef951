attribute vec4 p;
//! p = 1 2 3 4
varying vec3 v;
void main() { gl_PointSize = p.x; v = p.xyz; gl_Position = p; gl_Position.w += v.y; }
