/* Counts the bytes that are allocated on an engine. */
#ifndef HB_TESTS_COUNTING_ENGINE_H
#define HB_TESTS_COUNTING_ENGINE_H

#include "reference/engine_copy.h"

typedef struct counting {
    engine_copy copy; /* of the engine's, but for alloc */
    const hb_engine_ops *real;
    uint64_t bytes;
} counting;

static counting counted;

static inline hb_status counting_alloc(hb_engine *e, size_t bytes, void **memory)
{
    counted.bytes += bytes;
    return counted.real->memory->alloc(e, bytes, memory);
}

/* From now on, from 0. One engine at a time; off before it closes. */
static inline void count_on(hb_engine *e)
{
    counted.real = e->ops;
    counted.bytes = 0;
    engine_copy_of(&counted.copy, e->ops);
    counted.copy.memory.alloc = counting_alloc;
    e->ops = &counted.copy.ops;
}

static inline void count_off(hb_engine *e)
{
    e->ops = counted.real;
}

/* The bytes that an engine has for a while as few diagonals are encoded, all their slots: a table, a word, slots and
 * their coefficients. */
static inline uint64_t counted_encoding(size_t n, size_t diagonals)
{
    return (n + 1 + 2 * diagonals * n) * sizeof(uint64_t);
}

#endif
