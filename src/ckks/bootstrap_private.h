/* Declarations that the files of bootstrapping share: the open object, the run of one batch of ciphertexts, and its
 * stages. */
#ifndef HB_CKKS_BOOTSTRAP_PRIVATE_H
#define HB_CKKS_BOOTSTRAP_PRIVATE_H

#include "bootstrap.h"
#include "bootstrap_maps.h"
#include "bootstrapping/chain.h"
#include "ring/galois.h"
#include "ring/permutation.h"
#include "rlwe/evaluator_build.h"
#include "rlwe/polynomial.h"

typedef struct hb_ckks_bootstrap {
    hb_bootstrap rlwe;
    hb_engine *engine;
    hb_bootstrapping_levels levels;
    bool lowest;       /* operands are at the lowest level */
    size_t count;      /* ciphertexts at a time */
    uint32_t stc, cts; /* maps of each direction */
    uint32_t ranges;   /* of values; the last map to coefficients is there once for each */
    uint32_t *range_bits;
    bool borrowed;        /* the maps are those of another one */
    hb_linear_map **maps; /* [stc - 1 + cts + ranges]: all others in order, then the last ones to coefficients */
    hb_mod_up raise;      /* from q_0 to all primes that are not special */
    hb_permutation conjugation;
    size_t period; /* with which values repeat: that of all slots where they do not */
    uint32_t traces;
    hb_permutation trace[HB_GALOIS_MOST_STEPS];   /* [traces] rotations by the period, twice that, .. N/4 */
    hb_polynomial *eval_mod, *eval_mod_of_errors; /* NULL: errors are left */
    hb_polynomial **tables;                       /* [table_count], each in the place of EvalMod */
    uint32_t table_count;
    uint64_t *work; /* of the words that hb_ckks_bootstrap_bytes counts */
    size_t work_words;
} hb_ckks_bootstrap;

/* One batch of ciphertexts at work. */
typedef struct hb_bootstrap_run {
    hb_evaluator *ev;
    const hb_ckks_bootstrap *b;
    const hb_switch_keys *keys;
    const hb_switch_key *relinearization, *conjugation, *to_sparse, *from_sparse;
    hb_bootstrap_kind kind;
    uint32_t range_bits;
    const hb_polynomial *eval_mod; /* for values, or for errors; or a table */
    size_t count;
    /* Ciphertexts that stages pass on, in the workspace. Two of the places for ciphertexts of the highest level, one
     * behind the other, hold intermediate results of maps, or results of the halves. The halves take the place of
     * earlier ciphertexts of low levels. */
    hb_ciphertexts low[2];  /* operands and results of maps to coefficients, by turns */
    hb_ciphertexts wide[2]; /* likewise, of the other maps */
    hb_ciphertexts coefficients,
        raised; /* modulo q_0 alone, the operand where that is raised first; modulo all primes */
    hb_ciphertexts slots, halves, reduced; /* before they are split; parts, before and behind EvalMod */
    hb_workspace work;                     /* the rest of the workspace */
} hb_bootstrap_run;

/* Return the words of one ciphertext in the places of a run, and of a switch of keys at a level. */
size_t hb_bootstrap_ciphertext_words(const hb_params *params);
size_t hb_bootstrap_switch_words(const hb_params *params, const hb_gadget_level *level);

/* Finds the keys that maps do not find themselves. HB_EDATA naming a missing key. */
hb_status hb_bootstrap_find_keys(hb_bootstrap_run *x);
/* Lays the workspace out for some ciphertexts, as many as go at a time at most. */
void hb_bootstrap_lay_out(hb_bootstrap_run *x, size_t count);
/* Returns whether a bootstrap reads the noise of integers. */
static inline bool hb_bootstrap_reads_noise(const hb_ckks_bootstrap *b)
{
    return hb_bootstrapping_of_integers(&b->rlwe.params->spec.bootstrapping);
}

/* Return whether the operands of a kind are integers; and whether operands are modulo q_0, so that their slots become
 * coefficients behind EvalMod. */
static inline bool hb_bootstrap_of_integers(hb_bootstrap_kind kind)
{
    return kind == HB_BOOTSTRAP_NOISE || kind == HB_BOOTSTRAP_TABLE;
}
static inline bool hb_bootstrap_raises_first(hb_bootstrap_kind kind)
{
    return hb_bootstrap_of_integers(kind) || kind == HB_BOOTSTRAP_LOWEST;
}

/* Copies operands first .. first + x->count - 1 to their place in the workspace and puts pairs together. For neighbours
 * these numbers count pairs, which begin at operand 2 first; numbers of results likewise. */
hb_status hb_bootstrap_take(const hb_bootstrap_run *x, const hb_ciphertexts a[], size_t first);
/* Takes the errors of results of one batch as operands, 2^error_bits times: the differences of results and operands. */
hb_status hb_bootstrap_take_errors(const hb_bootstrap_run *x, const hb_ciphertexts *a, const hb_ciphertexts *r,
                                   size_t first);
/* Does a stage, but for the last; and the last, to results first .. first + x->count, or added to them
 * where they are there and these are their errors. */
hb_status hb_bootstrap_run_stage(const hb_bootstrap_run *x, hb_bootstrap_stage stage);
hb_status hb_bootstrap_join(const hb_bootstrap_run *x, const hb_ciphertexts r[], size_t first);
/* Does all stages in the order of the kind, from operands that were taken to results as hb_bootstrap_join makes them;
 * where the modulus is raised first, as the maps from slots to coefficients make them of these. */
hb_status hb_bootstrap_run_stages(const hb_bootstrap_run *x, const hb_ciphertexts r[], size_t first);

#endif
