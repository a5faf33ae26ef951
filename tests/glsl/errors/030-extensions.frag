precision mediump float;
uniform sampler2D s;
void main() {
    float f = dFdx(1.0);
    gl_FragDepthEXT = 1.0;
    vec4 c = texture2DLodEXT(s, vec2(0.0), 1.0);
    sampler3D t;
}
