uniform sampler2D s;
void main() { gl_Position = texture2D(s, vec2(0.5, 0.25)) + texture2DLod(s, vec2(0.25), 2.0); }
