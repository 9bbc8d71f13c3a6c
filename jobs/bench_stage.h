/* What the lines on ciphertexts work on: an engine with keys, and a batch of everything. */
#ifndef HB_BENCH_STAGE_H
#define HB_BENCH_STAGE_H

#include "bench_private.h"
#include "decrypt.h"
#include "encode.h"
#include "encrypt.h"

typedef struct hb_bench_stage {
    const hb_params *params;
    hb_engine *engine;
    size_t count; /* ciphertexts a call */
    hb_encoder *encoder;
    hb_seed root, public_seed;
    hb_seed *seeds; /* [count] */
    int8_t *ternary;
    hb_secret_key secret;
    hb_public_key public;
    hb_encryptor *with_secret, *with_public;
    hb_decryptor *decryptor;
    hb_batch values, plain, plain_gamma, c0, c1, phase;
    uint32_t *budgets;   /* [count] */
    size_t packed_bytes; /* of one polynomial */
    void *packed, *digests;
    void *host;      /* [count] packed polynomials, page-locked */
    uint64_t number; /* of the next ciphertext */
} hb_bench_stage;

/* *s is zero before; the caller clears it whatever happens. Afterwards c0 and seeds are ciphertexts of the secret. */
hb_status hb_bench_stage_init(hb_bench_stage *s, const hb_bench_options *options);
void hb_bench_stage_clear(hb_bench_stage *s);

/* Storage, arithmetic, sampling and the link (bench_pieces.c). */
hb_status hb_bench_pieces(hb_bench *bench, hb_bench_stage *s);

#endif
