precision highp float;
//! gl_DepthRange.near = 0.25
//! gl_DepthRange.far = 0.75
//! gl_DepthRange.diff = 0.5
void main() { gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, float(gl_MaxVertexAttribs)); }
