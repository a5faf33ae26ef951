in vec4 position;
out vec2 uv;
void main() {
    gl_Position = vec4(round(1.0));
}
