precision mediump float;
int main(int x) { return 1; }
