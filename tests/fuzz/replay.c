/* Runs a fuzz target without libFuzzer: on every file of a corpus, then on a fixed number of pseudo-random mutations of
 * them. Usage: PROGRAM COUNT FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define ROOM ((size_t)1 << 16)

static uint64_t next(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static size_t load(const char *path, uint8_t *data)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot open\n", path);
        exit(1);
    }
    size_t bytes = fread(data, 1, ROOM, file);
    fclose(file);
    return bytes;
}

/* A few changes of one byte, an end cut off, or a piece copied elsewhere. */
static size_t mutate(uint8_t *data, size_t bytes, uint64_t *state)
{
    for (uint64_t changes = next(state) % 8 + 1; changes > 0 && bytes > 0; changes--) {
        size_t at = (size_t)(next(state) % bytes), from = (size_t)(next(state) % bytes);
        switch (next(state) % 8) {
        case 0:
            bytes = at;
            break;
        case 1:
            memmove(data + at, data + from, bytes - (at > from ? at : from));
            break;
        case 2:
            data[at] ^= (uint8_t)(1u << next(state) % 8);
            break;
        default:
            data[at] = (uint8_t)next(state);
        }
    }
    return bytes;
}

int main(int argc, char **argv)
{
    static uint8_t data[ROOM];
    if (argc < 3) {
        fprintf(stderr, "usage: %s COUNT FILE...\n", argv[0]);
        return 64;
    }
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 2; i < argc; i++) {
        (void)LLVMFuzzerTestOneInput(data, load(argv[i], data));
    }
    uint64_t state = 1;
    for (long count = strtol(argv[1], NULL, 10); count > 0; count--) {
        size_t bytes = load(argv[2 + next(&state) % (uint64_t)(argc - 2)], data);
        (void)LLVMFuzzerTestOneInput(data, mutate(data, bytes, &state));
    }
    return 0;
}
