/* SPDX-License-Identifier: MIT */
/* Pipeline diagrams: threads by clocks, collected by watching a core, printed as text. */
#include <stdio.h>
#include <stdlib.h>

#include "vm/model/sim.h"

void sim_diagram_note(void *diagram, uint64_t clock, unsigned thread, unsigned stage, uint32_t unit, bool ghost) {
    struct sim_diagram *d = diagram;
    if (clock < d->first || clock - d->first >= SIM_DIAGRAM_CLOCKS) {
        return;
    }
    uint32_t x = (uint32_t)(clock - d->first);
    d->clocks = x + 1 > d->clocks ? x + 1 : d->clocks;
    if (stage == SIM_WRITE1) {        /* the slot of the thread's next fetch */
        d->cell[thread][x].writes = true;
        return;
    }
    d->cell[thread][x].stage = (uint8_t)(stage + 1);
    d->cell[thread][x].unit = (uint16_t)unit;
    d->cell[thread][x].ghost = ghost;
}

/* F 0 1 M E E E W; a ghost's stages in small letters; '.' where the thread has nothing in the pipeline. */
static char letter(const struct sim_diagram *d, unsigned thread, uint32_t x) {
    static const char big[] = "F01MEEEW", small[] = "f01meeew";
    unsigned stage = d->cell[thread][x].stage;
    return stage == 0 ? '.' : d->cell[thread][x].ghost ? small[stage - 1] : big[stage - 1];
}

char *sim_diagram_text(const struct sim_diagram *d) {
    size_t line = 16 + d->clocks;
    char *text = malloc((SIM_THREADS + 3) * line), *p = text;
    if (text == NULL) {
        return NULL;
    }
    p += sprintf(p, "clock    ");
    for (uint32_t x = 0; x < d->clocks; x++) {
        *p++ = (char)('0' + (d->first + x) / 10 % 10);
    }
    p += sprintf(p, "\n         ");
    for (uint32_t x = 0; x < d->clocks; x++) {
        *p++ = (char)('0' + (d->first + x) % 10);
    }
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        p += sprintf(p, "\nthread %u ", t);
        for (uint32_t x = 0; x < d->clocks; x++) {
            *p++ = letter(d, t, x);
        }
    }
    p += sprintf(p, "\n");
    return text;
}
