/* SPDX-License-Identifier: MIT */
/*
 * The shaders of Debian's glmark2-data as workloads: each pair draws a sphere, or the whole picture, with the package's
 * textures. The texts are read where the package put them; the few lines that glmark2 itself puts in front of them or
 * in place of $NAME$ are written here anew. Uniforms are set by name where it matters, else by type.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/mat4.h"
#include "../common/mesh.h"
#include "sim_workload.h"

#define FOLDER "/usr/share/glmark2/"
#define TEXT_LIMIT ((size_t)1 << 20)

static const struct sim_pair pairs[] = {
    {"light-basic", "light-basic", "light-basic", false},
    {"light-basic-tex", "light-basic-texgen", "light-basic-tex", false},
    {"light-basic-tex-bilinear", "light-basic-texgen", "light-basic-tex-bilinear", false},
    {"light-cel", "light-basic", "light-cel", false},
    {"light-advanced", "light-advanced", "light-advanced", false},
    {"light-refract", "light-refract", "light-refract", false},
    {"bump-normals", "bump-normals", "bump-normals", false},
    {"bump-normals-tangent", "bump-normals-tangent", "bump-normals-tangent", false},
    {"bump-height", "bump-height", "bump-height", false},
    {"bump-poly", "bump-poly", "bump-poly", false},
    {"shadow", "shadow", "shadow", false},
    {"jellyfish", "jellyfish", "jellyfish", false},
    {"terrain", "terrain", "terrain", false},
    {"terrain-noise", "terrain-texture", "terrain-noise", true},
    {"terrain-normalmap", "terrain-texture", "terrain-normalmap", true},
    {"terrain-luminance", "terrain-texture", "terrain-luminance", true},
    {"terrain-blur", "effect-2d", "desktop-blur", true},
    {"effect-2d-convolution", "effect-2d", "effect-2d-convolution", true},
    {"ideas-lamp-lit", "ideas-lamp-lit", "ideas-lamp-lit", false},
    {"ideas-logo", "ideas-logo", "ideas-logo", false},
    {"ideas-table", "ideas-table", "ideas-table", false},
    {"gradient", "gradient", "gradient", true},
    {"depth", "depth", "depth", false},
    {"buffer-wireframe", "buffer-wireframe", "buffer-wireframe", false},
};

static const char *const texture_files[] = {
    "textures/crate-base.png", "textures/asteroid-normal-map.png", "textures/asteroid-height-map.png",
    "textures/jellyfish256.png", "textures/nasa1.png", "textures/effect-2d.png",
};
#define TEXTURES (sizeof texture_files / sizeof texture_files[0])

const struct sim_pair *sim_glmark_pairs(unsigned *count) {
    *count = sizeof pairs / sizeof pairs[0];
    return pairs;
}

bool sim_glmark_present(void) {
    FILE *f = fopen(FOLDER "shaders/light-basic.vert", "rb");
    if (f != NULL) {
        fclose(f);
    }
    return f != NULL;
}

/* ---- Texts ---- */

/* Nine taps around the place, as many as a 3x3 kernel has. */
static const char taps[] =
    "result = vec4(0.0);\n"
    "for (int sim_y = -1; sim_y <= 1; sim_y++) {\n"
    "for (int sim_x = -1; sim_x <= 1; sim_x++) {\n"
    "result += texture2D(Texture0, TextureCoord + vec2(float(sim_x), float(sim_y)) * 0.004) * 0.1111; } }\n";

/* Constants that glmark2 puts in front of a shader, for those that use the name without declaring it. */
static const struct {
    const char *name, *line;
} constants[] = {
    {"LightSourcePosition", "const vec4 LightSourcePosition = vec4(20.0, 20.0, 10.0, 1.0);\n"},
    {"LightSourceHalfVector", "const vec3 LightSourceHalfVector = vec3(0.41, 0.41, 0.82);\n"},
    {"MaterialDiffuse", "const vec4 MaterialDiffuse = vec4(0.7, 0.6, 0.8, 1.0);\n"},
    {"TextureStepX", "const float TextureStepX = 0.004;\n"},
    {"TextureStepY", "const float TextureStepY = 0.004;\n"},
    {"CenterX", "const float CenterX = 0.0;\n"},
    {"CenterY", "const float CenterY = 0.0;\n"},
};

/* True if the text declares the name as a uniform, constant or varying of its own. */
static bool declares(const char *text, const char *name) {
    static const char *const words[] = {"uniform ", "const ", "varying ", "attribute "};
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        const char *line = at;
        while (line > text && line[-1] != '\n') {
            line--;
        }
        line += strspn(line, " \t");
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strncmp(line, words[i], strlen(words[i])) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The text of a shader as it is compiled; NULL if there is none. */
static char *shader_text(const char *name, const char *extension) {
    char path[200];
    size_t size = 0;
    struct image_error err;
    snprintf(path, sizeof path, FOLDER "shaders/%s.%s", name, extension);
    char *text = (char *)image_read_file(path, TEXT_LIMIT, &size, &err);
    if (text == NULL) {
        return NULL;
    }
    char *out = app_alloc(size + sizeof taps + 2000);
    strcpy(out, "precision highp float;\n#define MEDIUMP_OR_DEFAULT mediump\n#define HIGHP_OR_DEFAULT highp\n");
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (strstr(text, constants[i].name) != NULL && !declares(text, constants[i].name)) {
            strcat(out, constants[i].line);
        }
    }
    char *hole = strstr(text, "$CONVOLUTION$");
    if (hole != NULL) {
        strncat(out, text, (size_t)(hole - text));
        strcat(out, taps);
        strcat(out, hole + strlen("$CONVOLUTION$"));
    } else {
        strcat(out, text);
    }
    free(text);
    return out;
}

static GLuint compile(GLenum type, const char *text) {
    GLint good = GL_FALSE;
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        glDeleteShader(shader);
        return 0;
    }
    return shader;
}

static GLuint link(const struct sim_pair *pair) {
    static const char *const names[][2] = {{"position", "0"}, {"normal", "1"}, {"tangent", "2"}, {"texcoord", "3"}};
    char *vertex_text = shader_text(pair->vertex, "vert"), *fragment_text = shader_text(pair->fragment, "frag");
    GLuint vertex = vertex_text != NULL ? compile(GL_VERTEX_SHADER, vertex_text) : 0;
    GLuint fragment = fragment_text != NULL ? compile(GL_FRAGMENT_SHADER, fragment_text) : 0;
    GLuint program = 0;
    GLint good = GL_FALSE;
    if (vertex != 0 && fragment != 0) {
        program = glCreateProgram();
        glAttachShader(program, vertex);
        glAttachShader(program, fragment);
        for (unsigned i = 0; i < 4; i++) {
            glBindAttribLocation(program, i, names[i][0]);
        }
        glBindAttribLocation(program, MESH_UV, "uvIn");
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
    }
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    free(vertex_text);
    free(fragment_text);
    if (!good) {
        glDeleteProgram(program);
        return 0;
    }
    return program;
}

/* ---- Uniforms ---- */

struct matrices {
    struct mat4 whole, view, normal;
};

static struct matrices make_matrices(void) {
    struct matrices m;
    m.view = mat4_mul(mat4_look_at(vec3_make(0.0f, 0.6f, 3.0f), vec3_make(0, 0, 0), vec3_make(0, 1, 0)),
                      mat4_rotate(0.6f, vec3_make(0, 1, 0)));
    m.whole = mat4_mul(mat4_perspective(0.8f, 4.0f / 3.0f, 0.5f, 20.0f), m.view);
    m.normal = m.view;
    m.normal.m[12] = m.normal.m[13] = m.normal.m[14] = 0.0f;
    return m;
}

static void set_vector(GLint location, GLenum type, const char *name) {
    bool light = strstr(name, "ight") != NULL || strstr(name, "osition") != NULL;
    const float v[4] = {light ? 3.0f : 0.6f, light ? 4.0f : 0.7f, light ? 5.0f : 0.8f, 1.0f};
    switch (type) {
    case GL_FLOAT: glUniform1f(location, 0.5f); break;
    case GL_FLOAT_VEC2: glUniform2fv(location, 1, v); break;
    case GL_FLOAT_VEC3: glUniform3fv(location, 1, v); break;
    case GL_FLOAT_VEC4: glUniform4fv(location, 1, v); break;
    case GL_INT: glUniform1i(location, 1); break;
    default: break;
    }
}

static void set_uniforms(GLuint program) {
    const struct matrices m = make_matrices();
    GLint count = 0;
    GLint unit = 0;
    glUseProgram(program);
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; i < count; i++) {
        char name[128];
        GLint size = 0;
        GLenum type = 0;
        glGetActiveUniform(program, (GLuint)i, sizeof name, NULL, &size, &type, name);
        GLint location = glGetUniformLocation(program, name);
        if (type == GL_FLOAT_MAT4) {
            const struct mat4 *which = strstr(name, "rojection") != NULL || strstr(name, "MVP") != NULL ? &m.whole
                                       : strstr(name, "ormal") != NULL                                ? &m.normal
                                                                                                       : &m.view;
            glUniformMatrix4fv(location, 1, GL_FALSE, which->m);
        } else if (type == GL_FLOAT_MAT3) {
            const float *n = m.normal.m;
            const float three[9] = {n[0], n[1], n[2], n[4], n[5], n[6], n[8], n[9], n[10]};
            glUniformMatrix3fv(location, 1, GL_FALSE, three);
        } else if (type == GL_SAMPLER_2D || type == GL_SAMPLER_CUBE) {
            glUniform1i(location, unit++ % (GLint)TEXTURES);
        } else {
            set_vector(location, type, name);
        }
    }
}

/* ---- The scene ---- */

struct scene {
    GLuint program, textures[TEXTURES];
    struct shape sphere;
};

static struct scene scene; /* of the one workload that is drawn */

static bool init(struct app *app) {
    const struct sim_pair *pair = app->data;
    memset(&scene, 0, sizeof scene);
    scene.program = link(pair);
    if (scene.program == 0) {
        return false;
    }
    glGenTextures((GLsizei)TEXTURES, scene.textures);
    for (unsigned i = 0; i < TEXTURES; i++) {
        char path[200];
        struct image img;
        struct image_error err;
        snprintf(path, sizeof path, FOLDER "%s", texture_files[i]);
        if (!image_read(path, &img, &err)) {
            continue;
        }
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D, scene.textures[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, img.width, img.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, img.pixels);
        bool powers = (img.width & (img.width - 1)) == 0 && (img.height & (img.height - 1)) == 0;
        if (powers) {
            glGenerateMipmap(GL_TEXTURE_2D);
        }
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, powers ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, powers ? GL_REPEAT : GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, powers ? GL_REPEAT : GL_CLAMP_TO_EDGE);
        image_free(&img);
    }
    if (!pair->screen) {
        scene.sphere = shape_create(mesh_sphere(96, 64));
    }
    return true;
}

static void draw(struct app *app, int frame, float time) {
    const struct sim_pair *pair = app->data;
    (void)frame;
    (void)time;
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    set_uniforms(scene.program);
    if (pair->screen) {
        app_draw_screen();
    } else {
        shape_draw(&scene.sphere);
    }
}

static void fini(struct app *app) {
    (void)app;
    shape_delete(&scene.sphere);
    glDeleteTextures((GLsizei)TEXTURES, scene.textures);
    glDeleteProgram(scene.program);
    memset(&scene, 0, sizeof scene);
}

const struct sample sim_glmark_sample = {"glmark2", "shaders of glmark2-data", 0.0f, init, draw, fini};
