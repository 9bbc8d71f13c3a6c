/* A design of a transform as a paper describes it, to be run beside ours. Designs live here only: the product links
 * none of them.
 *
 * Data: `count` polynomials, one after the other, each `moduli` limbs of n words, limb by limb, in GPU memory; a word
 * has word_bytes. Words are canonical, in [0, primes[limb]), at both ends of a transform, which is negacyclic, in
 * place, natural order in and bit-reversed order out, as hb_ntt's (src/semantics.md 2.2): so every design can be
 * compared with the CPU engine word for word. A design whose words stand in an order of its own says so and multiplies
 * instead. */
#ifndef HB_BENCH_DESIGN_H
#define HB_BENCH_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct hb_design_case {
    uint32_t log_n, bits; /* bits of every prime */
    uint32_t moduli;
    const uint64_t *primes; /* [moduli], distinct, = 1 mod 2n */
    const uint64_t *roots;  /* [moduli], primitive 2n-th roots of unity: psi of hb_ring */
    size_t count;           /* polynomials of a call */
    bool forward;           /* which way will be measured; others need not be supported */
} hb_design_case;

typedef struct hb_design {
    const char *name;   /* "kim-shared-radix-256": in JSON and on the command line */
    const char *title;  /* in tables: "two kernels, shared memory, radix 256" */
    const char *source; /* "Kim et al., section 5" */
    uint32_t word_bytes;
    uint32_t most_bits; /* of a prime */
    uint32_t min_log_n, max_log_n;
    bool forward_only;
    bool own_order;      /* multiply is there, and the order of transformed words is the design's own */
    const void *variant; /* of the file that has the design: radix, reduction, ... */

    /* Tables for the case onto the GPU. The case is borrowed and outlives the state. HB_ENOMEM; HB_EUNAVAILABLE where
     * this GPU cannot (shared memory, registers), said with HB_FAIL. */
    hb_status (*open)(const struct hb_design *design, const hb_design_case *c, void **state);
    /* Issues a transform of all the data to `stream` (a cudaStream_t), does not wait, and may be recorded in a CUDA
     * graph. */
    hb_status (*transform)(void *state, void *data, bool forward, void *stream);
    /* own_order: a = the negacyclic products of a and b, both transformed; result transformed. */
    hb_status (*multiply)(void *state, void *a, const void *b, void *stream);
    void (*close)(void *state);               /* NULL is allowed */
    size_t (*table_bytes)(const void *state); /* of one modulus and direction, as compared in figure 4 of Kim et al. */
} hb_design;

/* The designs of a file; a design whose name is NULL ends the list. */
extern const hb_design hb_designs_ours[];    /* ours.cu: the product's own kernels behind this interface */
extern const hb_design hb_designs_stages[];  /* ntt_stages.cu: radix 2, a kernel for each stage */
extern const hb_design hb_designs_single[];  /* ntt_one.cu: one kernel, without and with shared memory */
extern const hb_design hb_designs_hybrid[];  /* ntt_hybrid.cu: Ozerk et al. */
extern const hb_design hb_designs_kim[];     /* ntt_register.cu: high radix in registers */
extern const hb_design hb_designs_kim_two[]; /* ntt_two_kernels.cu: two kernels, shared memory; twiddles on the fly */
extern const hb_design hb_designs_cheddar[]; /* ntt_cheddar.cu: 32-bit signed Montgomery, two kernels */
extern const hb_design hb_designs_dgt[];     /* dgt.cu: Al Badawi et al., half-length over Gaussian integers */
extern const hb_design *const hb_designs[];  /* designs.c: all of these, NULL at the end */

/* By name; NULL: there is none. */
const hb_design *hb_design_find(const char *name);

#endif
