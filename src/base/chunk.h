/* Counts of things: the larger of two, and many of them, some at a time:
 *
 *     for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) { ... c.first, c.count ... } */
#ifndef HB_BASE_CHUNK_H
#define HB_BASE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t hb_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

typedef struct hb_chunk {
    size_t first, count; /* of this turn of the loop */
    size_t step, all;
} hb_chunk;

/* Chunks of `step` things, 1 or more; the last one may have fewer. */
static inline hb_chunk hb_chunks(size_t all, size_t step)
{
    return (hb_chunk){.step = step, .all = all};
}

/* Moves on to the next chunk; false: there is none. */
static inline bool hb_chunk_next(hb_chunk *chunk)
{
    chunk->first += chunk->count;
    const size_t left = chunk->all - chunk->first;
    chunk->count = left < chunk->step ? left : chunk->step;
    return chunk->count > 0;
}

#endif
