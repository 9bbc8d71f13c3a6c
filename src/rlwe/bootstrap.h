/* Bootstrapping, which a scheme may have (scheme/bootstrap.h): what gives a ciphertext levels again. */
#ifndef HB_RLWE_BOOTSTRAP_H
#define HB_RLWE_BOOTSTRAP_H

#include "ciphertexts.h"

/* What is bootstrapped, from a[] to r[]. Real ciphertexts are those whose imaginary parts are 0 but for errors. */
typedef enum hb_bootstrap_kind {
    HB_BOOTSTRAP_COMPLEX, /* one batch: real and imaginary parts, each by a reduction modulo q_0 of its own */
    HB_BOOTSTRAP_REAL,    /* one batch of reals, with one such reduction: imaginary parts become 0 but for errors */
    HB_BOOTSTRAP_PAIR,    /* two batches of reals, a[0] + i a[1], as one: r[0] and r[1] */
    /* One batch of reals, ciphertexts 2 k and 2 k + 1 as one, likewise; a last one that is alone as HB_BOOTSTRAP_REAL.
     */
    HB_BOOTSTRAP_NEIGHBOURS,
    HB_BOOTSTRAP_KINDS /* how many there are */
} hb_bootstrap_kind;

/* Returns how many batches go in, and come out. */
static inline uint32_t hb_bootstrap_batches(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_PAIR ? 2 : 1;
}
/* Returns how many ciphertexts go as one. */
static inline uint32_t hb_bootstrap_as_one(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_PAIR || kind == HB_BOOTSTRAP_NEIGHBOURS ? 2 : 1;
}

/* So many ciphertexts go at a time, at most: more would gain little by sharing keys, and take their memory. */
enum { HB_BOOTSTRAP_TOGETHER = 8 };

typedef struct hb_bootstrap hb_bootstrap;

/* What will be bootstrapped. */
typedef struct hb_bootstrap_spec {
    size_t count; /* ciphertexts a batch; of fewer than HB_BOOTSTRAP_TOGETHER there is memory for no more than these */
    /* [ranges] of values: parts are at most 2^range_bits[i] in magnitude. Each takes a linear map of its own. 1 or
     * more, different from one another. */
    const uint32_t *range_bits;
    uint32_t ranges;
    /* With which values repeat, a power of two that divides N/2: maps have fewer stages then. 0: they do not. */
    size_t period;
    /* Whether the error of each bootstrap is found, as what it was made of is still there, and bootstrapped itself:
     * twice the work, errors of the first one gone but for those of divisions at the scale of levels. */
    bool twice;
    /* One that is open on the same device for the same ranges and period, of another queue: its maps serve this one
     * too, and it is closed after this one. NULL: there is none. */
    const hb_bootstrap *of;
} hb_bootstrap_spec;

/* Bytes of the engine's memory that bootstrapping takes; on the member with most of them, where limbs are divided. */
typedef struct hb_bootstrap_memory {
    uint64_t shared; /* linear maps, which one of the queues has for all (hb_bootstrap_spec.of) */
    uint64_t own;    /* of each queue */
} hb_bootstrap_memory;

/* Behind what a bootstrap can be looked at. */
typedef enum hb_bootstrap_stage {
    HB_BOOTSTRAP_STC,      /* a map that makes slots coefficients */
    HB_BOOTSTRAP_RAISE,    /* to the highest level */
    HB_BOOTSTRAP_CTS,      /* a map that makes coefficients slots */
    HB_BOOTSTRAP_SPLIT,    /* real parts of all, and behind them imaginary parts */
    HB_BOOTSTRAP_EVAL_MOD, /* the same, reduced modulo q_0 */
    HB_BOOTSTRAP_JOIN,     /* all of it */
    HB_BOOTSTRAP_STAGES    /* how many there are */
} hb_bootstrap_stage;

/* Sees what a stage has made of some of the ciphertexts, for tests and measurements; it must not change that. */
typedef struct hb_bootstrap_observer {
    hb_status (*see)(void *with, hb_bootstrap_stage stage, hb_ciphertexts made);
    void *with;
} hb_bootstrap_observer;

/* What is opened once for an engine and its forks, one queue at a time. The first member of a scheme's. */
struct hb_bootstrap {
    const hb_params *params;
    uint32_t limbs, result_limbs;   /* of operands, and of results */
    hb_bootstrap_observer observer; /* anyone may set it; NULL: nobody looks */
};

#endif
