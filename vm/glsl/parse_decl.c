/* SPDX-License-Identifier: MIT */
/*
 * Declarations: qualifiers in their fixed order, types, structures, variables, functions, precision and
 * invariant statements; and the shader as a whole. SPEC: GLSL ES 1.00.17 sections 4, 6.1, 9.
 */
#include <string.h>

#include "vm/glsl/parse.h"
#include "vm/glsl/sema.h"

static bool is_precision(unsigned kind) { return kind >= GLSL_T_LOWP && kind <= GLSL_T_HIGHP; }

bool glsl_at_declaration(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_peek(u);
    unsigned after = glsl_kind_at(u, 1);
    switch (token->kind) {
    case GLSL_T_ATTRIBUTE:
    case GLSL_T_CONST:
    case GLSL_T_UNIFORM:
    case GLSL_T_VARYING:
    case GLSL_T_LOWP:
    case GLSL_T_MEDIUMP:
    case GLSL_T_HIGHP:
    case GLSL_T_PRECISION:
    case GLSL_T_INVARIANT:
    case GLSL_T_STRUCT:
        return true;
    case GLSL_T_IDENT: {
        if (after == GLSL_T_IDENT) {
            return true; /* "name name": at least it means one */
        }
        const struct glsl_symbol *s = token->atom->symbol;
        return s && s->kind == GLSL_SYM_TYPE && after != GLSL_T_LPAREN;
    }
    default:
        return token->kind >= GLSL_T_TYPE_FIRST && token->kind <= GLSL_T_TYPE_LAST && after != GLSL_T_LPAREN;
    }
}

/* qualifiers: [invariant] [const | attribute | uniform | varying] [lowp | mediump | highp] */
static struct glsl_qualifiers parse_qualifiers(struct glsl_unit *u) {
    struct glsl_qualifiers q = {.storage = GLSL_TEMP, .pos = glsl_peek(u)->pos};
    q.invariant = glsl_accept(u, GLSL_T_INVARIANT);
    unsigned kind = glsl_peek(u)->kind;
    if (kind == GLSL_T_CONST || kind == GLSL_T_ATTRIBUTE || kind == GLSL_T_UNIFORM || kind == GLSL_T_VARYING) {
        q.pos = glsl_next(u)->pos;
        q.has_storage = true;
        q.storage = kind == GLSL_T_CONST ? GLSL_CONST : kind == GLSL_T_ATTRIBUTE ? GLSL_ATTRIBUTE
                  : kind == GLSL_T_UNIFORM ? GLSL_UNIFORM : GLSL_VARYING;
    }
    if (is_precision(glsl_peek(u)->kind)) {
        q.precision = (uint8_t)(glsl_next(u)->kind - GLSL_T_LOWP + GLSL_LOWP);
    }
    return q;
}

/* '[' constant ']' behind a name: the array type, or 'type' itself. */
static const struct glsl_type *parse_array(struct glsl_unit *u, const struct glsl_type *type) {
    const struct glsl_token *open = glsl_peek(u);
    if (!glsl_accept(u, GLSL_T_LBRACKET)) {
        return type;
    }
    if (glsl_peek(u)->kind == GLSL_T_RBRACKET) {
        glsl_next(u);
        glsl_error(u, open->pos, "an array needs a size");
        return &glsl_type_error;
    }
    struct glsl_expr *size = glsl_parse_conditional(u);
    if (u->panic || !glsl_expect(u, GLSL_T_RBRACKET, "an array size")) {
        return &glsl_type_error;
    }
    uint32_t length = glsl_sema_array_size(u, size, open->pos);
    if (glsl_peek(u)->kind == GLSL_T_LBRACKET && !u->panic) {
        glsl_error(u, glsl_peek(u)->pos, "arrays of arrays are not supported");
        u->panic = true;
    }
    return length ? glsl_array_of(u, type, length, open->pos) : &glsl_type_error;
}

/* ---- structures ----------------------------------------------------------------------------------- */

struct field_list {
    struct glsl_field *fields;
    uint32_t count, cap;
};

static void add_field(struct glsl_unit *u, struct field_list *list, const struct glsl_token *name,
                      const struct glsl_type *type, uint8_t precision) {
    glsl_check_name(u, name->atom, name->pos);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->fields[i].atom == name->atom) {
            glsl_error(u, name->pos, "'%.60s': a member of this name exists already", name->atom->text);
            return;
        }
    }
    if (list->count >= GLSL_MAX_FIELDS) {
        glsl_error(u, name->pos, "more than %d members", GLSL_MAX_FIELDS);
        u->panic = true;
        return;
    }
    struct glsl_field *grown = arena_grow(u->arena, list->fields, list->count, &list->cap, list->count + 1,
                                          sizeof *grown);
    if (!grown) {
        longjmp(u->out_of_memory, 1);
    }
    list->fields = grown;
    struct glsl_field *field = &list->fields[list->count++];
    memset(field, 0, sizeof *field);
    field->atom = name->atom;
    field->type = type;
    field->precision = glsl_precision_for(u, type, precision, name->pos);
    field->pos = name->pos;
}

/* members: {[precision] type name [array] {',' name [array]} ';'} */
static void parse_members(struct glsl_unit *u, struct field_list *list) {
    while (!u->panic && glsl_peek(u)->kind != GLSL_T_RBRACE) {
        uint8_t precision = 0;
        if (is_precision(glsl_peek(u)->kind)) {
            precision = (uint8_t)(glsl_next(u)->kind - GLSL_T_LOWP + GLSL_LOWP);
        }
        const struct glsl_type *type = glsl_parse_type(u, false);
        if (!type) {
            return;
        }
        if (type->kind == GLSL_VOID) {
            glsl_error(u, glsl_peek(u)->pos, "a member cannot be of type void");
            type = &glsl_type_error;
        }
        do {
            const struct glsl_token *name = glsl_peek(u);
            if (!glsl_expect(u, GLSL_T_IDENT, "the type of a member")) {
                return;
            }
            add_field(u, list, name, parse_array(u, type), precision);
        } while (!u->panic && glsl_accept(u, GLSL_T_COMMA));
        if (!u->panic) {
            glsl_expect(u, GLSL_T_SEMICOLON, "a member");
        }
    }
}

/* struct: 'struct' [name] '{' members '}' */
static const struct glsl_type *parse_struct(struct glsl_unit *u, bool allowed) {
    const struct glsl_token *keyword = glsl_next(u);
    const struct glsl_token *name = glsl_peek(u);
    bool named = glsl_accept(u, GLSL_T_IDENT);
    struct field_list list = {NULL, 0, 0};
    if (!allowed) {
        glsl_error(u, keyword->pos, "a structure cannot be defined here");
        glsl_hint(u, "define it in a declaration of its own before");
    }
    if (!glsl_expect(u, GLSL_T_LBRACE, "'struct'")) {
        return NULL;
    }
    uint32_t errors = u->diags->errors;
    if (glsl_peek(u)->kind == GLSL_T_RBRACE) {
        glsl_error(u, glsl_peek(u)->pos, "a structure needs a member");
    }
    parse_members(u, &list);
    if (u->panic || !glsl_expect(u, GLSL_T_RBRACE, "the members")) {
        return NULL;
    }
    struct glsl_record *record = glsl_alloc(u, sizeof *record);
    record->atom = named ? name->atom : NULL;
    record->fields = list.fields;
    record->field_count = list.count;
    bool good = u->diags->errors == errors && list.count;
    const struct glsl_type *type = good ? glsl_sema_struct(u, record, keyword->pos) : &glsl_type_error;
    if (named && allowed) {
        struct glsl_symbol *s = glsl_declare(u, GLSL_SYM_TYPE, name->atom, name->pos);
        if (s) {
            s->type = type;
        }
    }
    return type;
}

/* 'in' and 'out' in front of a global variable are those of later versions. */
static const char *newer_qualifier(const struct glsl_unit *u, bool in) {
    if (in) {
        return u->is_fragment ? "GLSL ES 1.00 says 'varying' for what comes from the vertex shader"
                              : "GLSL ES 1.00 says 'attribute' for the inputs of a vertex shader";
    }
    return u->is_fragment ? "GLSL ES 1.00 has no outputs of one's own: write gl_FragColor or gl_FragData"
                          : "GLSL ES 1.00 says 'varying' for what goes to the fragment shader";
}

static const struct glsl_type *parse_plain_type(struct glsl_unit *u, bool allow_definition) {
    const struct glsl_token *token = glsl_peek(u);
    const struct glsl_type *type = glsl_type_of_token(token->kind);
    if (type) {
        glsl_next(u);
        if (type->kind == GLSL_SAMPLER && type->sampler == VLIW_SAMPLER_3D) {
            glsl_extension(u, GLSLC_EXT_TEXTURE_3D, token->pos);
        }
        return type;
    }
    if (token->kind == GLSL_T_STRUCT) {
        return parse_struct(u, allow_definition);
    }
    if (token->kind == GLSL_T_IDENT) {
        const struct glsl_symbol *s = glsl_lookup(u, token->atom, token->pos);
        if (s && s->kind == GLSL_SYM_TYPE) {
            glsl_next(u);
            return s->type;
        }
        if (glsl_kind_at(u, 1) == GLSL_T_IDENT && !u->panic) {
            glsl_error(u, token->pos, "'%.60s' is not a type", token->atom->text);
            u->panic = true;
            return NULL;
        }
    }
    bool first = !u->panic;
    glsl_syntax_error(u, "a type");
    if (first && (token->kind == GLSL_T_IN || token->kind == GLSL_T_OUT)) {
        glsl_hint(u, "%s", newer_qualifier(u, token->kind == GLSL_T_IN));
    } else if (first && token->kind == GLSL_T_IDENT && strcmp(token->atom->text, "layout") == 0) {
        glsl_hint(u, "GLSL ES 1.00 has no layout(...): glBindAttribLocation gives attributes their places");
    }
    return NULL;
}

const struct glsl_type *glsl_parse_type(struct glsl_unit *u, bool allow_definition) {
    const struct glsl_type *type = parse_plain_type(u, allow_definition);
    const struct glsl_token *open = glsl_peek(u);
    if (type && open->kind == GLSL_T_LBRACKET && !u->panic) {
        /* "float[2] x": not in the grammar of 1.00, but common drivers and piglit take it. */
        type = parse_array(u, type);
        if (!u->panic && type->kind != GLSL_ERROR) {
            glsl_warning(u, open->pos, "the array size belongs behind the name: not portable");
        }
    }
    return type;
}

/* ---- variables ------------------------------------------------------------------------------------ */

/* declarators: name [array] ['=' value] {',' name [array] ['=' value]}, from the first name on */
static struct glsl_var *parse_declarators(struct glsl_unit *u, const struct glsl_qualifiers *q,
                                          const struct glsl_type *base) {
    struct glsl_var *first = NULL, **tail = &first;
    do {
        const struct glsl_token *name = glsl_peek(u);
        if (!glsl_expect(u, GLSL_T_IDENT, "a type")) {
            break;
        }
        if (glsl_peek(u)->kind == GLSL_T_LPAREN && !u->panic) {
            glsl_error(u, name->pos, "'%.60s': functions cannot be declared here", name->atom->text);
            glsl_hint(u, "functions stand outside of all functions");
            u->panic = true;
            break;
        }
        const struct glsl_type *type = parse_array(u, base);
        struct glsl_expr *init = NULL;
        if (!u->panic && glsl_accept(u, GLSL_T_ASSIGN)) {
            init = glsl_parse_assignment(u);
        }
        if (u->panic) {
            break;
        }
        struct glsl_var *var = glsl_sema_variable(u, q, type, name->atom, name->pos, init);
        if (var && !var->is_global && !var->value) { /* globals are chained in the unit */
            *tail = var;
            tail = &var->next;
        }
    } while (glsl_accept(u, GLSL_T_COMMA));
    return first;
}

/* precision: 'precision' qualifier type ';' */
static void parse_precision(struct glsl_unit *u) {
    glsl_next(u);
    const struct glsl_token *qualifier = glsl_peek(u);
    if (!is_precision(qualifier->kind)) {
        glsl_syntax_error(u, "lowp, mediump or highp after 'precision'");
        return;
    }
    glsl_next(u);
    const struct glsl_token *at = glsl_peek(u);
    const struct glsl_type *type = glsl_parse_type(u, false);
    if (type && glsl_expect(u, GLSL_T_SEMICOLON, "a precision statement")) {
        glsl_sema_precision(u, (uint8_t)(qualifier->kind - GLSL_T_LOWP + GLSL_LOWP), type, at->pos);
    }
}

/* A declaration that names nothing, "struct S { ... };" or "float;": its qualifiers must still be right. */
static void check_empty(struct glsl_unit *u, const struct glsl_qualifiers *q, const struct glsl_type *type) {
    if (q->precision) {
        glsl_precision_for(u, type, q->precision, q->pos);
    }
    if (q->invariant && q->storage != GLSL_VARYING) {
        glsl_error(u, q->pos, "'invariant' goes with varyings only");
    }
    if (q->has_storage && q->storage != GLSL_CONST && u->scope->depth > 1) {
        glsl_error(u, q->pos, "attributes, uniforms and varyings are not possible inside a function");
    }
}

struct glsl_stmt *glsl_parse_local_declaration(struct glsl_unit *u) {
    const struct glsl_token *token = glsl_peek(u);
    if (token->kind == GLSL_T_PRECISION) {
        parse_precision(u);
        return NULL;
    }
    if (token->kind == GLSL_T_INVARIANT && !u->panic) {
        glsl_error(u, token->pos, "'invariant' is not possible inside a function");
        u->panic = true;
        return NULL;
    }
    struct glsl_qualifiers q = parse_qualifiers(u);
    const struct glsl_type *type = glsl_parse_type(u, true);
    if (!type) {
        return NULL;
    }
    struct glsl_stmt *s = glsl_stmt_new(u, GLSL_S_DECL, token->pos);
    if (glsl_peek(u)->kind != GLSL_T_SEMICOLON) {
        s->vars = parse_declarators(u, &q, type);
    } else {
        check_empty(u, &q, type);
    }
    if (!u->panic) {
        glsl_expect(u, GLSL_T_SEMICOLON, "a declaration");
    }
    return s;
}

struct glsl_var *glsl_parse_condition_declaration(struct glsl_unit *u) {
    struct glsl_qualifiers q = parse_qualifiers(u);
    const struct glsl_type *type = glsl_parse_type(u, false);
    const struct glsl_token *name = glsl_peek(u);
    if (!type || !glsl_expect(u, GLSL_T_IDENT, "a type") ||
        !glsl_expect(u, GLSL_T_ASSIGN, "the variable of a condition")) {
        return NULL;
    }
    struct glsl_expr *init = glsl_parse_assignment(u);
    return u->panic ? NULL : glsl_sema_variable(u, &q, type, name->atom, name->pos, init);
}

/* ---- functions ------------------------------------------------------------------------------------ */

/* parameter: [const] [in | out | inout] [precision] type [name [array]] */
static struct glsl_var *parse_parameter(struct glsl_unit *u) {
    const struct glsl_token *start = glsl_peek(u);
    bool is_const = glsl_accept(u, GLSL_T_CONST);
    enum glsl_storage storage = is_const ? GLSL_PARAM_CONST : GLSL_PARAM_IN;
    unsigned kind = glsl_peek(u)->kind;
    if (kind == GLSL_T_IN || kind == GLSL_T_OUT || kind == GLSL_T_INOUT) {
        glsl_next(u);
        if (kind != GLSL_T_IN) {
            storage = kind == GLSL_T_OUT ? GLSL_PARAM_OUT : GLSL_PARAM_INOUT;
            if (is_const) {
                glsl_error(u, start->pos, "a const parameter cannot be '%s'",
                           glsl_token_kind_text((enum glsl_token_kind)kind));
            }
        }
    }
    uint8_t precision = 0;
    if (is_precision(glsl_peek(u)->kind)) {
        precision = (uint8_t)(glsl_next(u)->kind - GLSL_T_LOWP + GLSL_LOWP);
    }
    const struct glsl_type *type = glsl_parse_type(u, false);
    if (!type) {
        return NULL;
    }
    const struct glsl_token *name = glsl_peek(u);
    struct glsl_atom *atom = glsl_accept(u, GLSL_T_IDENT) ? name->atom : NULL;
    type = parse_array(u, type);
    if (u->panic) {
        return NULL;
    }
    if (type->kind == GLSL_VOID) {
        glsl_error(u, start->pos, "a parameter cannot be of type void");
        type = &glsl_type_error;
    }
    if (type->has_sampler && storage >= GLSL_PARAM_OUT) {
        glsl_error(u, start->pos, "a sampler cannot be an out or inout parameter");
        type = &glsl_type_error;
    }
    struct glsl_var *var = glsl_var_create(u, atom, type, storage, atom ? name->pos : start->pos);
    var->precision = glsl_precision_for(u, type, precision, var->pos);
    return var;
}

/* parameters: '(' [void | parameter {',' parameter}] ')', from the '(' on */
static void parse_parameters(struct glsl_unit *u, struct glsl_function *f) {
    uint32_t cap = 0;
    glsl_next(u);
    if (glsl_peek(u)->kind == GLSL_T_VOID && glsl_kind_at(u, 1) == GLSL_T_RPAREN) {
        glsl_next(u);
    }
    if (glsl_accept(u, GLSL_T_RPAREN)) {
        return;
    }
    do {
        struct glsl_var *var = parse_parameter(u);
        if (!var) {
            return;
        }
        if (f->param_count >= GLSL_MAX_PARAMS) {
            glsl_error(u, var->pos, "more than %d parameters", GLSL_MAX_PARAMS);
            u->panic = true;
            return;
        }
        struct glsl_var **grown = arena_grow(u->arena, f->params, f->param_count, &cap, f->param_count + 1,
                                             sizeof *grown);
        if (!grown) {
            longjmp(u->out_of_memory, 1);
        }
        f->params = grown;
        f->params[f->param_count++] = var;
    } while (glsl_accept(u, GLSL_T_COMMA));
    glsl_expect(u, GLSL_T_RPAREN, "the parameters");
}

static void parse_definition(struct glsl_unit *u, struct glsl_function *head) {
    struct glsl_function *f = glsl_sema_function(u, head, true);
    glsl_scope_push(u);
    for (uint32_t i = 0; i < f->param_count; i++) {
        struct glsl_var *var = f->params[i];
        struct glsl_symbol *s = var->atom ? glsl_declare(u, GLSL_SYM_VAR, var->atom, var->pos) : NULL;
        if (s) {
            s->var = var;
        }
    }
    u->function = f;
    /* The body is a scope of its own: a local variable may hide a parameter. */
    f->body = glsl_parse_block(u, true);
    u->function = NULL;
    glsl_scope_pop(u);
    if (f->type->kind > GLSL_VOID && !f->returns && !u->panic) {
        glsl_warning(u, f->pos, "'%.60s' never returns a value; it counts as zero here", f->atom->text);
    }
}

/* function: type name parameters (';' | block), from the '(' on */
static void parse_function(struct glsl_unit *u, const struct glsl_qualifiers *q, const struct glsl_type *type,
                           const struct glsl_token *name) {
    struct glsl_function *head = glsl_alloc(u, sizeof *head);
    head->atom = name->atom;
    head->type = type;
    head->pos = name->pos;
    if (q->has_storage || q->invariant) {
        glsl_error(u, q->pos, "a return type cannot be '%s'", q->invariant ? "invariant"
                   : q->storage == GLSL_CONST ? "const" : q->storage == GLSL_UNIFORM ? "uniform"
                   : q->storage == GLSL_VARYING ? "varying" : "attribute");
    }
    head->precision = glsl_precision_for(u, type, q->precision, name->pos);
    parse_parameters(u, head);
    if (u->panic) {
        return;
    }
    if (glsl_peek(u)->kind == GLSL_T_LBRACE) {
        parse_definition(u, head);
    } else if (glsl_accept(u, GLSL_T_SEMICOLON)) {
        glsl_sema_function(u, head, false);
    } else {
        glsl_syntax_error(u, "'{' or ';' after the parameters");
    }
}

/* ---- the shader ----------------------------------------------------------------------------------- */

/* invariant: 'invariant' name {',' name} ';' */
static void parse_invariant(struct glsl_unit *u) {
    glsl_next(u);
    do {
        const struct glsl_token *name = glsl_peek(u);
        if (!glsl_expect(u, GLSL_T_IDENT, "'invariant'")) {
            return;
        }
        glsl_sema_invariant(u, name);
    } while (glsl_accept(u, GLSL_T_COMMA));
    glsl_expect(u, GLSL_T_SEMICOLON, "an invariant statement");
}

static void parse_external(struct glsl_unit *u) {
    unsigned kind = glsl_peek(u)->kind;
    if (kind == GLSL_T_PRECISION) {
        parse_precision(u);
        return;
    }
    if (kind == GLSL_T_INVARIANT && glsl_kind_at(u, 1) == GLSL_T_IDENT) {
        parse_invariant(u);
        return;
    }
    if (kind == GLSL_T_SEMICOLON) {
        glsl_syntax_error(u, "a declaration");
        glsl_hint(u, "remove the ';'");
        return;
    }
    struct glsl_qualifiers q = parse_qualifiers(u);
    const struct glsl_type *type = glsl_parse_type(u, true);
    if (!type) {
        return;
    }
    if (glsl_accept(u, GLSL_T_SEMICOLON)) {
        check_empty(u, &q, type);
        return;
    }
    const struct glsl_token *name = glsl_peek(u);
    if (name->kind == GLSL_T_IDENT && glsl_kind_at(u, 1) == GLSL_T_LPAREN) {
        glsl_next(u);
        parse_function(u, &q, type, name);
        return;
    }
    parse_declarators(u, &q, type);
    if (!u->panic) {
        glsl_expect(u, GLSL_T_SEMICOLON, "a declaration");
    }
}

void glsl_parse_unit(struct glsl_unit *u) {
    glsl_apply_extensions(u);
    while (glsl_peek(u)->kind != GLSL_T_EOF && !u->diags->stopped) {
        parse_external(u);
        if (u->panic) {
            glsl_recover(u);
            glsl_accept(u, GLSL_T_RBRACE); /* a stray one, or the end of what was dropped */
        }
    }
}
