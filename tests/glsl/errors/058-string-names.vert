void main() { gl_Position = undefined; }
