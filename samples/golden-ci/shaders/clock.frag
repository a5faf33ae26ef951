// A clock: hours is the time of day, such as 10.25 for a quarter past ten.
precision highp float;
uniform vec2 resolution;
uniform float hours;

const float TURN = 6.2831853;

vec3 wall(vec2 p) {
    return mix(vec3(0.30, 0.36, 0.40), vec3(0.20, 0.24, 0.29), smoothstep(-1.0, 1.0, p.y));
}

// 1 inside a hand of this length and half width that points at this part of a turn.
float hand(vec2 p, float part, float reach, float width) {
    vec2 toward = vec2(sin(part * TURN), cos(part * TURN));
    float along = clamp(dot(p, toward), -0.12, reach);
    float far = length(p - toward * along);
    return 1.0 - smoothstep(width - 0.012, width + 0.012, far);
}

vec3 face(vec2 p, float r) {
    vec3 color = mix(vec3(0.97, 0.96, 0.92), vec3(0.86, 0.84, 0.80), smoothstep(0.3, 0.9, r));
    for (int i = 0; i < 12; i++) {
        float angle = float(i) / 12.0 * TURN;
        vec2 mark = vec2(sin(angle), cos(angle)) * 0.76;
        float size = mod(float(i), 3.0) == 0.0 ? 0.05 : 0.025;
        color = mix(color, vec3(0.15, 0.17, 0.20), 1.0 - smoothstep(size - 0.01, size + 0.01, length(p - mark)));
    }
    color = mix(color, vec3(0.15, 0.17, 0.20), hand(p, hours / 12.0, 0.45, 0.04));
    color = mix(color, vec3(0.15, 0.17, 0.20), hand(p, fract(hours), 0.68, 0.028));
    return mix(color, vec3(0.76, 0.22, 0.17), 1.0 - smoothstep(0.05, 0.07, r));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y * 1.1;
    float r = length(p);
    if (r > 1.0) {
        gl_FragColor = vec4(wall(p), 1.0); // most pixels: they never see the marks and hands
        return;
    }
    vec3 rim = vec3(0.55, 0.42, 0.24);
    gl_FragColor = vec4(mix(face(p, r), rim, smoothstep(0.88, 0.90, r)), 1.0);
}
