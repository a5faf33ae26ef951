precision highp float;
void main() {
    vec4 a = vec4(1.0, 2.0, 3.0, 4.0), r = vec4(0.0);
    a.wzyx.yz.y = 9.0;
    r.x = r.y = 7.0;
    gl_FragColor = vec4(a.xyz, r.x + r.y);
}
