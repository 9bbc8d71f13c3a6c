/* Linear combinations of polynomials, as a product of a matrix with rows: strips of words that stay in the caches for
 * all outputs, copied close together, as rows that lie a power of two apart compete for the same lines of a cache. */
#include "cpu_private.h"
#include "kernels.h"

/* Inputs of one chunk: a strip of so many, 64 words each, stays in the second-level cache. */
#define CHUNK 192

/* The workspace of a strip: memory of the queue. */
typedef struct memory {
    uint64_t (*rows)[HB_CPU_TILE_WORDS];                    /* [CHUNK] */
    uint64_t (*sums)[HB_CPU_TILE_WORDS], (*weights)[CHUNK]; /* [HB_CPU_TILE_OUTPUTS] */
} memory;

static memory memory_of(hb_engine *e)
{
    _Static_assert((CHUNK * HB_CPU_TILE_WORDS + HB_CPU_TILE_OUTPUTS * (HB_CPU_TILE_WORDS + CHUNK)) <=
                       (HB_MAX_LIMBS + 1) * HB_CPU_BLOCK_ROW,
                   "a strip fits the memory of a block");
    uint64_t *words = hb_cpu(e)->block;
    memory x = {.rows = (uint64_t(*)[HB_CPU_TILE_WORDS])words};
    words += CHUNK * HB_CPU_TILE_WORDS;
    x.sums = (uint64_t(*)[HB_CPU_TILE_WORDS])words;
    x.weights = (uint64_t(*)[CHUNK])(words + HB_CPU_TILE_OUTPUTS * HB_CPU_TILE_WORDS);
    return x;
}

/* A strip: words first .. first + n of limb l of polynomial c. Rows are padded to whole vectors. */
typedef struct strip {
    uint32_t l;
    size_t c, first, n;
} strip;

static void copy_row(uint64_t *to, const uint64_t *from, size_t n)
{
    memcpy(to, from, n * sizeof *to);
    memset(to + n, 0, (HB_CPU_TILE_WORDS - n) * sizeof *to);
}

/* Returns weights first .. first + count, which are counted through the rows of their polynomials: where they stand, or
 * where they go from one row to the next a copy. */
static const uint64_t *weights_at(hb_engine *e, uint64_t *copy, const hb_combination *x, uint32_t l, size_t first,
                                  size_t count)
{
    const size_t n = e->ring->n;
    if (first % n + count <= n) {
        return hb_cpu_row(e, x->weights, first / n, l) + first % n;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = hb_cpu_row(e, x->weights, (first + i) / n, l)[(first + i) % n];
    }
    return copy;
}

/* Adds the terms of inputs first .. first + count, whose strips are in the room, to outputs o .. o + outputs. */
static void add_terms(hb_engine *e, const hb_combination *x, const strip *s, const memory *room, uint32_t o,
                      uint32_t first, uint32_t count)
{
    const hb_modulus *m = hb_cpu_modulus(e, x->weights, s->l);
    hb_cpu_tile tile = {.rows = (const uint64_t(*)[HB_CPU_TILE_WORDS])room->rows, .terms = count};
    tile.outputs = x->outputs - o < HB_CPU_TILE_OUTPUTS ? x->outputs - o : HB_CPU_TILE_OUTPUTS;
    for (uint32_t k = 0; k < tile.outputs; k++) {
        tile.weights[k] = weights_at(e, room->weights[k], x, s->l, (size_t)(o + k) * x->inputs + first, count);
        tile.sums[k] = room->sums[k];
        if (first == 0) {
            memset(room->sums[k], 0, sizeof room->sums[k]);
        } else {
            copy_row(room->sums[k], hb_cpu_row(e, x->r[o + k], s->c, s->l) + s->first, s->n);
        }
    }
    hb_cpu_kernels_at(0)->tile(&tile, s->n, m, m->f64 != 0);
    for (uint32_t k = 0; k < tile.outputs; k++) {
        memcpy(hb_cpu_row(e, x->r[o + k], s->c, s->l) + s->first, room->sums[k], s->n * sizeof(uint64_t));
    }
}

static void combine_strip(hb_engine *e, const hb_combination *x, const strip *s)
{
    const memory room = memory_of(e);
    for (uint32_t first = 0; first < x->inputs; first += CHUNK) {
        const uint32_t count = x->inputs - first < CHUNK ? x->inputs - first : CHUNK;
        for (uint32_t i = 0; i < count; i++) {
            copy_row(room.rows[i], hb_cpu_row(e, x->a[first + i], s->c, s->l) + s->first, s->n);
        }
        for (uint32_t o = 0; o < x->outputs; o += HB_CPU_TILE_OUTPUTS) {
            add_terms(e, x, s, &room, o, first, count);
        }
    }
}

hb_status hb_cpu_combine(hb_engine *e, const hb_combination *x)
{
    const size_t n = e->ring->n;
    for (uint32_t l = 0; l < x->weights.limbs; l++) {
        for (size_t c = 0; c < x->r[0].count; c++) {
            for (size_t j = 0; j < n; j += HB_CPU_TILE_WORDS) {
                const strip s = {l, c, j, n - j < HB_CPU_TILE_WORDS ? n - j : HB_CPU_TILE_WORDS};
                combine_strip(e, x, &s);
            }
        }
    }
    return HB_OK;
}
