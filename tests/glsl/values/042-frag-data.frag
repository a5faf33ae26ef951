precision highp float;
void main() { int i = int(gl_FragCoord.x) - int(gl_FragCoord.x); gl_FragData[i] = vec4(1.0, 2.0, 3.0, 4.0); gl_FragData[0].y = 5.0; }
