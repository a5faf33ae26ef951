/* SPDX-License-Identifier: MIT */
/*
 * vlgl render: each sample, model file or fragment-shader file named on the command
 * line becomes a PNG. Everything that can be known to be wrong beforehand (options,
 * names, two pictures for one file) is refused before anything is drawn. After that a
 * bad input is reported, the others are still drawn, and the exit status is 1.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "show.h"
#include "view.h"

#define HASH_SHORT_CHARS 16

enum input_kind { INPUT_SAMPLE, INPUT_MODEL, INPUT_SHADER };

struct input {
    enum input_kind kind;
    const struct sample *sample; /* of INPUT_SAMPLE */
    const char *name;            /* as given */
    char stem[NAME_MAX + 1];     /* of the picture's file name and of the table row */
};

struct render_options {
    struct input *inputs;
    size_t input_count;
    const char *output; /* of -o, or NULL */
    bool all;
    bool table;
    bool full_hash;
    bool opaque;
    bool no_narrow;
    bool has_time;
    float time;
    float mouse[2];
    const char *up; /* the model's axis that points up, or NULL */
    int width;
    int height;
    int frames;
    int samples;
    int view; /* enum vlgl_view, 0: the picture itself */
    float camera[3]; /* yaw and pitch in degrees, distance */
    bool has_camera, has_mouse;
    const char **settings; /* of --set */
    size_t setting_count;
};

static const char usage_text[] =
    "usage: vlgl render (NAME | FILE)... | --all  [options]\n"
    "\n"
    "NAME is a sample (vlgl list). FILE is a model (.obj .gltf .glb .ply .3ds .stl) or a\n"
    "fragment shader (.frag .glsl .fs) with the uniforms resolution (vec2, pixels),\n"
    "time (float, seconds) and mouse (vec2, 0 to 1).\n"
    "\n"
    "  -o FILE.png | DIR  where the picture goes; a folder for more than one (default: .);\n"
    "                     a name with %d or %04d gets every frame's number and picture\n"
    "  --all              every sample\n"
    "  --size WxH         size of the picture (640x480)\n"
    "  --frames N         draw N frames, 1/60 s apart; the last is the picture (1)\n"
    "  --samples 4        four samples a pixel (0: one)\n"
    "  --time T           time of the first frame in seconds (each sample has its own)\n"
    "  --mouse X,Y        the shader's mouse (0.5,0.5)\n"
    "  --up AXIS          the model's axis that points up: x y z -x -y -z (y)\n"
    "  --camera YAW,PITCH[,DISTANCE]  where a model is seen from: degrees around and above,\n"
    "                     distance in parts of what shows all of it (24.2,16.2,1)\n"
    "  --set NAME=N,N,... value of a uniform of a shader file; may come more than once\n"
    "  --view KIND        instead of the picture what each pixel cost, with a legend: overdraw,\n"
    "                     cycles, depth, mip, batches, tiles or texture-reads\n"
    "  --no-narrow        colours always as floats, never as four bytes (VLGL_NARROW=0)\n"
    "  --opaque           leave the alpha channel out of the PNG\n"
    "  --table            print triangles, fragments, milliseconds and hash of each\n"
    "  --full-hash        all 64 digits of the hash\n"
    "\n"
    "examples:\n"
    "  vlgl render phong terrain -o out/ --size 1280x960\n"
    "  vlgl render bunny.obj --camera 60,20 -o bunny.png\n"
    "  vlgl render my.frag --set speed=2.5 --time 3 -o my.png\n"
    "  vlgl render terrain --view overdraw -o overdraw.png\n";

/* ---- what is to be drawn ---- */

static bool has_extension(const char *name, const char *const *list) {
    const char *dot = strrchr(name, '.');
    if (dot == NULL || strchr(dot, '/') != NULL) {
        return false;
    }
    for (; *list != NULL; list++) {
        if (strcasecmp(dot + 1, *list) == 0) {
            return true;
        }
    }
    return false;
}

/* The file name without folders and extension. */
static void set_stem(struct input *input) {
    const char *slash = strrchr(input->name, '/');
    const char *base = slash != NULL ? slash + 1 : input->name;
    const char *dot = strrchr(base, '.');
    size_t length = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    if (length > NAME_MAX) {
        length = NAME_MAX;
    }
    memcpy(input->stem, base, length);
    input->stem[length] = '\0';
}

/* Finds out what a word of the command line names. */
static bool classify(struct input *input, const char *name) {
    static const char *const models[] = {"obj", "gltf", "glb", "ply", "3ds", "stl", NULL};
    static const char *const shaders[] = {"frag", "glsl", "fs", NULL};
    input->name = name;
    input->sample = cli_find_sample(name);
    set_stem(input);
    if (input->sample != NULL) {
        input->kind = INPUT_SAMPLE;
        return true;
    }
    if (has_extension(name, models)) {
        input->kind = INPUT_MODEL;
        return true;
    }
    if (has_extension(name, shaders)) {
        input->kind = INPUT_SHADER;
        return true;
    }
    if (access(name, F_OK) == 0) {
        app_error(
            "%s: neither a model (.obj .gltf .glb .ply .3ds .stl) nor a fragment shader "
            "(.frag .glsl .fs), going by its name",
            name);
    } else {
        app_error("%s: no sample and no file of this name; 'vlgl list' shows the samples", name);
    }
    return false;
}

static int compare_stems(const void *a, const void *b) {
    const struct input *const *x = a;
    const struct input *const *y = b;
    return strcmp((*x)->stem, (*y)->stem);
}

/* Two inputs of one stem would overwrite each other's picture. */
static bool stems_differ(const struct render_options *options) {
    bool ok = true;
    const struct input **sorted = app_alloc(options->input_count * sizeof sorted[0]);
    for (size_t i = 0; i < options->input_count; i++) {
        sorted[i] = &options->inputs[i];
    }
    qsort(sorted, options->input_count, sizeof sorted[0], compare_stems);
    for (size_t i = 1; ok && i < options->input_count; i++) {
        if (strcmp(sorted[i - 1]->stem, sorted[i]->stem) == 0) {
            app_error("%s and %s would both be drawn to %s.png", sorted[i - 1]->name,
                      sorted[i]->name, sorted[i]->stem);
            ok = false;
        }
    }
    free(sorted);
    return ok;
}

/* ---- options ---- */

static bool parse_mouse(const char *text, float mouse[2]) {
    char first[32];
    const char *comma = strchr(text, ',');
    if (comma == NULL || (size_t)(comma - text) >= sizeof first) {
        return false;
    }
    memcpy(first, text, (size_t)(comma - text));
    first[comma - text] = '\0';
    return app_parse_time(first, &mouse[0]) && app_parse_time(comma + 1, &mouse[1]);
}

/* "yaw,pitch" or "yaw,pitch,distance". */
static bool parse_camera(const char *text, float camera[3]) {
    camera[2] = 1.0f;
    for (int i = 0; i < 3; i++) {
        char number[32];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof number) {
            return false;
        }
        memcpy(number, text, length);
        number[length] = '\0';
        if (!app_parse_time(number, &camera[i])) {
            return false;
        }
        text += length;
        if (*text == '\0') {
            return i >= 1 && camera[2] > 0.0f && camera[1] >= -89.0f && camera[1] <= 89.0f;
        }
        text++;
    }
    return false;
}

/* Options without a value. */
static bool set_flag(struct render_options *options, const char *word) {
    bool *flag = strcmp(word, "--all") == 0         ? &options->all
                 : strcmp(word, "--table") == 0     ? &options->table
                 : strcmp(word, "--full-hash") == 0 ? &options->full_hash
                 : strcmp(word, "--opaque") == 0    ? &options->opaque
                 : strcmp(word, "--no-narrow") == 0 ? &options->no_narrow
                                                    : NULL;
    if (flag != NULL) {
        *flag = true;
    }
    return flag != NULL;
}

/* Options with a value: 1 taken, 0 no such option, -1 the value is bad. */
static int set_value(struct render_options *options, const char *word, const char *value) {
    bool good;
    if (strcmp(word, "-o") == 0) {
        options->output = value;
        good = value != NULL && value[0] != '\0';
    } else if (strcmp(word, "--size") == 0) {
        good = value != NULL && app_parse_size(value, &options->width, &options->height);
    } else if (strcmp(word, "--frames") == 0) {
        good = value != NULL && app_parse_int(value, 1, 1000000, &options->frames);
    } else if (strcmp(word, "--samples") == 0) {
        good = value != NULL && app_parse_int(value, 0, 4, &options->samples) && options->samples % 4 == 0;
    } else if (strcmp(word, "--time") == 0) {
        good = value != NULL && app_parse_time(value, &options->time);
        options->has_time = true;
    } else if (strcmp(word, "--up") == 0) {
        struct model none = {.part_count = 0};
        options->up = value;
        good = value != NULL && model_set_up(&none, value);
    } else if (strcmp(word, "--view") == 0) {
        options->view = value != NULL ? view_number(value) : 0;
        good = options->view > 0;
    } else if (strcmp(word, "--camera") == 0) {
        good = value != NULL && parse_camera(value, options->camera);
        options->has_camera = true;
    } else if (strcmp(word, "--set") == 0) {
        good = value != NULL && shader_setting_parse(value, NULL);
        options->settings[options->setting_count++] = value;
    } else if (strcmp(word, "--mouse") == 0) {
        good = value != NULL && parse_mouse(value, options->mouse);
        options->has_mouse = true;
    } else {
        return 0;
    }
    if (!good && value == NULL) {
        app_error("render: %s needs a value", word);
    } else if (!good) {
        app_error("render: %s does not take '%s'", word, value);
    }
    return good ? 1 : -1;
}

/* Options that no input takes would be ignored in silence. */
static bool options_apply(const struct render_options *options) {
    bool shader = false, model = false;
    for (size_t i = 0; i < options->input_count; i++) {
        shader = shader || options->inputs[i].kind == INPUT_SHADER;
        model = model || options->inputs[i].kind == INPUT_MODEL;
    }
    const char *without = options->setting_count > 0 ? "--set" : options->has_mouse ? "--mouse" : NULL;
    if (without != NULL && !shader) {
        app_error("render: %s is for shader files, and none is named", without);
        return false;
    }
    without = options->has_camera ? "--camera" : options->up != NULL ? "--up" : NULL;
    if (without != NULL && !model) {
        app_error("render: %s is for models, and none is named", without);
        return false;
    }
    return true;
}

static enum cli_status parse_options(int argc, char **argv, struct render_options *options) {
    const char **words = app_alloc((size_t)argc * sizeof words[0]);
    options->settings = app_alloc((size_t)argc * sizeof options->settings[0]);
    size_t word_count = 0;
    enum cli_status status = CLI_OK;
    for (int i = 1; status == CLI_OK && i < argc; i++) {
        if (argv[i][0] != '-') {
            words[word_count++] = argv[i];
        } else if (!set_flag(options, argv[i])) {
            int taken = set_value(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
            if (taken == 0) {
                app_error("render: no option '%s'", argv[i]);
            }
            status = taken == 1 ? CLI_OK : CLI_USAGE;
            i++;
        }
    }
    if (status == CLI_OK && word_count == 0 && !options->all) {
        app_error("render: nothing to draw: name samples or files, or say --all");
        status = CLI_USAGE;
    }
    size_t most = word_count + cli_sample_count;
    options->inputs = app_alloc(most * sizeof options->inputs[0]);
    for (size_t i = 0; status == CLI_OK && options->all && i < cli_sample_count; i++) {
        classify(&options->inputs[options->input_count++], cli_samples[i]->name);
    }
    for (size_t i = 0; status == CLI_OK && i < word_count; i++) {
        struct input *input = &options->inputs[options->input_count];
        if (!classify(input, words[i])) {
            status = CLI_FAILED;
        } else if (!options->all || input->kind != INPUT_SAMPLE) {
            options->input_count++;
        }
    }
    free(words);
    if (status == CLI_OK && (!stems_differ(options) || !options_apply(options))) {
        status = CLI_USAGE;
    }
    return status;
}

/* ---- where it goes ---- */

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* True if -o names a folder: more than one picture, a slash at the end, or it is one. */
static bool output_is_folder(const struct render_options *options) {
    const char *output = options->output;
    return output == NULL || options->input_count > 1 || options->all ||
           output[strlen(output) - 1] == '/' || is_folder(output);
}

/* Fills path; makes the folder if need be. */
static bool output_path(const struct render_options *options, const struct input *input, char *path,
                        size_t size) {
    const char *output = options->output;
    int length;
    if (!output_is_folder(options)) {
        length = snprintf(path, size, "%s", output);
    } else {
        const char *folder = output != NULL ? output : "";
        if (output != NULL && mkdir(output, 0777) != 0 && errno != EEXIST) {
            app_error("%s: cannot make this folder: %s", output, strerror(errno));
            return false;
        }
        bool slash = output != NULL && output[strlen(output) - 1] != '/';
        length = snprintf(path, size, "%s%s%s.png", folder, slash ? "/" : "", input->stem);
    }
    if (length < 0 || (size_t)length >= size) {
        app_error("%s: the picture's name is too long", input->name);
        return false;
    }
    return true;
}

/* ---- pictures of every frame ---- */

/* The place of a frame number in a name: %d or %04d, any width of one or two digits; NULL if there is none. */
static const char *number_place(const char *name, int *width, const char **after) {
    for (const char *p = strchr(name, '%'); p != NULL; p = strchr(p + 1, '%')) {
        const char *end = p + 1;
        *width = 0;
        for (int digits = 0; digits < 2 && *end >= '0' && *end <= '9'; digits++) {
            *width = *width * 10 + (*end++ - '0');
        }
        if (*end == 'd' && (end == p + 1 || p[1] == '0')) {
            *after = end + 1;
            return p;
        }
    }
    return NULL;
}

static bool wants_frames(const struct render_options *options) {
    int width;
    const char *after;
    return options->output != NULL && !output_is_folder(options) &&
           number_place(options->output, &width, &after) != NULL;
}

static bool write_frame(const struct app_job *job, int frame, const struct image *image) {
    const struct render_options *options = job->frame_data;
    struct image_error err;
    char path[PATH_MAX];
    int width;
    const char *after;
    const char *place = number_place(options->output, &width, &after);
    int length = snprintf(path, sizeof path, "%.*s%0*d%s", (int)(place - options->output),
                          options->output, width, frame, after);
    if (length < 0 || (size_t)length >= sizeof path) {
        app_error("%s: the picture's name is too long", job->name);
        return false;
    }
    if (!image_write_png(path, image, !options->opaque, &err)) {
        app_error("%s", err.text);
        return false;
    }
    if (!options->table) {
        printf("%s\n", path);
        fflush(stdout);
    }
    return true;
}

/* ---- drawing ---- */

static bool draw_input(const struct render_options *options, const struct input *input,
                       struct app_result *result) {
    struct image_error err;
    struct app_job job = {.name = input->name,
                          .width = options->width,
                          .height = options->height,
                          .samples = options->samples,
                          .frames = options->frames,
                          .show_progress = true,
                          .view = options->view,
                      .frame_done = wants_frames(options) ? write_frame : NULL,
                          .frame_data = options};
    struct shader_file shader = {.mouse = {options->mouse[0], options->mouse[1]},
                                 .settings = options->settings,
                                 .setting_count = options->setting_count,
                                 .show_progress = options->frames == 1};
    struct model_scene scene;
    memset(&scene, 0, sizeof scene);
    memcpy(scene.camera, options->camera, sizeof scene.camera);
    scene.has_camera = options->has_camera;
    bool loaded = true;
    if (input->kind == INPUT_SAMPLE) {
        job.sample = input->sample;
    } else if (input->kind == INPUT_SHADER) {
        job.sample = &sample_shader_file;
        job.data = &shader;
        loaded = shader_file_load(&shader, input->name, &err);
    } else {
        job.sample = &sample_model_file;
        job.data = &scene;
        loaded = model_load(input->name, &scene.model, &err);
        if (loaded && options->up != NULL) {
            model_set_up(&scene.model, options->up);
        }
    }
    job.time = options->has_time ? options->time : job.sample->time;
    bool drawn = loaded && app_run(&job, result);
    if (!loaded) {
        app_error("%s", err.text);
    }
    shader_file_free(&shader);
    model_free(&scene.model);
    return drawn;
}

static void print_row(const struct render_options *options, const struct input *input,
                      const struct app_result *result) {
    char hash[SHA256_HEX_CHARS + 1];
    char triangles[24] = "-";
    char fragments[24] = "-";
    image_hash(&result->image, hash);
    if (!options->full_hash) {
        hash[HASH_SHORT_CHARS] = '\0';
    }
    if (result->has_counters) {
        snprintf(triangles, sizeof triangles, "%llu", (unsigned long long)result->triangles);
        snprintf(fragments, sizeof fragments, "%llu", (unsigned long long)result->fragments);
    }
    printf("%-16s %10s %10s %9.2f  %s\n", input->stem, triangles, fragments, result->frame_ms,
           hash);
    fflush(stdout);
}

static bool render_input(const struct render_options *options, const struct input *input) {
    char path[PATH_MAX];
    struct app_result result;
    struct image_error err;
    if (!draw_input(options, input, &result)) {
        return false;
    }
    const bool written = wants_frames(options);
    bool ok = written || output_path(options, input, path, sizeof path);
    if (ok && result.figures != NULL) {
        struct image map;
        ok = view_picture(options->view, result.figures, &result.image, &map, &err);
        if (ok) {
            image_free(&result.image);
            result.image = map;
        } else {
            app_error("%s", err.text);
        }
    }
    if (ok && !written && !image_write_png(path, &result.image, !options->opaque, &err)) {
        app_error("%s", err.text);
        ok = false;
    }
    if (ok && options->table) {
        print_row(options, input, &result);
    } else if (ok && !written) {
        printf("%s\n", path);
        fflush(stdout);
    }
    image_free(&result.image);
    free(result.figures);
    return ok;
}

int cmd_render(int argc, char **argv) {
    struct render_options options = {.width = APP_DEFAULT_WIDTH,
                                     .height = APP_DEFAULT_HEIGHT,
                                     .frames = 1,
                                     .mouse = {0.5f, 0.5f}};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage_text, stdout);
            return CLI_OK;
        }
    }
    int status = parse_options(argc, argv, &options);
    if (status == CLI_OK && output_is_folder(&options) && options.output != NULL &&
        access(options.output, F_OK) == 0 && !is_folder(options.output)) {
        app_error("%s: not a folder, as -o needs for more than one picture", options.output);
        status = CLI_FAILED;
    }
    bool refused = status != CLI_OK; /* then nothing is drawn at all */
    if (options.no_narrow) {
        setenv("VLGL_NARROW", "0", 1);
    }
    if (!refused && options.table) {
        printf("%-16s %10s %10s %9s  %s\n", "sample", "triangles", "fragments", "ms", "hash");
        fflush(stdout);
    }
    for (size_t i = 0; !refused && i < options.input_count; i++) {
        if (!render_input(&options, &options.inputs[i])) {
            status = CLI_FAILED;
        }
    }
    free(options.inputs);
    free(options.settings);
    return status;
}
