/* Numbers at any scale, which the files of CKKS that compute with ciphertexts share. */
#ifndef HB_CKKS_EVALUATOR_PRIVATE_H
#define HB_CKKS_EVALUATOR_PRIVATE_H

#include "evaluator.h"
#include "params.h"

/* Makes the residues (host, [limbs]) of the integer nearest to value over / under, in the first `limbs` limbs. HB_EDATA
 * unless it is below their product in magnitude. */
hb_status hb_ckks_residues(const hb_params *params, uint64_t *residues, uint32_t limbs, double value,
                           hb_exact_scale over, hb_exact_scale under);
/* Adds the integer of these residues (host, [limbs] of r) to coefficient 0 of every ciphertext of r. */
hb_status hb_ckks_add_residues(hb_evaluator *ev, hb_ciphertexts r, const uint64_t *residues);

#endif
