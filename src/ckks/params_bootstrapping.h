/* The part of a literal about bootstrapping: its levels, and their rules. */
#ifndef HB_CKKS_PARAMS_BOOTSTRAPPING_H
#define HB_CKKS_PARAMS_BOOTSTRAPPING_H

#include "params.h"
#include "rlwe/params_build.h"

/* Returns the levels that bootstrapping has for itself: those of EvalMod and of the maps from coefficients to slots; 0
 * where there is none. */
uint32_t hb_ckks_own_levels(const hb_bootstrapping_spec *spec);

/* Returns the bits of q_0 and the first special prime together, under which keys of the sparse secret are. */
uint32_t hb_ckks_sparse_bits(const hb_params_spec *spec);

/* Checks the part of a literal about bootstrapping. Its primes are in range (hb_params_check), and levels have one
 * prime or two. Rules: enough levels; primes long enough; and keys of the sparse secret, modulo q_0 and the first
 * special prime, have no more bits than the wanted security allows. Where they have more and spec->insecure allows it,
 * sets facts->insecure. HB_ECONFIG. */
hb_status hb_ckks_check_bootstrapping(const hb_params_spec *spec, hb_params_facts *facts);

#endif
