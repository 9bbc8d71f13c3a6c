/* The levels of a chain that bootstraps, and the rules of such a chain.
 *
 * Reals (ckks/bootstrap.h): slots become coefficients on the lowest levels, at q_0 alone the modulus is raised, and
 * results are at the users' highest level but for the levels that undo the sine. From the lowest level the modulus is
 * raised at once, and slots become coefficients on the levels below that. Integers (refresh/refresh.h): the
 * modulus is raised from q_0, and their noise comes down to the users' highest level through levels that only
 * bootstrapping uses. */
#ifndef HB_BOOTSTRAPPING_CHAIN_H
#define HB_BOOTSTRAPPING_CHAIN_H

#include "rlwe/params_build.h"

/* Levels, from 0, between which a chain's bootstrapping works. A level owns one prime. */
typedef struct hb_bootstrapping_levels {
    uint32_t coefficients; /* where slots have become coefficients: 0; of integers the highest level of users; where
                              reals are bootstrapped from the lowest level the level of results */
    uint32_t stc;          /* where slots begin to become coefficients */
    uint32_t out;          /* where EvalMod's results are, once the sine is undone; and those of tables */
    uint32_t join;         /* where EvalMod has the sine; reals: the highest level of users */
    uint32_t eval_mod;     /* where EvalMod begins */
    uint32_t top;          /* to which the modulus is raised, and where coefficients begin to become slots */
} hb_bootstrapping_levels;

/* Returns whether a chain bootstraps the noise of integers. */
static inline bool hb_bootstrapping_of_integers(const hb_bootstrapping_spec *spec)
{
    return spec->scale_bits > 0;
}

/* Returns whether two chains bootstrap in the same way. */
static inline bool hb_bootstrapping_same(const hb_bootstrapping_spec *a, const hb_bootstrapping_spec *b)
{
    return a->eval_mod == b->eval_mod && a->stc_levels == b->stc_levels && a->cts_levels == b->cts_levels &&
           a->sparse_weight == b->sparse_weight && a->scale_bits == b->scale_bits && a->table_levels == b->table_levels;
}

/* The most levels of tables, and so the bits of the integers that they take. */
enum { HB_TABLE_MOST_BITS = 8 };

/* Returns the levels above the one where EvalMod has the sine: those of EvalMod and of the maps from coefficients to
 * slots; 0 where there is no bootstrapping. */
uint32_t hb_bootstrapping_own_levels(const hb_bootstrapping_spec *spec);
/* Returns the levels of a literal that has bootstrapping and passed hb_bootstrapping_check. */
hb_bootstrapping_levels hb_bootstrapping_levels_of(const hb_params_spec *spec);

/* Returns those of reals that are bootstrapped from the lowest level: slots become coefficients last, from the level on
 * where EvalMod's results are. The literal is of reals, and that level is as high as the maps are many, or higher. */
hb_bootstrapping_levels hb_bootstrapping_lowest_levels_of(const hb_params_spec *spec);

/* Returns the bits of q_0 and the first special prime together, under which keys of the sparse secret are. */
uint32_t hb_bootstrapping_sparse_bits(const hb_params_spec *spec);

/* Checks the part of a literal about bootstrapping. Its primes are in range (hb_params_check), and levels have one
 * prime or two. Rules: the scheme and the family have it; enough levels; primes long enough, of integers digits short
 * enough; and keys of the sparse secret, modulo q_0 and the first special prime, have no more bits than the wanted
 * security allows. Where they have more and spec->insecure allows it, sets facts->insecure. HB_ECONFIG. */
hb_status hb_bootstrapping_check(const hb_params_spec *spec, hb_params_facts *facts);

#endif
