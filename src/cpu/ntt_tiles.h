/* The last stages of a transform forward, the first ones inverse, whatever the arithmetic: a part of ntt_stages.h.
 *
 * They pair words less than a vector apart. The row is seen as blocks of TILE words, of which HB_LANES are transposed
 * into a tile, a block a lane; the butterflies of these stages pair whole vectors of a tile. */
#ifndef HB_CPU_NTT_TILES_H
#define HB_CPU_NTT_TILES_H

#define TILE (2 * HB_LANES)
#define HALF_STAGES (HB_TILE_STAGES(HB_LANES) - 1)
#define TILE_WORDS ((TILE - 1) * PLANES * HB_LANES) /* of its factors */

/* Half of a tile, a block of the row a lane: word e of that half of block v is lane v of vector e. */
HB_CLONED_INLINE void load_half(hb_words v[HB_LANES], const uint64_t *x)
{
    HB_UNROLLED
    for (size_t i = 0; i < HB_LANES; i++) {
        v[i] = hb_vector_load(x + i * TILE);
    }
    hb_vector_transpose(v);
}

HB_CLONED_INLINE void store_half(uint64_t *x, hb_words v[HB_LANES])
{
    hb_vector_transpose(v);
    HB_UNROLLED
    for (size_t i = 0; i < HB_LANES; i++) {
        hb_vector_store(x + i * TILE, v[i]);
    }
}

/* Number i of a tile's factors, each in all its planes. */
HB_CLONED_INLINE factor tile_factor(const uint64_t *w, size_t i)
{
    w += i * PLANES * HB_LANES;
    return factor_of(hb_vector_load(w), hb_vector_load(w + (PLANES - 1) * HB_LANES));
}

/* Some groups of one stage, pairs `gap` vectors apart, with the factors from number i on. */
HB_CLONED_INLINE void tile_groups(element *v, size_t groups, size_t gap, const uint64_t *w, size_t i, prime m,
                                  const bool reduce, const bool back)
{
    HB_UNROLLED
    for (size_t g = 0; g < groups; g++) {
        const factor f = tile_factor(w, i + g);
        HB_UNROLLED
        for (size_t e = 0; e < gap; e++) {
            element *x = &v[2 * gap * g + e], *y = x + gap;
            if (back) {
                inverse_butterfly(x, y, f, m, reduce);
            } else {
                butterfly(x, y, f, m, reduce);
            }
        }
    }
}

HB_CLONED_INLINE void tile_stage(element *v, size_t groups, size_t gap, const uint64_t *w, size_t i, prime m,
                                 uint8_t reductions, const bool back)
{
    if (reductions != 0) {
        tile_groups(v, groups, gap, w, i, m, true, back);
    } else {
        tile_groups(v, groups, gap, w, i, m, false, back);
    }
}

/* Stage k of those inside half h, which has 2^k groups of it. */
HB_CLONED_INLINE void half_stage(element *v, size_t h, size_t k, const uint64_t *w, prime m, uint8_t reductions,
                                 const bool back)
{
    const size_t groups = (size_t)1 << k;
    tile_stage(v, groups, HB_LANES / 2 / groups, w, 2 * groups - 1 + h * groups, m, reductions, back);
}

/* The stage across both halves, then one half after the other: half as many vectors to hold at a time. */
HB_CLONED_INLINE void tile_forward(uint64_t *x, const uint64_t *w, prime m, const uint8_t *reductions)
{
    hb_words words[TILE];
    element v[TILE];
    load_half(words, x);
    load_half(words + HB_LANES, x + HB_LANES);
    HB_UNROLLED
    for (size_t e = 0; e < TILE; e++) {
        v[e] = get(words[e]);
    }
    tile_stage(v, 1, HB_LANES, w, 0, m, reductions[0], false);
    HB_UNROLLED
    for (size_t h = 0; h < 2; h++) {
        HB_UNROLLED
        for (size_t k = 0; k < HALF_STAGES; k++) {
            half_stage(v + h * HB_LANES, h, k, w, m, reductions[k + 1], false);
        }
        HB_UNROLLED
        for (size_t e = 0; e < HB_LANES; e++) {
            words[e] = leave(v[h * HB_LANES + e], m);
        }
        store_half(x + h * HB_LANES, words);
    }
}

HB_CLONED_INLINE void tile_inverse(uint64_t *x, const uint64_t *w, prime m, const uint8_t *reductions)
{
    hb_words words[HB_LANES];
    element v[TILE];
    HB_UNROLLED
    for (size_t h = 0; h < 2; h++) {
        load_half(words, x + h * HB_LANES);
        HB_UNROLLED
        for (size_t e = 0; e < HB_LANES; e++) {
            v[h * HB_LANES + e] = enter(words[e]);
        }
        HB_UNROLLED
        for (size_t i = 0; i < HALF_STAGES; i++) {
            const size_t k = HALF_STAGES - 1 - i;
            half_stage(v + h * HB_LANES, h, k, w, m, reductions[k + 1], true);
        }
    }
    tile_stage(v, 1, HB_LANES, w, 0, m, reductions[0], true);
    HB_UNROLLED
    for (size_t h = 0; h < 2; h++) {
        HB_UNROLLED
        for (size_t e = 0; e < HB_LANES; e++) {
            words[e] = put(v[h * HB_LANES + e]);
        }
        store_half(x + h * HB_LANES, words);
    }
}

/* The tiles of block `block` of 2^blocks of the row. */
static void forward_tiles(const hb_cpu_ntt *t, uint64_t *x, uint32_t blocks, size_t block)
{
    const prime m = prime_of(&t->modulus);
    const size_t tiles = t->n / (TILE * HB_LANES) >> blocks, from = block * tiles;
    for (size_t i = from; i < from + tiles; i++) {
        tile_forward(x + i * TILE * HB_LANES, t->tile_w + i * TILE_WORDS, m, t->reductions + t->outer);
    }
}

static void inverse_tiles(const hb_cpu_ntt *t, uint64_t *x, uint32_t blocks, size_t block)
{
    const prime m = prime_of(&t->modulus);
    const size_t tiles = t->n / (TILE * HB_LANES) >> blocks, from = block * tiles;
    for (size_t i = from; i < from + tiles; i++) {
        tile_inverse(x + i * TILE * HB_LANES, t->tile_iw + i * TILE_WORDS, m, t->inverse_reductions + t->outer);
    }
}

#endif
