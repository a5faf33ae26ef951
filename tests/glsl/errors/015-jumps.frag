precision mediump float;
void main() {
    break;
    continue;
    return 1.0;
}
