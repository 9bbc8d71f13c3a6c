/* How a dataset of integers is refreshed: passes of bootstrapping, each with the range k that the bound of the noise
 * before it allows. The plan goes by the bound that the dataset says and never by data, so that it is the same on all
 * machines. Pure. */
#ifndef HB_PASSES_PLAN_H
#define HB_PASSES_PLAN_H

#include "io/dataset/dataset.h"

/* Enough for any chain: add_passes stops here in any case. */
enum { HB_REFRESH_MOST_PASSES = 320 };

typedef struct hb_refresh_wish {
    hb_certainty certainty; /* of the bounds that passes are planned from */
    uint32_t passes;        /* the most of them; 0: as many as gain something */
    const char *name;       /* of the dataset, for messages */
    const uint8_t *sum;     /* [HB_DIGEST_BYTES] of the dataset */
} hb_refresh_wish;

typedef struct hb_refresh_plan {
    uint32_t passes;                         /* 1 or more */
    uint32_t k[HB_REFRESH_MOST_PASSES];      /* of each */
    double bits[HB_REFRESH_MOST_PASSES + 1]; /* of budget: before the first pass, by the bound that is wished for;
                                              * behind each, as a header says them */
    double expected_before, expected_behind; /* likewise, as expected */
    hb_quality quality;                      /* behind the last one, at the users' highest level */
    double failure_bits; /* log2 of the probability that passes lose one of the dataset's ciphertexts, of all residues;
                          * -infinity: they cannot */
} hb_refresh_plan;

/* Plans the passes for the ciphertexts of a dataset with the header `old`, and makes the header of the refreshed
 * one, which the caller clears. Passes end where one would give less than a bit more. HB_EDATA, with the name and a
 * remedy: the dataset is of reals, or of a chain without bootstrapping; only some coefficients of its ciphertexts
 * are stored; its noise is assumed; too little budget is left to be read; so much is left that nothing is gained; or
 * passes could lose a ciphertext with a higher probability than 2^HB_QUALITY_MOST_FAILURE. HB_ECONFIG: t is too long
 * for the chain. HB_ENOMEM. */
hb_status hb_refresh_plan_make(const hb_params *params, const hb_header *old, const hb_refresh_wish *wish,
                               hb_header *header, hb_refresh_plan *plan);

#endif
