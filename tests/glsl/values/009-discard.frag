precision highp float;
void main() {
    if (gl_FragCoord.x < 1.0 && gl_FragCoord.y > 1.0) discard;
    gl_FragColor = vec4(gl_FragCoord.xy, 0.0, 1.0);
}
