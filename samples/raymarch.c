/* SPDX-License-Identifier: MIT */
/*
 * A whole scene in one fragment shader: rays step through a distance field (a melting
 * pile of balls, a ring, a rippled floor), with soft shadows, darkened corners and a
 * sky of hash noise. Only one triangle is drawn. The noise hashes small whole numbers
 * with fract and multiply, so rounding cannot change it.
 */
#include "common/app.h"
#include "common/smath.h"

static const char vertex_text[] =
    "attribute vec2 position;\n"
    "uniform float aspect;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "    place = position * vec2(aspect, 1.0);\n"
    "    gl_Position = vec4(position, 0.0, 1.0);\n"
    "}\n";

static const char fragment_text[] =
    "precision highp float;\n"
    "uniform float time;\n"
    "uniform vec3 eye;\n"
    "uniform mat3 view;\n"
    "varying vec2 place;\n"
    "const vec3 sun = vec3(-0.6109, 0.6211, 0.4908);\n"
    "\n"
    /* The cells are whole numbers, so the products below are the same in any library to a */
    /* few units in the last place, and the result is continuous in them. */
    "float hash(vec2 cell) {\n"
    "    vec2 p = fract(cell * vec2(0.1031, 0.1137));\n"
    "    p += dot(p, p.yx + 19.19);\n"
    "    return fract((p.x + p.y) * p.x * 0.37);\n"
    "}\n"
    "float noise(vec2 p) {\n"
    "    vec2 cell = floor(p);\n"
    "    vec2 f = p - cell;\n"
    "    f = f * f * (3.0 - 2.0 * f);\n"
    "    float low = mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x);\n"
    "    float high = mix(hash(cell + vec2(0.0, 1.0)), hash(cell + vec2(1.0, 1.0)), f.x);\n"
    "    return mix(low, high, f.y);\n"
    "}\n"
    "float clouds(vec2 p) {\n"
    "    float sum = 0.0;\n"
    "    float weight = 0.5;\n"
    "    for (int i = 0; i < 5; i++) {\n"
    "        sum += weight * noise(p);\n"
    "        p = p * 2.0 + vec2(17.0, 9.0);\n"
    "        weight *= 0.5;\n"
    "    }\n"
    "    return sum;\n"
    "}\n"
    "vec3 sky(vec3 ray) {\n"
    "    float up = max(ray.y, 0.0);\n"
    "    vec3 color = mix(vec3(0.80, 0.78, 0.76), vec3(0.22, 0.42, 0.72), sqrt(up));\n"
    "    float toward = max(dot(ray, sun), 0.0);\n"
    "    color += vec3(0.35, 0.22, 0.08) * toward * toward * toward * toward;\n"
    "    vec2 at = ray.xz / (up + 0.18) * 1.7 + vec2(40.0 + time * 0.1, 60.0);\n"
    "    float cover = smoothstep(0.42, 0.75, clouds(at)) * smoothstep(0.0, 0.22, up);\n"
    "    return mix(color, vec3(1.0, 0.97, 0.93), 0.8 * cover);\n"
    "}\n"
    "\n"
    "float melt(float a, float b, float k) {\n"
    "    float h = clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0);\n"
    "    return mix(b, a, h) - k * h * (1.0 - h);\n"
    "}\n"
    "float balls(vec3 p) {\n"
    "    float s = sin(time);\n"
    "    float c = cos(time);\n"
    "    float d = length(p - vec3(0.0, 0.62, 0.0)) - 0.62;\n"
    "    d = melt(d, length(p - vec3(0.75 * c, 0.85 + 0.2 * s, 0.75 * s)) - 0.40, 0.35);\n"
    "    d = melt(d, length(p - vec3(-0.70 * c, 1.25, -0.60 * s)) - 0.34, 0.35);\n"
    "    return melt(d, length(p - vec3(-0.55 * s, 0.45, 0.85 * c)) - 0.36, 0.30);\n"
    "}\n"
    "float ring(vec3 p) {\n"
    "    p -= vec3(0.0, 0.24, 0.0);\n"
    "    return length(vec2(length(p.xz) - 1.75, p.y)) - 0.22;\n"
    "}\n"
    "float ground(vec3 p) {\n"
    "    float r = length(p.xz);\n"
    "    return p.y + 0.035 * sin(r * 4.5 - time * 2.0) * exp(-0.16 * r);\n"
    "}\n"
    "float field(vec3 p) {\n"
    "    return min(min(balls(p), ring(p)), ground(p));\n"
    "}\n"
    "vec3 slope(vec3 p) {\n"
    "    vec2 e = vec2(0.004, 0.0);\n"
    "    return normalize(vec3(field(p + e.xyy) - field(p - e.xyy),\n"
    "                          field(p + e.yxy) - field(p - e.yxy),\n"
    "                          field(p + e.yyx) - field(p - e.yyx)));\n"
    "}\n"
    "float march(vec3 from, vec3 ray) {\n"
    "    float t = 0.0;\n"
    "    for (int i = 0; i < 110; i++) {\n"
    "        float d = field(from + ray * t);\n"
    "        if (d < 0.0004 * t || t > 40.0) {\n"
    "            break;\n"
    "        }\n"
    "        t += d * 0.9;\n"
    "    }\n"
    "    return t;\n"
    "}\n"
    "float sunlight(vec3 from) {\n"
    "    float light = 1.0;\n"
    "    float t = 0.05;\n"
    "    for (int i = 0; i < 36; i++) {\n"
    "        float d = field(from + sun * t);\n"
    "        light = min(light, 0.5 + 4.0 * d / t);\n"
    "        if (light < 0.0 || t > 6.0) {\n"
    "            break;\n"
    "        }\n"
    "        t += clamp(d, 0.04, 0.25);\n"
    "    }\n"
    "    light = clamp(light, 0.0, 1.0);\n"
    "    return light * light * (3.0 - 2.0 * light);\n"
    "}\n"
    "float openness(vec3 p, vec3 n) {\n"
    "    float closed = 0.0;\n"
    "    float weight = 1.0;\n"
    "    for (int i = 1; i <= 4; i++) {\n"
    "        float h = 0.11 * float(i);\n"
    "        closed += weight * max(h - field(p + n * h), 0.0);\n"
    "        weight *= 0.6;\n"
    "    }\n"
    "    return clamp(1.0 - 1.5 * closed, 0.0, 1.0);\n"
    "}\n"
    "vec3 surface(vec3 p) {\n"
    "    float a = max(balls(p), 0.0);\n"
    "    float b = max(ring(p), 0.0);\n"
    "    float c = max(ground(p), 0.0);\n"
    "    vec3 warm = mix(vec3(0.90, 0.36, 0.16), vec3(0.95, 0.72, 0.26),\n"
    "                    smoothstep(0.2, 1.5, p.y));\n"
    "    float grain = clouds(p.xz * 1.5 + 30.0);\n"
    "    vec3 stone = mix(vec3(0.34, 0.40, 0.42), vec3(0.62, 0.60, 0.55), grain);\n"
    "    vec3 color = mix(warm, vec3(0.16, 0.48, 0.52), smoothstep(-0.01, 0.01, a - b));\n"
    "    float rings = 0.5 + 0.5 * sin(length(p.xz) * 7.0);\n"
    "    stone *= 0.80 + 0.28 * rings * exp(-0.12 * length(p.xz));\n"
    "    return mix(color, stone, smoothstep(-0.01, 0.01, min(a, b) - c));\n"
    "}\n"
    "void main() {\n"
    "    vec3 ray = normalize(view * vec3(place * 0.42, -1.0));\n"
    "    float t = march(eye, ray);\n"
    "    vec3 color = sky(ray);\n"
    "    if (t < 40.0) {\n"
    "        vec3 p = eye + ray * t;\n"
    "        vec3 n = slope(p);\n"
    "        float light = max(dot(n, sun), 0.0) * sunlight(p + n * 0.01);\n"
    "        float open = openness(p, n);\n"
    "        vec3 ambient = mix(vec3(0.20, 0.18, 0.17), vec3(0.36, 0.42, 0.50),\n"
    "                           n.y * 0.5 + 0.5);\n"
    "        vec3 lit = surface(p) * (ambient * open + vec3(1.0, 0.88, 0.70) * light);\n"
    "        vec3 half_way = normalize(sun - ray);\n"
    "        lit += 0.30 * light * pow(max(dot(n, half_way), 0.0), 24.0);\n"
    "        color = mix(vec3(0.80, 0.78, 0.76), lit, exp(-0.0042 * t * t));\n"
    "    }\n"
    "    gl_FragColor = vec4(color, 1.0);\n"
    "}\n";

static GLuint program;

static bool raymarch_init(struct app *app) {
    program = app_program(app, vertex_text, fragment_text);
    return program != 0;
}

static void raymarch_draw(struct app *app, int frame, float time) {
    (void)frame;
    /* The camera circles slowly and looks down a little. */
    float turn = 0.45f + time * 0.15f;
    float s = sm_sin(turn);
    float c = sm_cos(turn);
    float down = sm_sin(0.24f);
    float level = sm_cos(0.24f);
    const GLfloat view[9] = {c, 0.0f, -s, -s * down, level, -c * down, s * level, down, c * level};
    const GLfloat eye[3] = {s * 6.0f, 2.05f, c * 6.0f};
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "aspect"), (float)app->width / (float)app->height);
    glUniform1f(glGetUniformLocation(program, "time"), time);
    glUniform3fv(glGetUniformLocation(program, "eye"), 1, eye);
    glUniformMatrix3fv(glGetUniformLocation(program, "view"), 1, GL_FALSE, view);
    app_draw_screen();
}

static void raymarch_fini(struct app *app) {
    (void)app;
    glDeleteProgram(program);
}

const struct sample sample_raymarch = {
    .name = "raymarch",
    .summary = "melting balls, soft shadows and noise clouds, all in one fragment shader",
    .time = 0.7f,
    .init = raymarch_init,
    .draw = raymarch_draw,
    .fini = raymarch_fini,
};
