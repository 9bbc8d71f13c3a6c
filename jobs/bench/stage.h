/* What the lines on ciphertexts work on: an engine with keys and a batch of everything (check/stage.h), and its stored
 * rows. */
#ifndef HB_BENCH_STAGE_H
#define HB_BENCH_STAGE_H

#include "bench_private.h"
#include "bfv/behz.h"
#include "check/stage.h"

typedef struct hb_bench_stage {
    hb_engine *engine; /* its own */
    hb_stage scheme;   /* on it; count: ciphertexts a call */
    int8_t *ternary;   /* [n] of a secret key */
    hb_batch plain_gamma;
    hb_behz behz; /* of fresh ciphertexts; zeros where they have no products, and then no ... */
    hb_batch auxiliary;
    size_t packed_bytes; /* of one polynomial */
    void *packed, *digests;
    void *host; /* [count] packed polynomials, page-locked */
    size_t now; /* ciphertexts of the calls that are measured now */
} hb_bench_stage;

/* Opens an engine on the device of the options; keys are drawn anew. *s is zero before; the caller clears it whatever
 * happens. Afterwards c0 and seeds are ciphertexts of the secret. HB_ENOMEM; what the device fails with. */
hb_status hb_bench_stage_init(hb_bench_stage *s, const hb_bench_options *options);
void hb_bench_stage_clear(hb_bench_stage *s);

/* Storage, arithmetic, sampling and the link (pieces.c). */
hb_status hb_bench_pieces(hb_bench *bench, hb_bench_stage *s);

#endif
