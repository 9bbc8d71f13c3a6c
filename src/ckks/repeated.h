/* Plaintexts of slots that repeat. Where slot x + p is slot x, the polynomial is one in X^(N/2p), and words of its NTT
 * form, in bit-reversed order, stand in runs of N/2p equal ones. So it is made and held in the ring of 2p words a limb,
 * as hb_rotation_sums takes it. Its words are those that all slots give, to the bit: the first stages of a transform of
 * slots double numbers that repeat, which is exact, and the last stages of an NTT copy words. */
#ifndef HB_CKKS_REPEATED_H
#define HB_CKKS_REPEATED_H

#include "codec.h"

/* The words of the smallest ring that every engine opens (cuda/engine/engine.h); smaller ones would save little. */
#define HB_REPEATED_LEAST ((size_t)1 << 10)

/* Returns the words of a limb for slots with that period, a power of two that divides N/2: 2p, but no fewer than the
 * least, or N where that is less. */
static inline size_t hb_repeated_words(size_t n, size_t period)
{
    const size_t words = 2 * period > HB_REPEATED_LEAST ? 2 * period : HB_REPEATED_LEAST;
    return words < n ? words : n;
}

/* Returns a contiguous batch of such plaintexts on memory for count times its stride. */
static inline hb_batch hb_repeated_on(const hb_engine *e, uint64_t *memory, size_t count, uint32_t limbs,
                                      const uint16_t *ids, size_t words)
{
    hb_batch r = hb_batch_on(e, memory, count, limbs, ids);
    r.stride = r.stride < e->ring->n ? r.stride : r.stride / e->ring->n * words; /* nothing of it may be here */
    r.n = r.limb_stride = words;
    return r;
}

/* Sets slots, words / 2 real parts and then as many imaginary parts, to those of plaintext i. */
typedef void (*hb_repeated_put)(const void *context, size_t i, double *slots);

/* An encoder of such plaintexts: tables, and memory of the engine and of the host for some at a time. */
typedef struct hb_repeated hb_repeated;
/* Opens an encoder of plaintexts like those of a batch as above, whose memory is not looked at: with its words and
 * limbs, which have roots, or some of these, and as many at a time at most as it has. Borrows the engine and the
 * parameters. HB_ENOMEM. Closing wipes what was encoded, and takes NULL. */
hb_status hb_repeated_open(hb_engine *engine, const hb_params *params, hb_batch like, hb_repeated **out);
void hb_repeated_close(hb_repeated *encoder);
/* Encodes plaintexts, any number of them, at a scale; `put` is called for each once, in their order, while the engine
 * encodes those before. *refused becomes the first with a coefficient that is too large for the scale (hb_ckks_encode),
 * or their number where there is none. Waits. HB_ENOMEM. */
hb_status hb_repeated_encode(hb_repeated *encoder, hb_batch plain, hb_exact_scale scale, hb_repeated_put put,
                             const void *context, size_t *refused);

#endif
