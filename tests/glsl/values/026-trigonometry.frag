precision highp float;
//! h = 0.5
uniform float h;
float near(float a, float b) { return abs(a - b) < 0.00001 ? 1.0 : 0.0; }
void main() {
    float p = 3.14159265;
    gl_FragColor = vec4(near(sin(h), 0.47942554) + near(cos(h), 0.87758256) + near(tan(h), 0.54630249),
        near(asin(h), 0.52359878) + near(acos(-h), 2.0943951) + near(atan(h), 0.46364761) + near(asin(-0.9), -1.1197695),
        near(atan(h, -1.0), 2.6779450) + near(atan(-1.0, -h), -2.0344439) + near(atan(1.0, 0.0), p / 2.0) + near(atan(-5.0), -1.3734008),
        near(radians(90.0 * h), p / 4.0) + near(degrees(p) / 180.0, 1.0) + near(exp(h), 1.6487213) + near(log(h), -0.69314718) + near(pow(h, 3.0), 0.125) + near(inversesqrt(h), 1.4142136));
}
