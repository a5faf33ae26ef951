precision mediump float;
void main() {
    const int n = 2;
    int k = 3;
    float a[n - 2], b[k], c[1.0], d[-1], e[], g[2][2];
}
