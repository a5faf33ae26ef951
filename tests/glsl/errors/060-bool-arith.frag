precision mediump float;
void main() { bool b = true; b++; b = -b; float f = b + 1.0; bvec2 v = bvec2(true) && bvec2(false); }
