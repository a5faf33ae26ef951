precision mediump float;
struct S { float a; float a; };
struct T { struct U { float a; } u; };
struct V { };
struct W { float x; } w;
void main() { w.y = 1.0; w.x = 2.0; W v = W(1.0); X z; }
