precision highp float;
// A dead invocation leaves every loop.
//! one = 1
uniform float one;
void main() {
    float i = 0.0;
    while (true) {
        if (gl_FragCoord.x < 1.0) discard;
        i += one;
        if (i > 3.0) break;
    }
    for (float x = 0.0; x < 1.0; x += gl_FragCoord.x - 0.5) i += 1.0;
    gl_FragColor = vec4(i);
}
