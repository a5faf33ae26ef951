/* SPDX-License-Identifier: MIT */
/*
 * The directive loop: takes the text line by line, obeys directives, expands macros in what is left and
 * hands out finished tokens. SPEC: GLSL ES 1.00.17 sections 3.3 to 3.5.
 */
#include <string.h>

#include "vm/glsl/pp.h"
#include "vm/include/glslc.h"

static const struct {
    const char *name;
    uint32_t bit;
} extension_names[] = {
    {"GL_OES_standard_derivatives", GLSLC_EXT_STANDARD_DERIVATIVES},
    {"GL_EXT_shader_texture_lod", GLSLC_EXT_SHADER_TEXTURE_LOD},
    {"GL_EXT_frag_depth", GLSLC_EXT_FRAG_DEPTH},
    {"GL_EXT_draw_buffers", GLSLC_EXT_DRAW_BUFFERS},
    {"GL_OES_texture_3D", GLSLC_EXT_TEXTURE_3D},
    {"GL_EXT_shadow_samplers", GLSLC_EXT_SHADOW_SAMPLERS},
    {"GL_EXT_shader_framebuffer_fetch", GLSLC_EXT_FRAMEBUFFER_FETCH},
    {"GL_OES_EGL_image_external", GLSLC_EXT_EGL_IMAGE_EXTERNAL},
    {"GL_VLGL_fp64", GLSLC_EXT_FP64},
};
enum { EXTENSION_COUNT = sizeof extension_names / sizeof extension_names[0] };

static bool word_is(const struct pp_token *token, const char *text) {
    return token->kind == GLSL_T_IDENT && strcmp(token->atom->text, text) == 0;
}

/* ---- output -------------------------------------------------------------------------------------------- */

void pp_put_token(struct pp *pp, const struct glsl_token *token) {
    struct glsl_token_list *out = pp->out;
    if (out->count + 1 >= GLSL_MAX_TOKENS && token->kind != GLSL_T_EOF) {
        if (!pp->overflow) {
            diag_add(pp->diags, DIAG_ERROR, token->pos, "shader has more than %d tokens", (int)GLSL_MAX_TOKENS);
        }
        pp->overflow = true;
        return;
    }
    if (out->count == pp->token_cap) {
        struct glsl_token *grown =
            arena_grow(pp->arena, out->tokens, out->count, &pp->token_cap, out->count + 1, sizeof *grown);
        if (!grown) {
            pp->no_memory = true;
            return;
        }
        out->tokens = grown;
    }
    struct glsl_token *stored = &out->tokens[out->count++];
    *stored = *token;
    if (stored->kind >= GLSL_T_DOUBLE_TYPE && stored->kind <= GLSL_T_DMAT4 && !pp->has_doubles) {
        stored->kind = stored->kind < GLSL_T_DMAT2 ? GLSL_T_RESERVED : GLSL_T_IDENT; /* token.def's fallbacks */
    }
}

static void bad_character(struct pp *pp, const struct pp_token *token) {
    unsigned char c = (unsigned char)token->text[0];
    if (c >= 33 && c < 127) {
        diag_add(pp->diags, DIAG_ERROR, token->pos, "character '%c' is not part of GLSL ES", c);
    } else {
        diag_add(pp->diags, DIAG_ERROR, token->pos, "character 0x%02X is not part of GLSL ES outside comments", c);
    }
}

/* Turns an expanded preprocessing token into one for the parser. */
static void finish_token(struct pp *pp, const struct pp_token *from) {
    struct glsl_token token;
    memset(&token, 0, sizeof token);
    token.pos = from->pos;
    token.kind = from->kind;
    token.from_macro = from->from_macro;
    switch (from->kind) {
    case GLSL_T_IDENT:
        token.atom = from->atom;
        token.kind = (uint16_t)pp_keyword(pp, from->atom);
        break;
    case PP_NUMBER:
        pp_number_token(pp, from, &token);
        break;
    case PP_HASH:
        diag_add(pp->diags, DIAG_ERROR, from->pos, "a directive must be the first thing on its line");
        token.kind = GLSL_T_BAD;
        break;
    case PP_OTHER:
        bad_character(pp, from);
        token.kind = GLSL_T_BAD;
        break;
    default:
        break;
    }
    pp->any_token = true;
    pp_put_token(pp, &token);
}

/* ---- directives ----------------------------------------------------------------------------------------- */

/* Reads the rest of the line as raw tokens; the newline is eaten. The memory is that of the lines before. */
static void read_line(struct pp *pp, struct pp_list *line) {
    struct pp_token token;
    *line = pp->line_list;
    line->count = 0;
    do {
        pp_scan(pp, &token);
    } while (token.kind != PP_NEWLINE && token.kind != GLSL_T_EOF && pp_push(pp, line, &token));
    pp->line_list = *line;
}

static bool group_active(const struct pp *pp) {
    return !pp->cond_count || pp->conds[pp->cond_count - 1].active;
}

static void push_cond(struct pp *pp, struct diag_pos pos, bool outer, bool value) {
    if (pp->cond_count == PP_MAX_CONDS) {
        diag_add(pp->diags, DIAG_ERROR, pos, "#if nests deeper than %d levels", (int)PP_MAX_CONDS);
        pp->overflow = true;
        return;
    }
    struct pp_cond *grown =
        arena_grow(pp->arena, pp->conds, pp->cond_count, &pp->cond_cap, pp->cond_count + 1, sizeof *grown);
    if (!grown) {
        pp->no_memory = true;
        return;
    }
    pp->conds = grown;
    pp->conds[pp->cond_count++] = (struct pp_cond){!outer || value, outer && value, false, pos};
}

static void no_more(struct pp *pp, const struct pp_list *line, uint32_t used, const char *after) {
    if (line->count > used) {
        diag_add(pp->diags, DIAG_ERROR, line->tokens[used].pos, "unexpected text after %s", after);
    }
}

static void directive_ifdef(struct pp *pp, const struct pp_list *line, struct diag_pos pos, bool wanted) {
    const char *what = wanted ? "#ifdef" : "#ifndef";
    bool value = false;
    if (!line->count || line->tokens[0].kind != GLSL_T_IDENT) {
        diag_add(pp->diags, DIAG_ERROR, line->count ? line->tokens[0].pos : pos, "%s needs a macro name", what);
    } else {
        value = (line->tokens[0].atom->macro != NULL) == wanted;
        no_more(pp, line, 1, what);
    }
    push_cond(pp, pos, true, value);
}

/* #if, #ifdef, #ifndef, #elif, #else, #endif. False if 'name' is none of them. */
static bool conditional(struct pp *pp, const struct pp_token *name, struct diag_pos pos) {
    static const char *const names[] = {"if", "ifdef", "ifndef", "elif", "else", "endif"};
    static const uint8_t lengths[] = {2, 5, 6, 4, 4, 5};
    int which = 0;
    while (which < 6 && !(name->length == lengths[which] && word_is(name, names[which]))) {
        which++;
    }
    if (which == 6) {
        return false;
    }
    bool active = group_active(pp);
    if (which < 3 && !active) {
        push_cond(pp, pos, false, false);
        pp_skip_line(pp);
        return true;
    }
    struct pp_cond *cond = pp->cond_count ? &pp->conds[pp->cond_count - 1] : NULL;
    if (which >= 3 && !cond) {
        diag_add(pp->diags, DIAG_ERROR, pos, "#%s without #if", names[which]);
        pp_skip_line(pp);
        return true;
    }
    if (which == 3 && (cond->taken || cond->seen_else)) { /* #elif behind the taken group: not evaluated */
        if (cond->seen_else) {
            diag_add(pp->diags, DIAG_ERROR, pos, "#elif after #else");
        }
        cond->active = false;
        pp_skip_line(pp);
        return true;
    }
    struct pp_list line = {0};
    read_line(pp, &line);
    bool value = false;
    switch (which) {
    case 0:
        pp_evaluate(pp, line.tokens, line.count, pos, &value);
        push_cond(pp, pos, true, value);
        break;
    case 1:
    case 2:
        directive_ifdef(pp, &line, pos, which == 1);
        break;
    case 3:
        pp_evaluate(pp, line.tokens, line.count, pos, &value);
        cond->active = cond->taken = value;
        break;
    case 4:
        if (cond->seen_else) {
            diag_add(pp->diags, DIAG_ERROR, pos, "#else after #else");
        }
        no_more(pp, &line, 0, "#else");
        cond->seen_else = true;
        cond->active = !cond->taken;
        cond->taken = true;
        break;
    default:
        no_more(pp, &line, 0, "#endif");
        pp->cond_count--;
        break;
    }
    return true;
}

static void directive_version(struct pp *pp, const struct pp_list *line, struct diag_pos pos, bool first) {
    struct glsl_token number = {.kind = GLSL_T_BAD};
    if (!first) {
        diag_add(pp->diags, DIAG_ERROR, pos, "#version must come before everything but comments and white space");
        return;
    }
    if (line->count && line->tokens[0].kind == PP_NUMBER) {
        pp_number(pp, &line->tokens[0], &number);
    }
    if (number.kind != GLSL_T_INT) {
        diag_add(pp->diags, DIAG_ERROR, line->count ? line->tokens[0].pos : pos, "#version needs a number");
        return;
    }
    if (number.value.i != 100) {
        diag_add(pp->diags, DIAG_ERROR, line->tokens[0].pos, "version %u is not supported", (unsigned)number.value.i);
        diag_hint(pp->diags, "this is OpenGL ES 2.0: use #version 100 or none");
        return;
    }
    no_more(pp, line, 1, "#version 100");
}

static void directive_line(struct pp *pp, const struct pp_list *line, struct diag_pos pos) {
    struct pp_list expanded = {0};
    uint32_t values[2] = {0, pp->string};
    pp_expand(pp, line->tokens, line->count, false, &expanded);
    if (!expanded.count) {
        diag_add(pp->diags, DIAG_ERROR, pos, "#line needs a line number");
        return;
    }
    for (uint32_t i = 0; i < expanded.count && i < 2; i++) {
        struct glsl_token number = {.kind = GLSL_T_BAD};
        if (expanded.tokens[i].kind == PP_NUMBER) {
            pp_number(pp, &expanded.tokens[i], &number);
        }
        if (number.kind != GLSL_T_INT) {
            diag_add(pp->diags, DIAG_ERROR, expanded.tokens[i].pos, "#line needs whole numbers");
            return;
        }
        values[i] = number.value.i;
    }
    no_more(pp, &expanded, 2, "#line");
    pp->line = values[0];
    pp->string = values[1];
}

static void directive_pragma(struct pp *pp, const struct pp_list *line) {
    const struct pp_token *t = line->tokens;
    struct glsl_token_list *out = pp->out;
    if (line->count == 5 && word_is(&t[0], "STDGL") && word_is(&t[1], "invariant") && t[2].kind == GLSL_T_LPAREN &&
        word_is(&t[3], "all") && t[4].kind == GLSL_T_RPAREN) {
        out->invariant_all = true;
    } else if (line->count == 4 && t[1].kind == GLSL_T_LPAREN && t[3].kind == GLSL_T_RPAREN) {
        bool on = word_is(&t[2], "on"), off = word_is(&t[2], "off");
        if (word_is(&t[0], "optimize") && (on || off)) {
            out->optimize_off = off;
        } else if (word_is(&t[0], "debug") && (on || off)) {
            out->debug = on;
        }
    } /* any other pragma is ignored, as the specification says */
}

static void record_behaviour(struct pp *pp, uint32_t extensions, enum glsl_behaviour behaviour) {
    struct glsl_token_list *out = pp->out;
    struct glsl_extension_change *grown = arena_grow(pp->arena, out->changes, out->change_count, &pp->change_cap,
                                                     out->change_count + 1, sizeof *grown);
    if (!grown) {
        pp->no_memory = true;
        return;
    }
    out->changes = grown;
    out->changes[out->change_count++] =
        (struct glsl_extension_change){extensions, out->count, (uint8_t)behaviour};
    if (extensions & GLSLC_EXT_FP64) {
        pp->has_doubles = behaviour != GLSL_BEHAVIOUR_DISABLE;
    }
}

static void directive_extension(struct pp *pp, const struct pp_list *line, struct diag_pos pos) {
    static const char *const behaviours[] = {"disable", "warn", "enable", "require"};
    const struct pp_token *t = line->tokens;
    if (!line->count || t[0].kind != GLSL_T_IDENT) {
        diag_add(pp->diags, DIAG_ERROR, line->count ? t[0].pos : pos, "#extension needs an extension name");
        return;
    }
    if (line->count < 2 || t[1].kind != GLSL_T_COLON) {
        diag_add(pp->diags, DIAG_ERROR, line->count > 1 ? t[1].pos : pos, "expected ':' after the extension name");
        return;
    }
    int behaviour = 0;
    while (line->count > 2 && behaviour < 4 && !word_is(&t[2], behaviours[behaviour])) {
        behaviour++;
    }
    if (line->count < 3 || behaviour == 4) {
        diag_add(pp->diags, DIAG_ERROR, line->count > 2 ? t[2].pos : pos,
                 "the behaviour must be require, enable, warn or disable");
        return;
    }
    no_more(pp, line, 3, "#extension");
    if (pp->any_token) {
        diag_add(pp->diags, DIAG_ERROR, pos, "#extension must come before the first statement of the shader");
        return;
    }
    if (word_is(&t[0], "all")) {
        if (behaviour >= GLSL_BEHAVIOUR_ENABLE) {
            diag_add(pp->diags, DIAG_ERROR, t[2].pos, "'all' can only be warn or disable");
            return;
        }
        record_behaviour(pp, pp->options->extensions, (enum glsl_behaviour)behaviour);
        return;
    }
    for (unsigned i = 0; i < EXTENSION_COUNT; i++) {
        if (word_is(&t[0], extension_names[i].name) && (pp->options->extensions & extension_names[i].bit)) {
            record_behaviour(pp, extension_names[i].bit, (enum glsl_behaviour)behaviour);
            return;
        }
    }
    diag_add(pp->diags, behaviour == GLSL_BEHAVIOUR_REQUIRE ? DIAG_ERROR : DIAG_WARNING, t[0].pos,
             "extension '%s' is not supported", t[0].atom->text);
}

static void directive_error(struct pp *pp, const struct pp_list *line, struct diag_pos pos) {
    struct str text;
    str_init(&text);
    for (uint32_t i = 0; i < line->count; i++) {
        const struct pp_token *t = &line->tokens[i];
        if (i && t->space) {
            str_char(&text, ' ');
        }
        str_append_n(&text, t->atom ? t->atom->text : t->text, t->atom ? t->atom->length : t->length);
    }
    diag_add(pp->diags, DIAG_ERROR, pos, "#error %s", text.text);
    str_fini(&text);
}

/* A line that begins with '#'. */
static void directive(struct pp *pp, struct diag_pos pos, bool first) {
    struct pp_token name;
    pp_scan(pp, &name);
    if (name.kind == PP_NEWLINE || name.kind == GLSL_T_EOF) {
        return; /* the null directive */
    }
    if (conditional(pp, &name, pos)) {
        return;
    }
    if (!group_active(pp)) {
        pp_skip_line(pp);
        return;
    }
    if (word_is(&name, "pragma")) { /* its text is no one's business but ours: no message for odd characters */
        struct pp_list line = {0};
        read_line(pp, &line);
        directive_pragma(pp, &line);
        return;
    }
    struct pp_list line = {0};
    read_line(pp, &line);
    if (word_is(&name, "define")) {
        pp_define(pp, line.tokens, line.count, pos);
    } else if (word_is(&name, "undef")) {
        pp_undef(pp, line.tokens, line.count, pos);
    } else if (word_is(&name, "error")) {
        directive_error(pp, &line, pos);
    } else if (word_is(&name, "version")) {
        directive_version(pp, &line, pos, first);
    } else if (word_is(&name, "extension")) {
        directive_extension(pp, &line, pos);
    } else if (word_is(&name, "line")) {
        directive_line(pp, &line, pos);
    } else {
        diag_add(pp->diags, DIAG_ERROR, name.pos, "unknown directive");
    }
}

/* A line of text, of which 'token' is the first; macro calls may reach over line ends. */
static void text_line(struct pp *pp, struct pp_token token) {
    struct pp_list line = pp->line_list; /* used again for each line */
    line.count = 0;
    bool any_macro = false;
    while (token.kind != PP_NEWLINE && token.kind != GLSL_T_EOF && pp_push(pp, &line, &token)) {
        /* A macro name at the line's end may find its '(' on the next one: pp_expand reads on itself. */
        struct pp_token next;
        bool ends_in_macro = pp_macro_of(&token) != NULL;
        any_macro |= ends_in_macro;
        if (ends_in_macro) {
            struct pp_mark mark = pp_mark(pp);
            uint32_t errors = pp->diags->errors;
            pp_scan(pp, &next);
            if (next.kind == PP_NEWLINE && pp->diags->errors == errors) {
                pp_return_to(pp, mark);
                break;
            }
        } else {
            pp_scan(pp, &next);
        }
        token = next;
    }
    struct pp_list expanded = pp->expanded_list;
    if (any_macro) {
        expanded.count = 0;
        pp_expand(pp, line.tokens, line.count, true, &expanded);
        pp->expanded_list = expanded;
    }
    pp->line_list = line;
    const struct pp_list *result = any_macro ? &expanded : &line;
    for (uint32_t i = 0; i < result->count && !pp->overflow; i++) {
        finish_token(pp, &result->tokens[i]);
    }
}

static void run(struct pp *pp) {
    while (!pp->overflow && !pp->no_memory && !pp->diags->stopped && pp->at < pp->length) {
        if (group_active(pp)) {
            pp_plain_text(pp);
            if (pp->overflow || pp->no_memory || pp->diags->stopped) {
                break;
            }
        } else if (!pp->line_begin || !pp_at_hash(pp)) {
            pp_skip_line(pp);
            continue;
        }
        bool begin = pp->line_begin;
        struct pp_token token;
        pp_scan(pp, &token);
        if (token.kind == GLSL_T_EOF) {
            break;
        }
        if (token.kind == PP_NEWLINE) {
            continue;
        }
        bool first = !pp->any_directive;
        pp->any_directive = true;
        if (token.kind == PP_HASH && begin) {
            directive(pp, token.pos, first);
        } else {
            text_line(pp, token);
        }
    }
}

/* Macros that every shader finds defined. */
static bool predefine(struct pp *pp) {
    bool ok = pp_predefine(pp, "__LINE__", 1, "0") && pp_predefine(pp, "__FILE__", 2, "0") &&
              pp_predefine(pp, "__VERSION__", 0, "100") && pp_predefine(pp, "GL_ES", 0, "1") &&
              pp_predefine(pp, "GL_FRAGMENT_PRECISION_HIGH", 0, "1");
    for (unsigned i = 0; i < EXTENSION_COUNT && ok; i++) {
        if (pp->options->extensions & extension_names[i].bit) {
            ok = pp_predefine(pp, extension_names[i].name, 0, "1");
        }
    }
    return ok;
}

bool glsl_tokenize(struct arena *arena, struct glsl_atoms *atoms, struct diag_list *diags, const char *source,
                   uint32_t length, const uint32_t *boundaries, uint32_t boundary_count,
                   const struct glsl_pp_options *options, struct glsl_token_list *out) {
    struct pp pp;
    memset(&pp, 0, sizeof pp);
    memset(out, 0, sizeof *out);
    pp.arena = arena;
    pp.atoms = atoms;
    pp.diags = diags;
    pp.options = options;
    pp.source = source;
    pp.length = length;
    pp.boundaries = boundaries;
    pp.boundary_count = boundary_count;
    pp.line = 1;
    pp.line_begin = true;
    pp.out = out;
    out->version = 100;
    /* Room for the tokens of usual text at once: growing leaves the old arrays behind in the arena. */
    uint32_t guess = length / 3 + 64;
    pp.token_cap = guess < GLSL_MAX_TOKENS ? guess : GLSL_MAX_TOKENS;
    out->tokens = arena_alloc_raw(arena, pp.token_cap * sizeof *out->tokens, 16);
    pp_index_words(&pp);
    if (!out->tokens || !predefine(&pp)) {
        return false;
    }
    run(&pp);
    if (pp.cond_count && !pp.overflow && !diags->stopped) {
        diag_add(diags, DIAG_ERROR, pp.conds[pp.cond_count - 1].pos, "this #if has no #endif");
    }
    struct glsl_token eof;
    memset(&eof, 0, sizeof eof);
    eof.kind = GLSL_T_EOF;
    eof.pos = (struct diag_pos){pp.string, pp.line, pp.at - pp.line_start + 1, pp.at};
    pp_put_token(&pp, &eof);
    return !pp.no_memory;
}
