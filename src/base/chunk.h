/* Counts of things: the larger and the smaller of two, and the loop that goes through many things, some at a time:
 *
 *     for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) { ... c.first, c.count ... } */
#ifndef HB_BASE_CHUNK_H
#define HB_BASE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the larger of two counts. */
static inline size_t hb_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Returns the smaller of two counts. */
static inline size_t hb_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The state of such a loop. Before the first hb_chunk_next both first and count are 0. */
typedef struct hb_chunk {
    size_t first, count; /* the things of this turn of the loop: first .. first + count - 1 */
    /* things in a full chunk, and in all of them */
    size_t step, all;
} hb_chunk;

/* Returns the loop over `all` things in chunks of `step`, which is at least 1; the last chunk may have fewer. */
static inline hb_chunk hb_chunks(size_t all, size_t step)
{
    return (hb_chunk){.step = step, .all = all};
}

/* Moves on to the next chunk; returns false when there is none. */
static inline bool hb_chunk_next(hb_chunk *chunk)
{
    chunk->first += chunk->count;
    const size_t left = chunk->all - chunk->first;
    chunk->count = left < chunk->step ? left : chunk->step;
    return chunk->count > 0;
}

#endif
