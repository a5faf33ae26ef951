/* SPDX-License-Identifier: MIT */
/*
 * Distributed programs: the driver's header and footer around a shader, as assembler text, and the shader's words
 * between them with its ENDs turned into branches to the footer. In memory every element has a record: its input
 * registers, then its output registers. A thread takes an index from the scratch counter, loads the inputs, runs the
 * shader, stores the outputs and takes the next index; the last thread to find none left signals the host.
 *
 *   WAIT 2, WAKE 2           the host has started one thread (or quad); it wakes the others
 *   first: T.x = SCRATCH
 *   loop:  T.z = T.x - count | T.y = T.x * stride;  T.z >= 0 ? exit
 *          LD ...            header ends
 *          shader
 *          ST ...            footer begins
 *          T.x = SCRATCH | BL loop
 *   exit:  count me; if I am the last: ST mailbox; END
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/isa/rules.h"
#include "vm/isa/word.h"
#include "vm/model/core.h"
#include "vm/model/uninit.h"

#define DIRECT ISA_DIRECT
#define LOOP 3u                  /* unit of the loop's first instruction */
#define WAITING 2u               /* bit of the mask in which threads wait for the start */

struct text {
    char *at;
    size_t size, capacity;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...) {
    va_list args;
    if (t->capacity - t->size < 256) {
        char *more = realloc(t->at, t->capacity * 2 + 1024);
        if (more == NULL) {
            t->failed = true;
            return;
        }
        t->at = more;
        t->capacity = t->capacity * 2 + 1024;
    }
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->at + t->size, t->capacity - t->size, format, args);
    va_end(args);
}

struct plan {
    const struct vliw_program *user;
    struct sim_distributed *out;
    uint32_t constants;          /* global register of the driver's literals */
    uint32_t keep;               /* register that the shader leaves alone: .y = address of the record */
    unsigned temp, spare;        /* registers below 32 for the driver's own use */
    uint32_t exit, footer;       /* units */
};

static const char *mask_text(unsigned mask, char out[6]) {
    unsigned n = 0;
    out[n++] = '.';
    for (unsigned c = 0; c < 4; c++) {
        if (mask >> c & 1u) {
            out[n++] = "xyzw"[c];
        }
    }
    out[n] = '\0';
    return out;
}

static bool refuse(struct vliw_error *error, enum vliw_status status, const char *text) {
    *error = (struct vliw_error){.status = status, .word = -1, .slot = -1, .rule = -1, .line = -1, .column = -1};
    snprintf(error->message, sizeof error->message, "%s", text);
    return false;
}

/* What cannot be wrapped: code that knows its own addresses or shares the driver's counter. */
static const char *obstacle(const struct vliw_program *p) {
    for (uint32_t pc = 0; pc < p->info.units; pc++) {
        struct isa_inst in;
        struct isa_fault fault;
        if (!(p->starts[pc / 32] >> pc % 32 & 1u)) {
            continue;
        }
        isa_decode_inst(p->words, p->info.units, pc, &in, &fault);
        for (unsigned i = 0; i < in.units; i++) {
            const struct isa_unit *u = &in.unit[i];
            bool arith = u->kind == ISA_UNIT_MAIN || u->kind == ISA_UNIT_SUB;
            if (arith && u->op == ISA_OP_MVS) {
                return "a program that reads status registers cannot be distributed: the driver uses them";
            }
            if (u->kind == ISA_UNIT_BRC && (u->op == ISA_BRC_WAIT || u->op == ISA_BRC_WAKE)) {
                return "a program with WAIT or WAKE cannot be distributed: the driver uses them";
            }
            if (u->kind == ISA_UNIT_BRC && u->op == ISA_BRC_BL && isa_addr_for(&in, ISA_ADDR_PROCESS) != NULL) {
                return "a program with computed branches cannot be distributed: its code moves";
            }
        }
    }
    return NULL;
}

static bool is_io(const struct vliw_io *io, uint32_t count, unsigned reg) {
    for (uint32_t i = 0; i < count; i++) {
        if (io[i].reg == reg) {
            return true;
        }
    }
    return false;
}

/* Two registers below 32 that hold no input and no output. */
static bool choose_registers(struct plan *p) {
    const struct vliw_info *info = &p->user->info;
    unsigned found[2], n = 0;
    if (info->gprs + 1 < DIRECT) {    /* two that the shader does not know at all */
        p->keep = p->temp = info->gprs;
        p->spare = info->gprs + 1;
        return true;
    }
    for (unsigned r = 0; r < DIRECT && n < 2; r++) {
        if (!is_io(info->inputs, info->input_count, r) && !is_io(info->outputs, info->output_count, r)) {
            found[n++] = r;
        }
    }
    p->keep = info->gprs;
    p->temp = found[0];
    p->spare = n == 2 ? found[1] : 0;
    return n == 2 && info->gprs < ISA_GPRS;
}

/* "OP dest a - cN.s": through ADDR where the literal lies beyond the directly named constants. */
static void put_literal(struct text *t, const struct plan *p, const char *op, const char *dest, const char *a, uint32_t c,
                        char component) {
    uint32_t reg = p->constants + c;
    if (reg < DIRECT) {
        put(t, "%s r%u.%s r%u.%s - c%u.%c\n", op, p->temp, dest, p->temp, a, (unsigned)reg, component);
    } else {
        put(t, "ADDR +%u(1) | %s r%u.%s r%u.%s - c0.%c\n", (unsigned)reg, op, p->temp, dest, p->temp, a, component);
    }
}

static void put_transfer(struct text *t, const struct plan *p, const char *op, unsigned reg, unsigned mask, uint32_t at) {
    char m[6];
    if (at < 16) {
        put(t, "%s r%u%s [r%u.y+%u]\n", op, reg, mask_text(mask, m), p->temp, (unsigned)at);
    } else {
        put(t, "ADDR +%u(p) | %s r%u%s [r%u.y]\n", (unsigned)at * 4, op, reg, mask_text(mask, m), p->temp);
    }
}

static void put_inputs(struct text *t, const struct plan *p) {
    const struct vliw_info *info = &p->user->info;
    char m[6];
    for (uint32_t i = 0; i < info->input_count; i++) {
        const struct vliw_io *io = &info->inputs[i];
        bool direct = io->reg < DIRECT;
        put_transfer(t, p, "LD", direct ? io->reg : p->spare, io->mask, i);
        if (!direct) {
            put(t, "ADDR +%u(d) | MOV r0%s r%u\n", (unsigned)io->reg, mask_text(io->mask, m), p->spare);
        }
    }
    if (p->keep != p->temp) {
        put(t, "ADDR +%u(d) | MOV r0.y r%u\n", (unsigned)p->keep, p->temp);
    }
}

/* Registers that the shader may read before it writes them must be 0 for each element, not only the first. */
static bool put_zeros(struct text *t, const struct plan *p) {
    const struct vliw_info *info = &p->user->info;
    uint8_t *masks = calloc(info->gprs + 1, 1);
    char m[6];
    if (masks == NULL || !uninit_find(p->user, masks)) {
        free(masks);
        return false;
    }
    for (uint32_t r = 0; r < info->gprs; r++) {
        if (masks[r] != 0 && r < DIRECT) {
            put(t, "XOR r%u%s r%u\n", (unsigned)r, mask_text(masks[r], m), (unsigned)r);
        } else if (masks[r] != 0) {
            put(t, "ADDR +%u(d) ADDR +%u(0) | XOR r0%s r0\n", (unsigned)r, (unsigned)r, mask_text(masks[r], m));
        }
    }
    free(masks);
    return true;
}

static void put_head(struct text *t, const struct plan *p) {
    put(t, ".nolines\nWAIT 2\nWAKE 2\nMVS r%u.x SCRATCH\n", p->temp); /* the loop begins at unit LOOP */
    if (p->constants < DIRECT) {
        put(t, "ADD r%u.z r%u.x - c%u.y | MUL r%u.y r%u.x - c%u.x\n", p->temp, p->temp, (unsigned)p->constants, p->temp,
            p->temp, (unsigned)p->constants);
    } else {
        put_literal(t, p, "ADD", "z", "x", 0, 'y');
        put_literal(t, p, "MUL", "y", "x", 0, 'x');
    }
    put(t, "PRED GE r%u.z(0) | BL D %u\n", p->temp, (unsigned)p->exit);
}

static void put_foot(struct text *t, const struct plan *p) {
    const struct vliw_info *info = &p->user->info;
    if (p->keep != p->temp) {
        put(t, "ADDR +%u(0) | MOV r%u.y r0\n", (unsigned)p->keep, p->temp);
    }
    for (uint32_t i = 0; i < info->output_count; i++) {
        const struct vliw_io *io = &info->outputs[i];
        bool direct = io->reg < DIRECT;
        if (!direct) {
            put(t, "ADDR +%u(0) | MOV r%u r0\n", (unsigned)io->reg, p->spare);
        }
        put_transfer(t, p, "ST", direct ? io->reg : p->spare, io->mask, info->input_count + i);
    }
    if (!p->out->relaunch) {
        put(t, "MVS r%u.x SCRATCH | BL D %u\n", p->temp, LOOP);
    } else {
        put(t, "END\n");
    }
}

static void put_exit(struct text *t, const struct plan *p) {
    unsigned r = p->temp;
    uint32_t c = p->constants;
    if (p->out->relaunch) {
        put(t, "END\n");
        return;
    }
    if (c + 1 < DIRECT) {
        put(t, "MOV r%u.xy c%u.zw\nFADD r%u.x [r%u.y]\n", r, (unsigned)c, r, r);
        put(t, "XOR r%u.x c%u.x | MOV r%u.w c%u.z\n", r, (unsigned)c + 1, r, (unsigned)c);
    } else {
        put(t, "ADDR +%u(0) | MOV r%u.xyw c0.zwz\nFADD r%u.x [r%u.y]\n", (unsigned)c, r, r, r);
        put(t, "ADDR +%u(0) | XOR r%u.x c0.x\n", (unsigned)c + 1, r);
    }
    put(t, "PRED Z.i r%u.x(0) | ST r%u.w [r%u.y+1]\nEND\n", r, r, r);
}

/* Assembles text to words; the caller frees. NULL after *error is set. */
static uint32_t *assemble(struct text *t, uint32_t *count, struct vliw_error *error) {
    struct vliw_image *image = NULL;
    struct vliw_image_desc d;
    if (t->failed) {
        refuse(error, VLIW_ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (vliw_assemble(t->at, t->size, &image, error) != VLIW_OK) {
        return NULL;
    }
    vliw_image_describe(image, &d);
    uint32_t *words = malloc(d.word_count * sizeof *words);
    if (words != NULL) {
        memcpy(words, d.words, d.word_count * sizeof *words);
        *count = d.word_count;
    } else {
        refuse(error, VLIW_ERR_MEMORY, "out of memory");
    }
    vliw_image_destroy(image);
    return words;
}

/* Header, footer and exit with the branch targets that 'p' holds; their sizes do not depend on these. */
struct parts {
    uint32_t *words[3];
    uint32_t count[3];
};

static void parts_free(struct parts *parts) {
    for (unsigned i = 0; i < 3; i++) {
        free(parts->words[i]);
        parts->words[i] = NULL;
    }
}

static bool parts_make(struct parts *parts, const struct plan *p, struct vliw_error *error) {
    bool ok = true;
    for (unsigned i = 0; i < 3; i++) {
        struct text t = {.at = NULL};
        if (i == 0) {
            put_head(&t, p);
            put_inputs(&t, p);
            if (!p->out->relaunch && !put_zeros(&t, p)) {
                t.failed = true;
            }
        } else {
            (i == 1 ? put_foot : put_exit)(&t, p);
        }
        parts->words[i] = assemble(&t, &parts->count[i], error);
        ok = ok && parts->words[i] != NULL;
        free(t.at);
    }
    return ok;
}

/* Number of instructions in words. */
static uint32_t instructions(const uint32_t *words, uint32_t count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        n += words[i] >> 31;
    }
    return n;
}

/* The shader's words where they will stand: absolute branches moved, END made a branch to the footer. */
static bool place_user(const struct plan *p, uint32_t *to, uint32_t first, struct vliw_error *error) {
    const struct vliw_program *u = p->user;
    for (uint32_t pc = 0; pc < u->info.units;) {
        struct isa_inst in;
        struct isa_fault fault;
        unsigned n = isa_decode_inst(u->words, u->info.units, pc, &in, &fault);
        struct isa_unit *brc = in.process >= 0 && in.unit[in.process].kind == ISA_UNIT_BRC ? &in.unit[in.process] : NULL;
        int32_t target = -1;
        if (brc != NULL && brc->op == ISA_BRC_BL && !brc->option) {
            target = brc->imm + (int32_t)first;
        } else if (brc != NULL && brc->op == ISA_BRC_END) {
            brc->op = ISA_BRC_BL;
            target = (int32_t)p->footer;
        }
        if (target >= (int32_t)ISA_MAX_UNITS) {
            return refuse(error, VLIW_ERR_LIMIT, "the distributed program is longer than a branch reaches");
        }
        if (target >= 0) {
            uint32_t value = (uint32_t)target;
            memcpy(&brc->imm, &(uint16_t){(uint16_t)value}, sizeof brc->imm);
        }
        isa_pack_inst(&in, to + pc);
        pc += n;
    }
    return true;
}

static struct vliw_image *make_image(const struct plan *p, const struct parts *parts, uint32_t count,
                                     struct vliw_error *error) {
    const struct vliw_program *u = p->user;
    const struct vliw_info *info = &u->info;
    uint32_t total = parts->count[0] + info->units + parts->count[1] + parts->count[2], at = 0;
    uint32_t *words = calloc(total, sizeof *words), *lines = calloc(total, sizeof *lines);
    struct vliw_literal *literals = calloc(info->literal_count + 2, sizeof *literals);
    struct vliw_image *image = NULL;
    uint32_t done = count * p->out->stride, threads = p->out->threads - 1;
    if (words != NULL && lines != NULL && literals != NULL) {
        memcpy(words, parts->words[0], parts->count[0] * sizeof *words);
        at = parts->count[0];
        if (!place_user(p, words + at, at, error)) {
            goto out;
        }
        for (uint32_t i = 0; u->lines != NULL && i < info->units; i++) {
            lines[at + i] = u->lines[i];
        }
        at += info->units;
        memcpy(words + at, parts->words[1], parts->count[1] * sizeof *words);
        at += parts->count[1];
        memcpy(words + at, parts->words[2], parts->count[2] * sizeof *words);
        if (info->literal_count > 0) {
            memcpy(literals, info->literals, info->literal_count * sizeof *literals);
        }
        literals[info->literal_count] = (struct vliw_literal){
            p->constants, {bits_from_float((float)p->out->stride), bits_from_float(-(float)count), 1,
                           bits_from_float((float)done)}, 15};
        literals[info->literal_count + 1] = (struct vliw_literal){p->constants + 1, {threads, 0, 0, 0}, 15};
        image = vliw_image_create(&(struct vliw_image_desc){
            .stage = info->stage, .name = info->name, .words = words, .word_count = total,
            .lines = u->lines != NULL ? lines : NULL, .samplers = info->samplers, .sampler_count = info->sampler_count,
            .literals = literals, .literal_count = info->literal_count + 2, .globals = info->globals,
            .gprs = info->gprs > p->keep ? info->gprs : p->keep + 1});
    }
    if (image == NULL) {
        refuse(error, VLIW_ERR_MEMORY, "out of memory");
    }
out:
    free(words);
    free(lines);
    free(literals);
    return image;
}

/* ---- The two public steps ---- */

bool sim_distribute(const struct vliw_program *user, uint32_t count, uint32_t threads, struct sim_distributed *out,
                    struct vliw_error *error) {
    struct plan p = {.user = user, .out = out, .constants = user->info.globals};
    struct parts parts = {.count = {0, 0, 0}};
    memset(out, 0, sizeof *out);
    out->count = count;
    out->threads = threads;
    out->stride = 4 * (user->info.input_count + user->info.output_count);
    out->relaunch = (user->info.flags & VLIW_USES_DISCARD) != 0;
    const char *reason = obstacle(user);
    if (reason == NULL && (uint64_t)count * out->stride + 8 >= 1u << 24) {
        reason = "more elements than addresses that a float counts exactly";
    }
    if (reason == NULL && user->info.globals + 2 > ISA_GLOBALS) {
        reason = "the program leaves no constants to the driver";
    }
    if (reason == NULL && !choose_registers(&p)) {
        reason = "the program leaves no registers to the driver";
    }
    if (reason != NULL) {
        return refuse(error, VLIW_ERR_LIMIT, reason);
    }
    bool ok = parts_make(&parts, &p, error);
    if (ok) {
        p.footer = parts.count[0] + user->info.units;
        p.exit = p.footer + parts.count[1];
        parts_free(&parts);
        ok = p.exit + 16 < ISA_MAX_UNITS ? parts_make(&parts, &p, error)
                                         : refuse(error, VLIW_ERR_LIMIT, "the distributed program is too long");
    }
    struct vliw_image *image = ok ? make_image(&p, &parts, count, error) : NULL;
    if (image != NULL) {
        out->user_first = parts.count[0];
        out->user_units = user->info.units;
        out->words = p.exit + parts.count[2];
        out->driver = instructions(parts.words[0], parts.count[0]) + instructions(parts.words[1], parts.count[1]) -
                      (out->relaunch ? 0 : LOOP);
        vliw_program_create(image, &out->program, error);
        vliw_image_destroy(image);
    }
    parts_free(&parts);
    return out->program != NULL;
}

size_t sim_distributed_memory(const struct sim_distributed *d) { return (size_t)d->count * d->stride + 8; }

bool sim_distributed_done(const struct sim_distributed *d, const uint32_t *memory) {
    return memory[(size_t)d->count * d->stride + 7] == 1;
}

void sim_distributed_destroy(struct sim_distributed *d) {
    vliw_program_destroy(d->program);
    memset(d, 0, sizeof *d);
}

struct relaunch {
    uint32_t left;               /* elements that no thread was started for */
};

static uint32_t relaunch_next(void *user, struct sim_core *core, unsigned first, unsigned count) {
    struct relaunch *r = user;
    uint32_t mask = 0;
    for (unsigned i = 0; i < count && r->left > 0; i++) {
        sim_core_clear(core, first + i);
        mask |= 1u << i;
        r->left--;
    }
    return mask;
}

bool sim_distributed_run(const struct sim_distributed *d, const struct sim_config *config, const uint32_t *globals,
                         uint32_t global_count, struct vliw_memory *memory, vliw_sample_fn sample, void *sample_context,
                         struct sim_result *result, struct vliw_error *error) {
    struct sim_config c = *config;
    struct relaunch again = {d->count};
    c.threads = d->threads;
    c.waiting = d->relaunch ? 0 : WAITING;
    c.next = d->relaunch ? relaunch_next : NULL;
    c.user = &again;
    struct sim_core *core = sim_core_create(d->program, &c, error);
    if (core == NULL) {
        return false;
    }
    sim_core_globals(core, globals, global_count);
    sim_core_attach(core, memory, sample, sample_context);
    sim_core_run(core, result);
    if (d->relaunch && result->status == VLIW_OK) {
        memory->data[(size_t)d->count * d->stride + 7] = 1;      /* the host started each thread: it knows the end */
    }
    sim_core_destroy(core);
    return true;
}
