precision mediump float;
void main() {
    for (int i = 0; i < 2; i++) { }
    i = 1;
    { float b = 1.0; }
    b = 2.0;
    for (int j = 0; j < 2; j++) { int j; }
}
