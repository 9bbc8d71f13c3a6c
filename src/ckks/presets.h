/* CKKS's named parameter sets, and the rule by which primes are chosen. */
#ifndef HB_CKKS_PRESETS_H
#define HB_CKKS_PRESETS_H

#include "params.h"

/* Gets preset i, from 0: its name ("ckks-14" ...) and its literal, either of which may be NULL. Returns false after the
 * last one. Names live as long as the program. */
bool hb_ckks_preset(size_t i, const char **name, hb_params_spec *spec);

/* The free choices of a chain of our own family. */
typedef struct hb_ckks_chain {
    uint32_t first_bits;    /* of q_0, or of each prime of the lowest level, 33 .. 50 */
    uint32_t scale_bits;    /* of the scale, 48 at most, or 64 .. 95 for levels of two primes */
    uint32_t levels;        /* that products go down from fresh ciphertexts */
    uint32_t special_limbs; /* special primes, and primes of a digit; 1 or more */
} hb_ckks_chain;

/* Returns the default bootstrapping with a form of EvalMod: three maps each way, as in the presets. */
hb_bootstrapping_spec hb_ckks_bootstrapping(hb_eval_mod eval_mod);

/* Returns the default number of primes that a level of our own family owns: 2 for a scale too large for one. */
uint32_t hb_ckks_level_primes(uint32_t scale_bits);

/* Returns the default number of special primes for a scale and levels, levels of bootstrapping included: so many that
 * there are four digits or a few more. */
uint32_t hb_ckks_special_limbs(uint32_t scale_bits, uint32_t levels);

/* Completes a literal, whose n and bootstrapping are set, with the scheme, scale, digits and primes of such a
 * chain; levels of bootstrapping itself come besides those of the chain, which are 0 .. join then. Special primes are
 * the largest below 2^50, descending, or in chains with bootstrapping the nearest to 2^48. The primes of the lowest
 * level are the largest remaining ones below 2^first_bits. Then come the primes nearest to 2^scale_bits, or with two
 * primes a level to 2^(scale_bits / 2), rounded down: nearest first, and of two equally near the smaller. For
 * bootstrapping EvalMod has the largest that are left below 2^49.999, and the maps of coefficients to slots the nearest
 * to 2^48. All are = 1 mod 2^17, and mod 2^18 for N = 2^17: so any two rings have the same primes, and tests of small
 * ones run the real chains. HB_ECONFIG where a number is out of range or there are too few such primes;
 * hb_ckks_params_open checks the rest. */
hb_status hb_ckks_find_chain(hb_params_spec *spec, const hb_ckks_chain *chain);
/* Completes a literal with the chain of these levels and this scale as hb_ckks_find_chain does. Where first_bits or
 * special_limbs are 0 it chooses them. It takes the number of special primes that is nearest to hb_ckks_special_limbs
 * and has digits shorter than they are, and for these the longest primes of the lowest level. With bootstrapping it
 * takes that number itself, and the longest digits that are shorter. HB_ECONFIG as there, and with the numbers that
 * there are for special primes that no chain can have. */
hb_status hb_ckks_choose_chain(hb_params_spec *spec, const hb_ckks_chain *chain);

#endif
