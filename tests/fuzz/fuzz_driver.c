/* SPDX-License-Identifier: MIT */
/*
 * Plain main for a fuzz target (LLVMFuzzerTestOneInput) where libFuzzer is not used:
 *     fuzz_x FILE...          replays files
 *     fuzz_x -n COUNT [-s SEED]   runs COUNT mutations of the target's own seeds
 * The target gives its seeds by fuzz_seed; mutations are deterministic in SEED.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(unsigned number, uint8_t *out, size_t capacity); /* 0: there are no more */

#define CAPACITY 65536u

static uint64_t state;

static uint32_t rnd(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (uint32_t)((state >> 33) % below) : 0;
}

static size_t mutate(uint8_t *data, size_t size, const uint8_t *other, size_t other_size) {
    for (uint32_t k = 1 + rnd(6); k > 0; k--) {
        uint32_t at = rnd((uint32_t)size + 1), n = 1 + rnd(16);
        switch (rnd(6)) {
        case 0:
            if (at < size) {
                data[at] ^= (uint8_t)(1u << rnd(8));
            }
            break;
        case 1:
            if (at < size) {
                data[at] = (uint8_t)rnd(256);
            }
            break;
        case 2: /* delete */
            n = at + n > size ? (uint32_t)(size - at) : n;
            memmove(data + at, data + at + n, size - at - n);
            size -= n;
            break;
        case 3: /* repeat a piece */
            n = at + n > size ? (uint32_t)(size - at) : n;
            if (size + n <= CAPACITY) {
                memmove(data + at + n, data + at, size - at);
                size += n;
            }
            break;
        case 4: /* piece of another seed */
            if (other_size > 0) {
                uint32_t from = rnd((uint32_t)other_size);
                n = from + n > other_size ? (uint32_t)(other_size - from) : n;
                if (at + n <= size) {
                    memcpy(data + at, other + from, n);
                }
            }
            break;
        default: /* cut off */
            if (rnd(4) == 0) {
                size = at;
            }
            break;
        }
    }
    return size;
}

/* Runs one input in a block of exactly its size, so that a sanitizer sees every byte too far. */
static void run(const uint8_t *data, size_t size) {
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact != NULL) {
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
}

static int run_mutations(unsigned long count) {
    static uint8_t data[CAPACITY], other[CAPACITY];
    unsigned seeds = 0;
    while (fuzz_seed(seeds, data, CAPACITY) > 0) {
        run(data, fuzz_seed(seeds, data, CAPACITY));
        seeds++;
    }
    if (seeds == 0) {
        fprintf(stderr, "the target has no seeds\n");
        return 1;
    }
    for (unsigned long i = 0; i < count; i++) {
        size_t size = fuzz_seed(rnd(seeds), data, CAPACITY),
               other_size = fuzz_seed(rnd(seeds), other, CAPACITY);
        run(data, mutate(data, size, other, other_size));
    }
    printf("%u seeds, %lu mutations\n", seeds, count);
    return 0;
}

static int replay(const char *path) {
    static uint8_t data[1u << 20];
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fprintf(stderr, "cannot open %s\n", path);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    run(data, size);
    return 0;
}

int main(int argc, char **argv) {
    unsigned long count = 20000;
    state = 1;
    if (argc > 1 && argv[1][0] != '-') {
        int status = 0;
        for (int i = 1; i < argc; i++) {
            status |= replay(argv[i]);
        }
        return status;
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-n") == 0) {
            count = strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "-s") == 0) {
            state = strtoull(argv[i + 1], NULL, 10);
        }
    }
    return run_mutations(count);
}
