void main() { discard; }
