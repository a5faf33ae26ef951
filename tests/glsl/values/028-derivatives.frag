#extension GL_OES_standard_derivatives : enable
precision highp float;
void main() {
    vec2 p = gl_FragCoord.xy * vec2(2.0, 3.0);
    gl_FragColor = vec4(dFdx(p.x), dFdy(p.y), fwidth(p.x + p.y), dFdx(p.y));
}
