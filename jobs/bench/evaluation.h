/* Measured operations of an evaluator that every scheme has, with their operands: ciphertexts at the level of fresh
 * ones (private to the measurements of schemes). */
#ifndef HB_BENCH_EVALUATION_H
#define HB_BENCH_EVALUATION_H

#include "bench_private.h"
#include "check/fixture.h"
#include "scheme/weights.h"

enum {
    HB_BENCH_HOISTED = 8, /* rotations of one operand, and terms of the sum of one output */
    HB_BENCH_SUMS = 4     /* outputs, of as many terms each */
};

typedef struct hb_evaluation {
    hb_engine *engine; /* its own */
    hb_fixture fixture;
    hb_ciphertexts low;                       /* one limb fewer */
    hb_ciphertexts rotated[HB_BENCH_HOISTED]; /* the results of the hoisted rotations */
    hb_weights sum, sums;                     /* of those rotations: one sum of all; four of the first four */
    size_t count;                             /* ciphertexts of the calls that are measured now */
} hb_evaluation;

/* Opens an engine of its own, and a fixture of `count` ciphertexts on it. The caller fills the plaintexts before
 * hb_evaluation_prepare. Zero x before; close it in any case. HB_ENOMEM. */
hb_status hb_evaluation_open(hb_evaluation *x, const hb_bench_options *options, size_t count);
/* Encrypts the plaintexts, and makes keys for rotations by 1, 2, .. 2^(rotations - 1) and memory for results.
 * HB_ENOMEM. */
hb_status hb_evaluation_prepare(hb_evaluation *x, uint32_t rotations);
void hb_evaluation_close(hb_evaluation *x);

/* Returns memory of `a` for x->count ciphertexts, filled with canonical residues and not with those ciphertexts. */
hb_ciphertexts hb_evaluation_first(const hb_evaluation *x, hb_ciphertexts a);

/* Bodies of measurements, on an hb_evaluation: a sum; a rotation; all hoisted rotations; one sum, and several, of their
 * results times numbers; the descent by one limb. */
hb_status hb_evaluation_add(void *x);
hb_status hb_evaluation_rotate(void *x);
hb_status hb_evaluation_rotate_hoisted(void *x);
hb_status hb_evaluation_combine(void *x);
hb_status hb_evaluation_combine_several(void *x);
hb_status hb_evaluation_mod_switch(void *x);

#endif
