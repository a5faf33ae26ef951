precision mediump float;
void main() {
    float f = (1.0 + ;
    float g = 1.0
    float h = 2.0;
    if (g > 0.0 { h = 1.0; }
    for (int i = 0 i < 3; i++) { h = bad; }
    g = 2.0;
}
