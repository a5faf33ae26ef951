precision mediump float;
void main() {
    int a = 1 % 2;
    a = a << 1;
    a |= 2;
    a = ~a;
}
