precision highp float;
uniform sampler2D s;
void main() {
    vec4 a = texture2DProj(s, vec3(1.0, 2.0, 4.0)), b = texture2DProj(s, vec4(1.0, 2.0, 99.0, 2.0));
    gl_FragColor = vec4(a.xy, b.xy);
}
