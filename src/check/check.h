/* Holds an engine to the CPU engine: every operation of ring/engine.h runs on both, on the same words, and every word
 * is compared, also those around the views. So a GPU that computes wrongly is found before it writes a ciphertext.
 *
 * Words are random, mixed with the extremes of their range; strides leave gaps; rows start off the 64-byte grid. Fused
 * operations are also compared with their compositions of simple operations. Rank-local. */
#ifndef HB_CHECK_CHECK_H
#define HB_CHECK_CHECK_H

#include "rlwe/params.h"

/* On how many limbs hb_engine_check tries operations. Zeroed: on all. */
typedef struct hb_check_sample {
    bool few;      /* on the first, the last and two that are drawn, where all would take about a second or longer */
    uint64_t seed; /* of the draw: other limbs with each */
} hb_check_sample;

/* Checks an engine on the ring of `params`, which is the engine's: operations on limbs of the sample, then encryption,
 * decryption and evaluation as a whole, with all limbs. It takes about a tenth of a second at N = 8192 and seconds at
 * N = 65536, of a sample less than one there, nearly all of it on the CPU. HB_EUNAVAILABLE with the operation and the
 * place, "NTT mod 8796092858369, polynomial 1, word 17: the engine says .., the CPU .."; an operation that fails keeps
 * its status and gets its name in front of the reason. HB_ENOMEM. */
hb_status hb_engine_check(hb_engine *engine, const hb_params *params, hb_check_sample sample);

/* The ring on which operations are tried; any will do. The ids are borrowed. */
typedef struct hb_check_shape {
    const uint16_t *ids; /* [limbs] pairwise coprime, each with a root and above HB_BINOMIAL_BOUND */
    uint32_t limbs;
    uint16_t plain_id, gamma_id; /* any two */
    size_t count;                /* polynomials, >= 1 */
    uint64_t seed;               /* of the words */
} hb_check_shape;

/* Runs every operation once or more. cpu is a CPU engine on the same ring. Failures as above. */
hb_status hb_engine_check_operations(hb_engine *engine, hb_engine *cpu, const hb_check_shape *shape);
/* Compares keys, encoding, both ways to encrypt, decryption and noise budget of `count` ciphertexts on both engines.
 * HB_EUNAVAILABLE, HB_ENOMEM. */
hb_status hb_engine_check_scheme(hb_engine *engine, hb_engine *cpu, const hb_params *params, size_t count);
/* Compares products, relinearization, rotation and modulus switching of `count` ciphertexts of `limbs` limbs, a level
 * that exists and has products, on both engines. HB_EUNAVAILABLE, HB_ENOMEM. */
hb_status hb_engine_check_evaluation(hb_engine *engine, hb_engine *cpu, const hb_params *params, uint32_t limbs,
                                     size_t count);

#endif
