/* SPDX-License-Identifier: MIT */
/*
 * vlgl trace: renders a scene in a process of its own under VLGL_TRACE and tells what its file says: as
 * text, as JSON or as a page to step through. Or shows a file that another program's VLGL_TRACE wrote.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/json.h"
#include "../common/textbuf.h"
#include "cli.h"
#include "page.h"
#include "tree.h"

#define TRACE_LIMIT_BYTES ((size_t)1 << 30)

static const char usage_text[] =
    "usage: vlgl trace SCENE --pixel X,Y | --vertex N  [options]\n"
    "       vlgl trace FILE.json [options]\n"
    "\n"
    "Tells why a pixel is as it is: each draw that reached it, the triangle, what the depth and\n"
    "stencil tests decided, blending, and the shader step by step: source line, instruction,\n"
    "registers, texture reads. SCENE is what vlgl render takes; Y counts from the top. FILE.json is\n"
    "what VLGL_TRACE=FRAME,X,Y (or FRAME,vN) of any program wrote to VLGL_TRACE_FILE.\n"
    "\n"
    "  --pixel X,Y     trace this pixel\n"
    "  --vertex N      trace vertex N of every draw instead\n"
    "  --frame N       in frame N (0)\n"
    "  --steps         print the steps of the shaders\n"
    "  --json FILE     write the trace (- for standard output)\n"
    "  --html FILE     write a page in which one steps forward and back\n"
    "  --size --time --frames --samples --set --mouse --camera --up   as in vlgl render\n"
    "\n"
    "examples:\n"
    "  vlgl trace phong --pixel 320,200\n"
    "  vlgl trace my.frag --pixel 10,10 --html why.html\n"
    "  vlgl trace terrain --vertex 5 --steps\n"
    "  VLGL_TRACE=2,100,80 ./my_program && vlgl trace vlgl-trace.json --html why.html\n";

struct trace_options {
    const char *scene;
    const char *pixel, *vertex, *frame;
    const char *json, *html;
    const char **render; /* words for `vlgl render` */
    size_t render_count;
    bool steps;
};

/* ---- options ---- */

static bool is_pixel(const char *text) {
    char first[16];
    const size_t length = strcspn(text, ",");
    int x;
    int y;
    if (text[length] != ',' || length == 0 || length >= sizeof first) {
        return false;
    }
    memcpy(first, text, length);
    first[length] = '\0';
    return app_parse_int(first, 0, APP_MAX_SIDE - 1, &x) && app_parse_int(text + length + 1, 0, APP_MAX_SIDE - 1, &y);
}

static bool set_value(struct trace_options *options, const char *word, const char *value) {
    static const char *const passed[] = {"--size", "--time", "--frames", "--samples", "--set", "--mouse", "--camera", "--up"};
    const struct {
        const char *word;
        const char **place;
    } rows[] = {{"--pixel", &options->pixel}, {"--vertex", &options->vertex}, {"--frame", &options->frame},
                {"--json", &options->json},   {"--html", &options->html}};
    int number;
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        if (strcmp(word, passed[i]) == 0 && value != NULL) {
            options->render[options->render_count++] = word;
            options->render[options->render_count++] = value;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(word, rows[i].word) != 0) {
            continue;
        }
        const bool good = value != NULL && value[0] != '\0' && (i != 0 || is_pixel(value)) &&
                          (i == 0 || i > 2 || app_parse_int(value, 0, INT_MAX - 1, &number));
        if (value == NULL) {
            app_error("trace: %s needs a value", word);
        } else if (!good) {
            app_error("trace: %s does not take '%s'", word, value);
        }
        *rows[i].place = value;
        return good;
    }
    app_error("trace: no option '%s'", word);
    return false;
}

static bool parse_options(int argc, char **argv, struct trace_options *options) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--steps") == 0) {
            options->steps = true;
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            if (!set_value(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) {
                return false;
            }
            i++;
        } else if (options->scene != NULL) {
            app_error("trace: one scene, not more: '%s'", argv[i]);
            return false;
        } else {
            options->scene = argv[i];
        }
    }
    static const char *const files[] = {"json", NULL};
    const bool is_file = options->scene != NULL && tree_has_extension(options->scene, files);
    if (options->scene == NULL) {
        app_error("trace: a scene is needed, or a file of a trace");
    } else if (!is_file && (options->pixel == NULL) == (options->vertex == NULL)) {
        app_error("trace: --pixel X,Y or --vertex N is needed");
        return false;
    }
    return options->scene != NULL;
}

/* ---- the process ---- */

/* Renders the scene with a trace to `trace`. False after its message. */
static bool run_scene(const struct trace_options *options, const char *folder, const char *trace) {
    char self[PATH_MAX];
    char what[96];
    char *picture = tree_join(folder, "picture.png");
    const char **words = app_alloc((options->render_count + 8) * sizeof words[0]);
    size_t used = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    words[used++] = self;
    words[used++] = "render";
    words[used++] = options->scene;
    words[used++] = "-o";
    words[used++] = picture;
    for (size_t i = 0; i < options->render_count; i++) {
        words[used++] = options->render[i];
    }
    snprintf(what, sizeof what, "%s,%s%s", options->frame != NULL ? options->frame : "0",
             options->vertex != NULL ? "v" : "", options->vertex != NULL ? options->vertex : options->pixel);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        if (nothing < 0 || dup2(nothing, 1) < 0 || setenv("VLGL_TRACE", what, 1) != 0 ||
            setenv("VLGL_TRACE_FILE", trace, 1) != 0) {
            _exit(127);
        }
        unsetenv("VLGL_PROFILE");
        execv(self, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status = -1;
    if (pid > 0) {
        waitpid(pid, &status, 0);
    }
    unlink(picture);
    free(picture);
    free(words);
    if (pid < 0 || !WIFEXITED(status)) {
        app_error("trace: the scene's process did not come to its end");
        return false;
    }
    return WEXITSTATUS(status) == 0;
}

/* ---- text ---- */

static void add_values(struct textbuf *out, const struct json *list) {
    for (const struct json *v = list != NULL ? list->first : NULL; v != NULL; v = v->next) {
        if (v->kind == JSON_STRING) {
            textbuf_addf(out, " %s", v->text);
        } else {
            textbuf_addf(out, " %.6g", v->number);
        }
    }
}

static void add_pixel(struct textbuf *out, const struct json *pixel) {
    const struct json *depth = json_get(pixel, "depth");
    const struct json *stencil = json_get(pixel, "stencil");
    add_values(out, json_get(pixel, "bytes"));
    if (depth != NULL) {
        textbuf_addf(out, ", depth %.6g", depth->number);
    }
    if (stencil != NULL) {
        textbuf_addf(out, ", stencil %.0f", stencil->number);
    }
}

static bool is_true(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return value != NULL && value->kind == JSON_TRUE;
}

static void add_tests(struct textbuf *out, const struct json *fragment) {
    const struct json *stencil = json_get(fragment, "stencil_test");
    const struct json *depth = json_get(fragment, "depth_test");
    const struct json *blend = json_get(fragment, "blend");
    if (stencil != NULL) {
        textbuf_addf(out, "    stencil %.0f %s %.0f, mask %.0f: %s\n", json_number(stencil, "ref", 0.0),
                     json_text(stencil, "func", "?"), json_number(stencil, "stored", 0.0),
                     json_number(stencil, "mask", 0.0), is_true(stencil, "passed") ? "passed" : "failed");
    }
    if (depth != NULL) {
        textbuf_addf(out, "    depth %.9g %s %.9g: %s%s\n", json_number(depth, "value", 0.0),
                     json_text(depth, "func", "?"), json_number(depth, "stored", 0.0),
                     is_true(depth, "passed") ? "passed" : "failed", is_true(depth, "write") ? "" : ", not written");
    }
    if (is_true(fragment, "discarded")) {
        textbuf_add(out, "    discarded by the shader\n");
    }
    if (blend != NULL) {
        const struct json *rgb = json_get(blend, "rgb");
        const struct json *alpha = json_get(blend, "alpha");
        textbuf_add(out, "    blend rgb");
        add_values(out, rgb);
        textbuf_add(out, ", alpha");
        add_values(out, alpha);
        textbuf_add(out, "\n");
    }
    const char *mask = json_text(fragment, "color_mask", "rgba");
    if (strcmp(mask, "rgba") != 0) {
        textbuf_addf(out, "    color mask %s\n", mask[0] != '\0' ? mask : "none");
    }
}

static const struct json *element(const struct json *list, double index) {
    const struct json *at = list != NULL ? list->first : NULL;
    for (double i = 0.0; at != NULL && i < index; i += 1.0) {
        at = at->next;
    }
    return at;
}

/* A line of the source, without blanks at its ends. */
static void add_source_line(struct textbuf *out, const char *source, int line) {
    for (int i = 1; source != NULL && i < line; i++) {
        source = strchr(source, '\n');
        source = source != NULL ? source + 1 : NULL;
    }
    if (source != NULL && line > 0) {
        source += strspn(source, " \t");
        textbuf_addf(out, "%.*s", (int)strcspn(source, "\r\n"), source);
    }
}

static void add_reads(struct textbuf *out, const struct json *step) {
    const struct json *reads = json_get(step, "reads");
    for (const struct json *read = reads != NULL ? reads->first : NULL; read != NULL; read = read->next) {
        textbuf_addf(out, "            texture %.0f at", json_number(read, "texture", 0.0));
        add_values(out, json_get(read, "at"));
        textbuf_addf(out, ", level %.4g:", json_number(read, "level", 0.0));
        add_values(out, json_get(read, "value"));
        textbuf_add(out, "\n");
        const struct json *texels = json_get(read, "texels");
        for (const struct json *t = texels != NULL ? texels->first : NULL; t != NULL; t = t->next) {
            textbuf_addf(out, "                level %.0f [", json_number(t, "level", 0.0));
            add_values(out, json_get(t, "at"));
            textbuf_add(out, " ]:");
            add_values(out, json_get(t, "value"));
            textbuf_add(out, "\n");
        }
    }
}

/* The pairs that an instruction filled with doubles, whose halves say nothing as floats. */
static bool is_half(const struct json *doubles, double reg, double component) {
    for (const struct json *d = doubles != NULL ? doubles->first : NULL; d != NULL; d = d->next) {
        const struct json *first = d->first != NULL ? d->first->next : NULL;
        if (first != NULL && d->first->number == reg && (component == first->number || component == first->number + 1.0)) {
            return true;
        }
    }
    return false;
}

static void add_doubles(struct textbuf *out, const struct json *doubles) {
    for (const struct json *d = doubles != NULL ? doubles->first : NULL; d != NULL; d = d->next) {
        const struct json *first = d->first != NULL ? d->first->next : NULL;
        if (first == NULL) {
            continue;
        }
        textbuf_addf(out, "            r%.0f.%s", d->first->number, first->number == 0.0 ? "xy" : "zw");
        for (const struct json *v = first->next; v != NULL; v = v->next) {
            if (v->kind == JSON_STRING) {
                textbuf_addf(out, " %s", v->text);
            } else {
                textbuf_addf(out, " %.16g", v->number);
            }
        }
        textbuf_add(out, " (double)\n");
    }
}

static void add_steps(struct textbuf *out, const struct json *trace, const struct json *run) {
    const struct json *shader = element(json_get(trace, "shaders"), json_number(run, "shader", 0.0));
    const struct json *code = json_get(shader, "code");
    const struct json *steps = json_get(run, "steps");
    double line = -1.0;
    for (const struct json *step = steps != NULL ? steps->first : NULL; step != NULL; step = step->next) {
        const double unit = json_number(step, "unit", -1.0);
        const struct json *instruction = code != NULL ? code->first : NULL;
        while (instruction != NULL && json_number(instruction, "unit", -2.0) != unit) {
            instruction = instruction->next;
        }
        const struct json *lines = json_get(instruction, "lines");
        for (const struct json *l = lines != NULL ? lines->first : NULL; l != NULL; l = l->next) {
            if (l->number != line) {
                line = l->number;
                textbuf_addf(out, "      line %.0f: ", line);
                add_source_line(out, json_text(shader, "source", ""), (int)line);
                textbuf_add(out, "\n");
            }
        }
        textbuf_addf(out, "        %4.0f  %s\n", unit, json_text(instruction, "text", "?"));
        add_reads(out, step);
        const struct json *writes = json_get(step, "writes");
        for (const struct json *w = writes != NULL ? writes->first : NULL; w != NULL; w = w->next) {
            const struct json *reg = w->first;
            const struct json *component = reg != NULL ? reg->next : NULL;
            if (component == NULL || is_half(json_get(step, "doubles"), reg->number, component->number)) {
                continue;
            }
            textbuf_addf(out, "            r%.0f.%c", reg->number, "xyzw"[(int)component->number & 3]);
            const struct json before = {.first = component->next};
            add_values(out, &before); /* before and after */
            textbuf_add(out, "\n");
        }
        add_doubles(out, json_get(step, "doubles"));
    }
}

static void add_outputs(struct textbuf *out, const struct json *run) {
    const struct json *outputs = json_get(run, "outputs");
    textbuf_addf(out, "    shader, %.0f steps:", json_number(run, "step_count", 0.0));
    for (const struct json *o = outputs != NULL ? outputs->first : NULL; o != NULL; o = o->next) {
        textbuf_addf(out, "%s %s", o == outputs->first ? "" : ",", json_text(o, "name", ""));
        add_values(out, json_get(o, "values"));
    }
    textbuf_add(out, is_true(run, "shaded") || json_get(run, "shaded") == NULL ? "\n" : " (not run: the test came first)\n");
    if (!is_true(run, "agrees")) {
        textbuf_add(out, "    executor and reference interpreter disagree: a fault of vlgl\n");
    }
}

static void add_fragment(struct textbuf *out, const struct json *trace, const struct json *event,
                         const struct json *fragment, bool steps) {
    const struct json *vertices = json_get(fragment, "vertices");
    const size_t corners = vertices != NULL ? vertices->count : 0;
    textbuf_addf(out, "  %s %.0f", corners == 3 ? "triangle" : corners == 2 ? "line" : "point",
                 json_number(fragment, "primitive", 0.0));
    if (json_number(event, "instances", 1.0) > 1.0) {
        textbuf_addf(out, " of instance %.0f", json_number(fragment, "instance", 0.0));
    }
    textbuf_addf(out, ", %s, vertices", json_text(fragment, "facing", "?"));
    for (const struct json *v = vertices != NULL ? vertices->first : NULL; v != NULL; v = v->next) {
        textbuf_addf(out, " %.0f (", json_number(v, "index", 0.0));
        add_values(out, json_get(v, "window"));
        textbuf_add(out, " )");
    }
    textbuf_add(out, "\n");
    add_tests(out, fragment);
    if (json_get(fragment, "steps") != NULL) {
        add_outputs(out, fragment);
    }
    if (steps) {
        add_steps(out, trace, fragment);
    }
    textbuf_add(out, "    pixel");
    add_pixel(out, json_get(fragment, "before"));
    textbuf_add(out, " ->");
    add_pixel(out, json_get(fragment, "after"));
    textbuf_add(out, "\n");
}

static void add_event(struct textbuf *out, const struct json *trace, const struct json *event, bool steps) {
    const char *kind = json_text(event, "kind", "?");
    if (strcmp(kind, "clear") == 0) {
        textbuf_add(out, "clear:");
        add_pixel(out, json_get(event, "after"));
        textbuf_add(out, "\n");
        return;
    }
    textbuf_addf(out, "draw %.0f: %s, %.0f vertices, program %.0f%s%s\n", json_number(event, "draw", 0.0),
                 json_text(event, "mode", "?"), json_number(event, "count", 0.0), json_number(event, "program", 0.0),
                 json_text(event, "label", "")[0] != '\0' ? " " : "", json_text(event, "label", ""));
    const char *missed = json_text(event, "missed", NULL);
    if (missed != NULL) {
        textbuf_addf(out, "  %s\n", strcmp(missed, "culled") == 0 ? "culled: the side that faces here is not drawn"
                                                                   : "kept away by the scissor");
    }
    if (strcmp(kind, "vertex") == 0) {
        textbuf_addf(out, "  vertex %.0f\n", json_number(event, "vertex", 0.0));
        add_outputs(out, event);
        if (steps) {
            add_steps(out, trace, event);
        }
        return;
    }
    const struct json *fragments = json_get(event, "fragments");
    for (const struct json *f = fragments != NULL ? fragments->first : NULL; f != NULL; f = f->next) {
        add_fragment(out, trace, event, f, steps);
    }
    if (is_true(event, "more")) {
        textbuf_add(out, "  and more\n");
    }
    if (!is_true(event, "consistent")) {
        textbuf_add(out, "  the steps do not add up to the pixel: a fault of vlgl\n");
    }
}

static void print_text(const struct json *trace, bool steps) {
    struct textbuf out = {NULL, 0, 0};
    const struct json *events = json_get(trace, "events");
    textbuf_addf(&out, "frame %.0f, ", json_number(trace, "frame", 0.0));
    if (json_get(trace, "pixel") != NULL) {
        textbuf_add(&out, "pixel");
        add_values(&out, json_get(trace, "pixel"));
        textbuf_add(&out, ":");
        add_pixel(&out, json_get(trace, "final"));
    } else {
        textbuf_addf(&out, "vertex %.0f", json_number(trace, "vertex", 0.0));
    }
    textbuf_add(&out, "\n");
    for (const struct json *e = events != NULL ? events->first : NULL; e != NULL; e = e->next) {
        add_event(&out, trace, e, steps);
    }
    if (events == NULL || events->count == 0) {
        textbuf_add(&out, "nothing was drawn there in this frame\n");
    }
    fputs(out.text, stdout);
    textbuf_free(&out);
}

/* ---- the command ---- */

static bool write_text(const char *path, const char *text, size_t size) {
    struct image_error err;
    if (strcmp(path, "-") == 0) {
        return fwrite(text, 1, size, stdout) == size;
    }
    if (!image_write_file(path, text, size, &err)) {
        app_error("%s", err.text);
        return false;
    }
    return true;
}

/* Tells a trace in the ways that were asked for. */
static bool show(const struct trace_options *options, const char *path) {
    struct image_error err;
    char error[120];
    size_t size = 0;
    char *text = (char *)image_read_file(path, TRACE_LIMIT_BYTES, &size, &err);
    if (text == NULL) {
        app_error("%s", options->scene == path ? err.text
                                               : "trace: this frame was not drawn, or not by vlgl's library");
        return false;
    }
    struct json *trace = json_parse(text, size, error);
    bool ok = json_number(trace, "vlgl_trace", 0.0) == 1.0;
    if (!ok) {
        app_error("%s: this is no trace: %s", path, trace == NULL ? error : "no vlgl_trace in it");
    }
    if (ok && options->json != NULL) {
        ok = write_text(options->json, text, size);
    }
    if (ok && options->html != NULL) {
        const struct textbuf json = {text, size, 0};
        struct textbuf page = {NULL, 0, 0};
        page_fill(page_trace_html, &json, &page);
        ok = write_text(options->html, page.text, page.size);
        textbuf_free(&page);
    }
    if (ok && options->json == NULL && options->html == NULL) {
        print_text(trace, options->steps);
    }
    json_free(trace);
    free(text);
    return ok;
}

int cmd_trace(int argc, char **argv) {
    struct trace_options options;
    static const char *const files[] = {"json", NULL};
    memset(&options, 0, sizeof options);
    if (cli_wants_help(argc, argv)) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    options.render = app_alloc(((size_t)argc + 1) * sizeof options.render[0]);
    bool ok = parse_options(argc, argv, &options);
    if (!ok) {
        free(options.render);
        return CLI_USAGE;
    }
    if (tree_has_extension(options.scene, files)) {
        ok = show(&options, options.scene);
    } else {
        char folder[] = "/tmp/vlgl-trace-XXXXXX";
        if (mkdtemp(folder) == NULL) {
            app_error("trace: no temporary folder can be made");
            ok = false;
        } else {
            char *trace = tree_join(folder, "trace.json");
            ok = run_scene(&options, folder, trace) && show(&options, trace);
            unlink(trace);
            rmdir(folder);
            free(trace);
        }
    }
    free(options.render);
    return ok ? CLI_OK : CLI_FAILED;
}
