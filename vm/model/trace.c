/* SPDX-License-Identifier: MIT */
/*
 * Traces of warps. A warp is eight threads, two quads, that go in step: at each step the threads at the lowest PC issue.
 * The core runs one quad after the other, or a recording says what another program's quads did, which gives for each the
 * instructions in order, who took part, and the lines of memory that they touched; two quads are merged by lowest PC. What is left for the warp machine is a list of events:
 * runs of computation, and loads with their lines and the distance to the first instruction that needs the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "vm/include/vlgl_warps.h"
#include "vm/model/trace.h"

#define STEP_LINES VLGL_WARPS_LINES_MOST     /* distinct lines of one warp's instruction that are kept */
#define FETCH 0xFFFFFFFFu        /* instruction number of a step that loads vertex attributes */

struct step {
    uint32_t inst;               /* number of the instruction, or FETCH */
    uint32_t line;               /* first of its lines */
    uint16_t lines;
    uint8_t members;
    uint8_t array;               /* FETCH: number of the attribute array, or of the input */
};

struct steps {
    struct step *at;
    size_t count, capacity;
    uint64_t *line;
    size_t line_count, line_capacity;
};

struct builder {
    struct sim_trace *trace;
    const struct sim_core *core;
    const uint32_t *fetch_reg;   /* registers of vertex attributes by 'array' */
    const struct sim_trace_batch *batch;       /* that the core runs */
    struct steps quad[2];
    unsigned filled;             /* quads that are traced and not yet merged */
};

static bool grow(void **memory, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) {
        return true;
    }
    size_t bigger = *capacity * 2 + 256;
    void *more = realloc(*memory, bigger * size);
    if (more == NULL) {
        return false;
    }
    *memory = more;
    *capacity = bigger;
    return true;
}

/* ---- Collecting ---- */

static void add_step(struct builder *b, uint32_t inst, unsigned members, unsigned array) {
    struct steps *s = &b->quad[b->filled - 1];
    if (!grow((void **)&s->at, &s->capacity, s->count, sizeof *s->at)) {
        b->trace->failed = true;
        return;
    }
    s->at[s->count++] = (struct step){.inst = inst, .line = (uint32_t)s->line_count, .members = (uint8_t)members,
                                      .array = (uint8_t)array};
}

/* A line of the newest step; each is kept once. */
static void add_line(struct builder *b, uint64_t line) {
    struct steps *s = &b->quad[b->filled - 1];
    if (s->count == 0) {
        return;
    }
    struct step *step = &s->at[s->count - 1];
    for (uint32_t i = 0; i < step->lines; i++) {
        if (s->line[step->line + i] == line) {
            return;
        }
    }
    if (step->lines >= STEP_LINES || !grow((void **)&s->line, &s->line_capacity, s->line_count, sizeof *s->line)) {
        b->trace->failed = b->trace->failed || step->lines < STEP_LINES;
        return;
    }
    s->line[s->line_count++] = line;
    step->lines++;
}

static void note_step(void *user, const struct core_inst *inst, unsigned members) {
    struct builder *b = user;
    add_step(b, (uint32_t)(inst - b->core->insts), members, 0);
}

static void note_memory(void *user, uint64_t address) {
    struct builder *b = user;
    add_line(b, address / SIM_LINE_BYTES);
}

void sim_trace_touch(struct sim_trace *trace, uint64_t address, uint32_t bytes) {
    struct builder *b = trace->builder;
    if (b != NULL && b->filled > 0 && bytes > 0) {
        for (uint64_t line = address / SIM_LINE_BYTES; line <= (address + bytes - 1) / SIM_LINE_BYTES; line++) {
            add_line(b, line);
        }
    }
}

/* ---- Merging ---- */

static bool add_event(struct sim_trace *t, struct core_event event) {
    if (!grow((void **)&t->event, &t->event_capacity, t->event_count, sizeof *t->event)) {
        t->failed = true;
        return false;
    }
    t->event[t->event_count++] = event;
    return true;
}

/* One warp's instruction. */
struct joint {
    uint32_t inst, array;
    unsigned threads;
    uint32_t lines, first;
};

static void merge_lines(struct sim_trace *t, const struct steps *s, const struct step *step, struct joint *j) {
    for (uint32_t i = 0; i < step->lines; i++) {
        uint64_t line = s->line[step->line + i];
        bool known = false;
        for (uint32_t k = 0; k < j->lines && !known; k++) {
            known = t->line[j->first + k] == line;
        }
        if (known || j->lines >= STEP_LINES) {
            continue;
        }
        if (!grow((void **)&t->line, &t->line_capacity, t->line_count, sizeof *t->line)) {
            t->failed = true;
            return;
        }
        t->line[t->line_count++] = line;
        j->lines++;
    }
}

static uint64_t key(const struct steps *s, size_t at) {
    const struct step *step = &s->at[at];
    return step->inst == FETCH ? step->array : 256u + (uint64_t)step->inst;
}

/* Does the instruction read or write the register? Indexed accesses count as any. */
static bool concerns(const struct core_inst *in, uint32_t reg) {
    for (unsigned i = 0; i < in->reads; i++) {
        if (in->read[i].addr != 0 || in->read[i].reg == reg) {
            return true;
        }
    }
    for (unsigned p = 0; p < 2; p++) {
        if (in->write_mask[p] != 0 && (in->write_reg[p] == reg || (p == 1 && in->write_addr != 0))) {
            return true;
        }
    }
    return in->process >= CORE_MEMORY && in->process_op != ISA_MEM_ST && in->process_reg == reg;
}

/* Instructions from joint i on until one that needs register 'reg'; 'limit' if none does. */
static uint32_t use_distance(const struct builder *b, const struct joint *j, size_t count, size_t i, uint32_t reg) {
    size_t k = i + 1;
    while (k < count && (j[k].inst == FETCH || !concerns(&b->core->insts[j[k].inst], reg))) {
        k++;
    }
    return (uint32_t)(k - i);
}

/* Events of a warp from its instructions. */
static void add_warp(struct builder *b, const struct joint *j, size_t count) {
    struct sim_trace *t = b->trace;
    if (!grow((void **)&t->warp, &t->warp_capacity, t->warp_count + 1, sizeof *t->warp)) {
        t->failed = true;
        return;
    }
    t->warp[t->warp_count++] = t->event_count;
    struct core_event run = {.kind = CORE_RUN};
    for (size_t i = 0; i < count; i++) {
        const struct core_inst *in = j[i].inst != FETCH ? &b->core->insts[j[i].inst] : NULL;
        bool memory = in == NULL || in->process >= CORE_MEMORY;
        unsigned slots = in != NULL ? in->slots : 1;
        t->instructions++;
        t->thread_instructions += j[i].threads;
        if ((memory || run.slots != slots) && run.count > 0) {
            add_event(t, run);
            run.count = 0;
        }
        if (!memory) {
            run.slots = (uint8_t)slots;
            run.count++;
            continue;
        }
        bool store = in != NULL && in->process == CORE_MEMORY && in->process_op == ISA_MEM_ST;
        uint32_t reg = in != NULL ? in->process_reg : b->fetch_reg[j[i].array];
        add_event(t, (struct core_event){.kind = store ? CORE_STORE : CORE_LOAD, .slots = (uint8_t)slots, .count = 1,
                                         .line = j[i].first, .lines = (uint16_t)j[i].lines,
                                         .use = store ? UINT32_MAX : use_distance(b, j, count, i, reg),
                                         .place = in != NULL ? in->pc % SIM_PLACES : j[i].array});
        t->reads += !store;
    }
    if (run.count > 0) {
        add_event(t, run);
    }
    t->warp[t->warp_count] = t->event_count;
}

/* The quads traced so far become a warp. */
static void merge(struct builder *b) {
    struct sim_trace *t = b->trace;
    size_t at[2] = {0, 0}, count = 0, most = b->quad[0].count + b->quad[1].count;
    struct joint *j = malloc((most + 1) * sizeof *j);
    if (j == NULL) {
        t->failed = true;
        return;
    }
    while (at[0] < b->quad[0].count || at[1] < b->quad[1].count) {
        uint64_t k[2] = {UINT64_MAX, UINT64_MAX};
        for (unsigned q = 0; q < 2; q++) {
            k[q] = at[q] < b->quad[q].count ? key(&b->quad[q], at[q]) : UINT64_MAX;
        }
        uint64_t lowest = k[0] < k[1] ? k[0] : k[1];
        struct joint *now = &j[count++];
        *now = (struct joint){.first = (uint32_t)t->line_count};
        for (unsigned q = 0; q < 2; q++) {
            if (k[q] == lowest) {
                const struct step *step = &b->quad[q].at[at[q]++];
                now->inst = step->inst;
                now->array = step->array;
                now->threads += bits_popcount32(step->members);
                merge_lines(t, &b->quad[q], step, now);
            }
        }
    }
    if (count > 0) {
        add_warp(b, j, count);
    }
    free(j);
    for (unsigned q = 0; q < 2; q++) {
        b->quad[q].count = b->quad[q].line_count = 0;
    }
    b->filled = 0;
}

/* A quad begins: the one before the last two is done. */
static void begin_quad(void *user, unsigned lane, unsigned mask) {
    struct builder *b = user;
    if (b->filled == 2) {
        merge(b);
    }
    b->filled++;
    for (uint32_t a = 0; a < b->batch->fetch_count; a++) {
        add_step(b, FETCH, mask, a);
        for (unsigned i = 0; i < 4; i++) {
            if (mask >> i & 1u) {
                sim_trace_touch(b->trace, b->batch->fetch[a * VM_LANES + lane + i], b->batch->fetch_bytes[a]);
            }
        }
    }
}

static void forget(struct builder *b) {
    for (unsigned q = 0; q < 2; q++) {
        free(b->quad[q].at);
        free(b->quad[q].line);
    }
}

/* ---- Public ---- */

struct sim_trace *sim_trace_create(void) { return calloc(1, sizeof(struct sim_trace)); }

void sim_trace_destroy(struct sim_trace *trace) {
    if (trace != NULL) {
        free(trace->event);
        free(trace->line);
        free(trace->warp);
        free(trace);
    }
}

void sim_trace_size(const struct sim_trace *trace, struct sim_trace_size *size) {
    *size = (struct sim_trace_size){trace->warp_count, trace->instructions, trace->thread_instructions, trace->reads,
                                    trace->line_count};
}

bool sim_trace_batch(struct sim_trace *trace, struct sim_core *core, const struct sim_trace_batch *batch,
                     struct sim_result *result) {
    struct builder b = {.trace = trace, .core = core, .batch = batch, .fetch_reg = batch->fetch_reg};
    struct core_hooks hooks = {&b, note_step, note_memory, begin_quad};
    struct vliw_mask live;
    const struct vliw_info *info = &core->program->info;
    float *outputs = malloc((size_t)info->output_count * 4 * VM_LANES * sizeof *outputs + 4);
    struct sim_batch run = {.active = batch->active, .inputs = batch->inputs, .outputs = outputs, .live = &live};
    uint32_t threads = core->config.threads;
    bool quads = core->quads, whole = outputs != NULL;
    if (whole) {
        core->config.threads = 4;     /* one quad after the other, in step */
        core->quads = true;
        core->hooks = &hooks;
        trace->builder = &b;
        sim_batch_run(core, &run, result);
        if (b.filled > 0) {
            merge(&b);
        }
        trace->builder = NULL;
        core->hooks = NULL;
        core->config.threads = threads;
        core->quads = quads;
    }
    forget(&b);
    free(outputs);
    return whole && !trace->failed;
}

/* ---- Recordings ---- */

struct reader {
    const uint8_t *at, *end;
    const char *fault;
};

static uint64_t number(struct reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; r->fault == NULL; shift += 7) {
        if (r->at == r->end || shift > 63 || (shift == 63 && *r->at > 1)) {
            r->fault = r->at == r->end ? "the steps end in the middle" : "a number of more than 64 bits";
            return 0;
        }
        value |= (uint64_t)(*r->at & 127u) << shift;
        if (*r->at++ < 128) {
            return value;
        }
    }
    return 0;
}

/* One step of the newest quad. *last: the line that was read last. */
static void read_step(struct builder *b, struct reader *r, uint64_t head, uint64_t *last) {
    const struct vliw_info *info = &b->core->program->info;
    const uint64_t place = head >> 5, input = place - info->units;
    const unsigned lanes = (unsigned)head & 15u;
    if (lanes == 0) {
        r->fault = "a step without lanes";
    } else if (place >= info->units ? input >= info->input_count || input > UINT8_MAX : b->core->inst_at[place] == UINT32_MAX) {
        r->fault = "a step at no instruction of the program";
    } else if (place >= info->units) {
        add_step(b, FETCH, lanes, (unsigned)input);
    } else {
        add_step(b, b->core->inst_at[place], lanes, 0);
    }
    const uint64_t lines = r->fault == NULL && (head & 16u) ? number(r) : 0;
    if (lines > STEP_LINES) {
        r->fault = "a step with too many lines";
    }
    for (uint64_t i = 0; r->fault == NULL && i < lines; i++) {
        const uint64_t d = number(r);
        *last += d & 1u ? ~(d >> 1) : d >> 1;
        add_line(b, *last);
    }
}

const char *sim_trace_recorded(struct sim_trace *trace, struct sim_core *core, const uint8_t *steps, size_t size, size_t *at) {
    const struct vliw_info *info = &core->program->info;
    struct reader r = {steps, steps + size, NULL};
    struct builder b = {.trace = trace, .core = core};
    uint32_t *reg = malloc(((size_t)info->input_count + 1) * sizeof *reg);
    bool open = false;           /* the newest quad goes on */
    uint64_t last = 0;
    trace->failed = trace->failed || reg == NULL;
    for (uint32_t i = 0; reg != NULL && i < info->input_count; i++) {
        reg[i] = info->inputs[i].reg;
    }
    b.fetch_reg = reg;
    while (r.fault == NULL && !trace->failed && r.at < r.end) {
        const uint64_t head = number(&r);
        if (r.fault != NULL) {
            break;
        }
        if (head == VLGL_WARPS_QUAD || head == VLGL_WARPS_BATCH) {
            const bool batch = head == VLGL_WARPS_BATCH;
            r.fault = batch && open ? "a batch that ends within a quad" : NULL;
            if (batch ? b.filled > 0 : b.filled == 2) {
                merge(&b);
            }
            last = batch ? 0 : last;
            open = false;
            continue;
        }
        b.filled += !open;
        open = true;
        read_step(&b, &r, head, &last);
    }
    if (r.fault == NULL && b.filled > 0) {
        r.fault = "the steps end within a batch";
    }
    *at = (size_t)(r.at - steps);
    forget(&b);
    free(reg);
    return trace->failed ? "out of memory" : r.fault;
}
