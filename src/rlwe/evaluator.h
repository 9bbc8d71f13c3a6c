/* The operations on batches of ciphertexts that evaluators of all schemes share, on any engine (numbers are sections of
 * semantics.md). Results are bit-identical to Microsoft SEAL's in coefficient form, where keys are of SEAL's gadget
 * and, if they are Galois keys, come from s(X^g) as SEAL's do. A scheme opens an evaluator and adds its own operations
 * (bfv/evaluator.h). An evaluator belongs to one queue. Its workspace is allocated when it opens; operations allocate
 * nothing (but see hoisting).
 *
 * Operands are on levels that exist: the first `limbs` data primes. Unless a comment says otherwise, operands have the
 * same form, level and count, r may be an operand (not overlap it in part), and nothing waits. Wrong shapes are errors
 * of the caller (HB_ASSERT). Keys are of the parameters' gadget and serve the operands' level; prepared as integers
 * they take coefficient form. Rank-local. */
#ifndef HB_RLWE_EVALUATOR_H
#define HB_RLWE_EVALUATOR_H

#include "ciphertexts.h"
#include "op_progress.h"
#include "switch_keys.h"

/* The operations that an evaluator's workspace is made for. */
typedef struct hb_evaluator_requirements {
    uint32_t limbs;     /* of the highest level */
    size_t count;       /* ciphertexts at a time */
    uint32_t size;      /* components of the largest factor of a product, 2 unless asked otherwise; 0: no products */
    bool switching;     /* relinearization, automorphisms */
    bool hoisting;      /* several automorphisms of one operand */
    bool plain_factors; /* products with plaintexts */
    hb_op_observer observer; /* of the steps of long operations; zeroed: none */
} hb_evaluator_requirements;

typedef struct hb_evaluator hb_evaluator;

/* Returns the parameters, which the evaluator borrows. */
const hb_params *hb_evaluator_params(const hb_evaluator *evaluator);

/* Compute r = a + b and r = a - b (6.1). Sizes may differ; r has the larger one. b may hold one ciphertext, which
 * serves all of a. */
hb_status hb_evaluator_add(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);
hb_status hb_evaluator_sub(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);
/* Computes r = -a (6.1). */
hb_status hb_evaluator_negate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);
/* Computes r = a. a may hold one ciphertext, which serves all of r. */
hb_status hb_evaluator_copy(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);
/* Sums all ciphertexts of a into the one of r: with first = true it sets r, else it adds to r. a is destroyed. */
hb_status hb_evaluator_sum(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, bool first);
/* Computes r = factor * a, every residue times `factor` mod q_i. SEAL has no such operation; the noise grows by
 * |factor|. */
hb_status hb_evaluator_multiply_integer(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t factor);

/* Divides by the last prime of the level, or by all that it owns at once, and rounds (6.7; 9.6). r has the limbs of the
 * level below and any size; it may begin where a does. */
hb_status hb_evaluator_mod_switch(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);
/* Takes the leading limbs of a, as many as r has, for values much smaller than their product. r may begin where a
 * does. */
hb_status hb_evaluator_drop(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);
/* Brings integers up to a higher level, or the same, without any error (9.14): r = a times the product of the primes
 * that r has and a has not. So the limbs of a are multiplied, and the new ones are 0. Message and noise over the
 * product of all primes stay as they are. In both forms; r has the size of a, and is a or does not overlap it. */
hb_status hb_evaluator_extend(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);

/* Relinearizes (6.8): a has 3 components, r 2; key is of HB_RELINEARIZATION. r may be the leading components of a. */
hb_status hb_evaluator_relinearize(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key);
/* Relinearizes and divides by q_l, the last prime of the level or the product of all that it owns, in NTT form: a has 3
 * components, r 2 and the limbs of the level below. Where digits are centred and these primes are above 2^32 there is
 * one division by P q_l, and one rounding; else the division by q_l follows that by P. No overlap. */
hb_status hb_evaluator_relinearize_rescale(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a,
                                           const hb_switch_key *key);
/* Brings ciphertexts of size 2 under another secret: r = (a_0 + d_0, d_1), d the key switch (6.8) of a_1. key is from
 * the secret of a to that of r, HB_FROM_SECRET. r may be a. */
hb_status hb_evaluator_change_key(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key);
/* Applies the automorphism of the key (6.9) to ciphertexts of size 2. Whether the key switches from the automorphism or
 * to it, results differ by rounding only. In NTT form the first use of a key waits, unless
 * hb_evaluator_prepare_hoisting was called. */
hb_status hb_evaluator_galois(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key);
/* Computes r plus the result of hb_evaluator_galois on a. r may be a. */
hb_status hb_evaluator_galois_add(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key);
/* Returns true if hb_evaluator_galois_sum takes the key, of the parameters' gadget, with ciphertexts of this form: in
 * NTT form that is a key with centred digits that switches to the automorphism. */
bool hb_evaluator_galois_sums(const hb_evaluator *ev, const hb_switch_key *key, hb_form form);
/* Adds to r the results of the automorphisms of `count` such keys, 1 to HB_GALOIS_SUM_MOST, on r, in place: digits are
 * made once, and the sum is divided by P once (9.6). So words differ from sums of hb_evaluator_galois by rounding; for
 * one key they are those of hb_evaluator_galois_add. The first use of a key waits, as there. */
#define HB_GALOIS_SUM_MOST 3
hb_status hb_evaluator_galois_sum(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_key *const *keys, uint32_t count);
/* Applies the automorphisms of several keys to one operand, r[i] by keys[i]: the digits of a are made once. Results are
 * bit-identical to hb_evaluator_galois. Waits. No r[i] overlaps a; count is 1 or more, and all keys are integers
 * (hb_switch_key_to_integers) or none is. The parts of a key for hoisting are made at its first use, unless
 * hb_evaluator_prepare_hoisting made it. */
hb_status hb_evaluator_galois_hoisted(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a,
                                      const hb_switch_key *const *keys, uint32_t count);
/* Makes and keeps, in memory of the engine, the data that hoisting needs for the keys at the level of `limbs` limbs. It
 * is useless for other keys, even in the same memory. Waits. */
hb_status hb_evaluator_prepare_hoisting(hb_evaluator *ev, uint32_t limbs, const hb_switch_key *const *keys,
                                        uint32_t count);
/* Return the most bytes of the engine's memory that are kept for every key of an automorphism from its first use on;
 * and the bytes beyond that for every key and level where it is hoisted, 0 where digits are centred or keys are not
 * switched. */
uint64_t hb_evaluator_automorphism_bytes(const hb_params *params);
uint64_t hb_evaluator_hoisted_bytes(const hb_params *params, uint32_t limbs);

#endif
