/* Declarations that the fuzz targets share. Each target is one LLVMFuzzerTestOneInput, linked with libFuzzer or with
 * replay.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes taken from the input one after another; zeros when it is used up. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline uint8_t fuzz_byte(fuzz_input *input)
{
    if (input->size == 0) {
        return 0;
    }
    input->size--;
    return *input->data++;
}

static inline uint64_t fuzz_u64(fuzz_input *input)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | fuzz_byte(input);
    }
    return value;
}

#endif
