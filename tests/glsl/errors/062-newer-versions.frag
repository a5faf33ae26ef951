precision mediump float;
in vec2 uv;
layout(location = 0) out vec4 color;
out vec4 other;
uniform sampler2D image;
uniform samplerCube sky;
varying vec2 at;
void main() {
    float weights[2] = float[2](0.25, 0.75);
    gl_FragColor = texture(image, at) + texture(sky, vec3(at, 1.0));
    gl_FragColor.x = saturate(at.x) + nothing_like_it(at.x);
}
