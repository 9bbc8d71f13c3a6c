/* The end of a decryption under joint keys: component 0 and the parts of all owners (part.h) add up to the phase, from
 * which anybody decrypts. */
#ifndef HB_JOINT_COMBINE_H
#define HB_JOINT_COMBINE_H

#include "part_plan.h"
#include "scheme/cipher.h"

/* Opens a decryptor of phases that are there, as sums of component 0 and the parts of all owners are: it has no secret,
 * and hb_phase is not called on it. Otherwise as hb_decryptor_open; closed by hb_decryptor_close. */
hb_status hb_combiner_open(hb_engine *engine, const hb_params *params, uint32_t limbs, size_t max_count,
                           hb_decryptor **out);
/* Decrypts such sums, phase [count][limbs], which is destroyed, to plain (hb_decrypt), and measures their noise
 * budgets (host, [count]). HB_EDATA naming ciphertext first + c where the noise is above the plan's bound: then a part
 * is wrong, plain is wiped, and whose part it is nobody can tell. Waits, and exchanges. */
hb_status hb_combiner_decrypt(hb_decryptor *combiner, hb_batch plain, hb_batch phase, const hb_part_plan *plan,
                              uint64_t first, uint32_t *budgets);

#endif
