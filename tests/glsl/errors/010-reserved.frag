precision mediump float;
void main() {
    float gl_x = 1.0;
    float a__b = 1.0;
    int switch = 1;
}
