/* The operations on reals (engine.h): between the slots of CKKS, the coefficients of polynomials as doubles, and their
 * residues (semantics.md 9.7).
 *
 * A batch of reals has one limb, whose modulus means nothing: any of which every member of a group has the limb. Its
 * words are the bits of doubles. Slots are N/2 complex numbers: N/2 real parts, then N/2 imaginary parts; slot j is the
 * value at zeta^(5^j), or as the tables of a transform have it, zeta = exp(i pi / N). Coefficients are N reals in the
 * order of the polynomial; coefficient k and coefficient k + N/2 are the parts of one complex number in the transform.
 *
 * Where scales are longer than doubles hold, coefficients are double-doubles (base/double_double.h), and the transforms
 * compute in them: such a batch, a wide one, has two polynomials for each, high parts and behind them low parts. Slots
 * are doubles all the same. Every result has the same bits on every engine. */
#ifndef HB_RING_REAL_OPS_H
#define HB_RING_REAL_OPS_H

#include "engine.h"
#include "real_arith.h"

/* The tables of a transform, in memory of an engine (roots.h). */
typedef struct hb_slot_tables {
    double *twiddles; /* [2][N/2], real parts first; of wide ones [4][N/2], their low parts behind */
    /* [N/2] 2 j, or 2 j + 1: number i of the transform is slot j, or its conjugate. NULL: slots are in powers of 5,
     * and number i is slot i. */
    uint32_t *order;
    bool wide; /* coefficients are double-doubles */
} hb_slot_tables;

/* The factor that makes integers of coefficients. Batches of doubles use the high parts alone. */
typedef struct hb_real_scale {
    hb_dd value;
    hb_dd inverse; /* of wide ones; integers become double-doubles by a product with it */
    bool wide;     /* coefficients are double-doubles */
} hb_real_scale;

/* Returns a scale of coefficients that are doubles. */
static inline hb_real_scale hb_real_scale_of(double scale)
{
    return (hb_real_scale){{scale, 0}, {0, 0}, false};
}

/* How coefficients become integers. */
typedef struct hb_rounding {
    hb_real_scale scale;
    /* A word in memory of the engine, which becomes the least index of a refused coefficient, or keeps its value if
     * that is less. Refused: a coefficient, infinity or NaN that rounds to no integer below 2^62, or 2^125 of wide
     * ones. Its index is (first + polynomial) N + coefficient. */
    uint64_t *refused;
    uint64_t first;
} hb_rounding;

/* Makes the constants of the first of these limbs, pairwise coprime: as few as have a product of 2^128 or more, or all.
 * HB_ECONFIG where that takes more than HB_COMPOSITION_LIMBS; *composition is then zeroed. Nothing is borrowed. */
hb_status hb_composition_init(hb_composition *composition, const hb_ring *ring, const uint16_t *ids, uint32_t limbs);

/* The table of an engine. Each entry does the work of the function below with its name. */
struct hb_real_ops {
    hb_status (*slots_to_coefficients)(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables);
    hb_status (*coefficients_to_slots)(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables);
    hb_status (*round_reals)(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding);
    hb_status (*compose_reals)(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                               const hb_real_scale *scale);
};

/* Compute coefficients of slots, and slots of coefficients; of wide tables coefficients are a wide batch, of twice as
 * many polynomials, and slots are rounded to doubles. tables: hb_slot_tables_init (roots.h) of this engine. No
 * overlap. The slots are kept; the coefficients are used as workspace. */
hb_status hb_slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables);
hb_status hb_coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables);
/* Computes r = the residues of the integers nearest to coefficient times scale, ties to even; 0 where it is refused. a
 * is one batch of reals, wide as the scale says, r has any limbs, in coefficient form. No overlap. */
hb_status hb_round_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding);
/* Computes r = (the double nearest to the centred integer, ties to even) / scale, rounded; or for wide reals the
 * double-double (high part nearest to the integer, low part to the remainder) times the inverse of the scale. a: the
 * limbs of the composition, in coefficient form; r is a batch of reals, wide as the scale says. No overlap.
 * Exchanges. */
hb_status hb_compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                           const hb_real_scale *scale);

#endif
