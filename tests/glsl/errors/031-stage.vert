uniform sampler2D s;
void main() { gl_Position = texture2D(s, vec2(0.0), 1.0) + vec4(gl_FragCoord) + gl_FragColor; }
