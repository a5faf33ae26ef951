precision highp float;
#define SQUARE(x) ((x) * (x))
#define JOIN a \
  + b
#ifdef GL_ES
#define ONE 1.0
#else
#error not ES
#endif
#if __VERSION__ == 100 && defined(GL_FRAGMENT_PRECISION_HIGH)
#define TWO 2.0
#endif
void main() { float a = SQUARE(TWO + ONE), b = 1.0; gl_FragColor = vec4(a, JOIN, float(__LINE__), ONE); }
