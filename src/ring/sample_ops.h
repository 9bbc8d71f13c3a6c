/* Random polynomials (engine.h). Words depend on seed, purpose and item only (base/seed.h): the same on any engine and
 * any number of ranks. */
#ifndef HB_RING_SAMPLE_OPS_H
#define HB_RING_SAMPLE_OPS_H

#include "base/seed.h"
#include "base/status.h"
#include "batch.h"
#include "ring_ops.h"

/* Small distributions; each coefficient is drawn from one word of the stream (base/sample.h). */
typedef enum hb_distribution {
    HB_TERNARY,  /* uniform on {-1, 0, 1} */
    HB_GAUSSIAN, /* discrete Gaussian, sigma 3.2, |x| <= 19 */
    HB_BINOMIAL  /* centred binomial of 21 - 21 bits, SEAL's default, |x| <= 21 */
} hb_distribution;

/* Noise F = 2^u (A - B) + U - 2^(u - 1), A and B of w uniform bits, U of u: all of it random bits. */
#define HB_EXACT_FLOOD_MOST_WIDTH 62 /* A - B + 2^w is below 2^63 */
typedef struct hb_exact_flood {
    uint32_t u, w; /* u: 1 or more; w: 1 .. HB_EXACT_FLOOD_MOST_WIDTH */
} hb_exact_flood;

/* The table of an engine. Each entry does the work of the function below with its name. */
typedef struct hb_sample_ops {
    hb_status (*sample_uniform)(hb_engine *e, hb_batch r, const hb_seed *seeds);
    hb_status (*mul_uniform)(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b);
    hb_status (*sample_small)(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw);
    hb_status (*add_small)(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign);
    hb_status (*add_exact_flood)(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds);
} hb_sample_ops;

/* Draws uniform residues: limb l of polynomial c is the stream (seeds[c], HB_DRAW_UNIFORM, item = ids[l]). seeds: host,
 * [count]. */
hb_status hb_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds);
/* Computes r = those polynomials * b, without themselves ever standing in memory. r and b do not overlap. b.count may
 * be 1. */
hb_status hb_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b);
/* Draws small integers: polynomial c takes them from the stream of item draw.item + c, the same integer in every limb.
 * Every modulus is above the largest of them (HB_ASSERT). */
hb_status hb_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw);
/* Computes r = r + those polynomials, or r - those. */
hb_status hb_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign);
/* Computes r = r + F, coefficient by coefficient. F of polynomial c is of seeds[c] (host, [count], secret): streams of
 * HB_DRAW_EXACT_FLOOD, item 0 for A, 1 for B, 2 and on for the words of U from the lowest. Word i of each belongs to
 * coefficient i, and its low bits are taken. Constant time. */
hb_status hb_add_exact_flood(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds);

#endif
