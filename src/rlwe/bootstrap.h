/* Bootstrapping, for schemes that support it (scheme/bootstrap.h): it raises a ciphertext of reals to a higher level,
 * and takes noise out of a ciphertext of integers. */
#ifndef HB_RLWE_BOOTSTRAP_H
#define HB_RLWE_BOOTSTRAP_H

#include "ciphertexts.h"

/* The operands of a bootstrap, from a[] to r[]. The imaginary parts of real ciphertexts are 0 but for errors. */
typedef enum hb_bootstrap_kind {
    HB_BOOTSTRAP_COMPLEX, /* one batch: real and imaginary parts, each with its own reduction modulo q_0 */
    HB_BOOTSTRAP_REAL,    /* one batch of reals, with one such reduction: imaginary parts become 0 but for errors */
    HB_BOOTSTRAP_PAIR,    /* two batches of reals, a[0] + i a[1], as one: r[0] and r[1] */
    /* One batch of reals, ciphertexts 2 k and 2 k + 1 as one, likewise; a single last one as HB_BOOTSTRAP_REAL. */
    HB_BOOTSTRAP_NEIGHBOURS,
    HB_BOOTSTRAP_LOWEST, /* one batch of complex ones or reals at the lowest level, each as a complex one */
    HB_BOOTSTRAP_NOISE,  /* one batch of integers: a pass over their noise; all kinds before are of reals */
    HB_BOOTSTRAP_TABLE,  /* one batch of integers in coefficients: each is looked up in a table */
    HB_BOOTSTRAP_KINDS   /* their number */
} hb_bootstrap_kind;

/* Returns how many batches are operands, and results. */
static inline uint32_t hb_bootstrap_batches(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_PAIR ? 2 : 1;
}
/* Returns how many ciphertexts are bootstrapped as one. */
static inline uint32_t hb_bootstrap_as_one(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_PAIR || kind == HB_BOOTSTRAP_NEIGHBOURS ? 2 : 1;
}

/* The most ciphertexts at a time: more would gain little by sharing keys, and take more memory. */
enum { HB_BOOTSTRAP_TOGETHER = 8 };

typedef struct hb_bootstrap hb_bootstrap;

/* A table that bootstrapping applies to coefficients modulo t = 2^bits (refresh/table.h): entry m stands at m. */
typedef struct hb_bootstrap_table {
    uint32_t bits;           /* 2 .. HB_TABLE_MOST_BITS (bootstrapping/chain.h) */
    const uint64_t *entries; /* [2^bits], each below t; borrowed while a bootstrap is opened */
} hb_bootstrap_table;

/* The requirements of bootstrapping. */
typedef struct hb_bootstrap_spec {
    size_t count; /* ciphertexts a batch; if fewer than HB_BOOTSTRAP_TOGETHER, memory is allocated for no more */
    /* [ranges] of values: real and imaginary parts are at most 2^range_bits[i] in magnitude, and where operands are at
     * the lowest level the modulus is. Each range has its own linear map. 1 or more, all different. Integers: none, and
     * none is looked at. */
    const uint32_t *range_bits;
    uint32_t ranges;
    /* of the values, a power of two that divides N/2: maps then have fewer stages. 0: they do not repeat. */
    size_t period;
    /* [table_count] tables of integers, on chains with levels for them. NULL: none. */
    const hb_bootstrap_table *tables;
    uint32_t table_count;
    /* Whether to find the error of each bootstrap, from its operand, and bootstrap that too: twice the work, without
     * the errors of the first bootstrap except those of divisions at the scale of levels. */
    bool twice;
    /* Whether operands are at the lowest level: all are of HB_BOOTSTRAP_LOWEST then, else none is. Not with `twice` or
     * a period. */
    bool lowest;
    /* An open bootstrap on the same device for the same ranges and period, of another queue: this one shares its maps,
     * and is closed before it. NULL: none. */
    const hb_bootstrap *of;
} hb_bootstrap_spec;

/* Bytes of the engine's memory for bootstrapping; where limbs are divided, on the member with most. */
typedef struct hb_bootstrap_memory {
    uint64_t shared; /* linear maps, which one of the queues has for all (hb_bootstrap_spec.of) */
    uint64_t own;    /* of each queue */
} hb_bootstrap_memory;

/* The stages whose results can be observed. */
typedef enum hb_bootstrap_stage {
    HB_BOOTSTRAP_STC,      /* a map from slots to coefficients */
    HB_BOOTSTRAP_RAISE,    /* to the highest level */
    HB_BOOTSTRAP_CTS,      /* a map from coefficients to slots */
    HB_BOOTSTRAP_SPLIT,    /* real parts of all, followed by imaginary parts */
    HB_BOOTSTRAP_EVAL_MOD, /* the same, reduced modulo q_0 */
    HB_BOOTSTRAP_JOIN,     /* the whole bootstrap; of kinds that raise the modulus first both parts, joined */
    HB_BOOTSTRAP_STAGES    /* their number */
} hb_bootstrap_stage;

/* Sees the result of a stage for some of the ciphertexts, for tests and measurements; it must not change it. */
typedef struct hb_bootstrap_observer {
    hb_status (*see)(void *with, hb_bootstrap_stage stage, hb_ciphertexts made);
    void *with;
} hb_bootstrap_observer;

/* A bootstrap, opened once for an engine and its forks, one queue at a time. The first member of a scheme's. */
struct hb_bootstrap {
    const hb_params *params;
    uint32_t limbs, result_limbs;   /* of operands, and of results */
    hb_bootstrap_observer observer; /* called after each stage; the owner may set it at any time; NULL: none */
};

#endif
