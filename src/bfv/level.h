/* The constants of one level that only BFV needs: scaling messages up, decryption, plaintexts as factors. */
#ifndef HB_BFV_LEVEL_H
#define HB_BFV_LEVEL_H

#include "params.h"
#include "ring/bfv_ops.h"

/* The constants of one level; zeros where the level does not exist. */
struct hb_bfv_level {
    hb_scale_plain scale_plain;
    hb_base_conversion to_plain_gamma; /* from a to t gamma a: q -> {t, gamma} */
    hb_gamma_correction gamma_correction;
    hb_plain_lift plain_lift;
    uint64_t plain_factor[HB_MAX_LIMBS]; /* t mod q_i: for the noise */
    uint64_t delta[HB_MAX_LIMBS];        /* memory of scale_plain */
};

/* Returns the level of `limbs` limbs, which exists (HB_ASSERT). */
const hb_bfv_level *hb_bfv_level_of(const hb_params *params, uint32_t limbs);

/* Makes the constants of the level of `limbs` limbs, which exists; *level is zeroed before. params has its ring, with t
 * and gamma, and its levels. HB_ENOMEM; on failure the caller clears it all the same. */
hb_status hb_bfv_level_init(hb_bfv_level *level, const hb_bfv_params *params, uint32_t limbs);
void hb_bfv_level_clear(hb_bfv_level *level);

#endif
