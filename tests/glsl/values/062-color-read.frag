// One of the two colour variables may be read where the other is written.
precision highp float;
void main() { gl_FragData[0] = vec4(1.0, 2.0, 3.0, 4.0) + gl_FragColor; }
