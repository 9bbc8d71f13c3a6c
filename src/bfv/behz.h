/* The base conversions of BFV multiplication at one level (BEHZ: paper 002 section 5.3; semantics.md 6.2). Q is the
 * product of the level's primes; B is that of auxiliary primes which, with m_sk, hold t times the product of two
 * ciphertexts. */
#ifndef HB_BFV_BEHZ_H
#define HB_BFV_BEHZ_H

#include "params.h"

/* The most components of a factor; products have up to twice as many, less one. */
#define HB_BEHZ_MOST_SIZE 8

/* The constants of multiplication at one level; const after hb_behz_init. */
typedef struct hb_behz {
    uint32_t limbs;                 /* limbs of the auxiliary base: m_sk, then B_0 .. */
    const uint16_t *ids;            /* [limbs], the leading ones of params->auxiliary_ids; borrowed */
    hb_base_conversion lift;        /* step 1: q -> auxiliary, of a residue to its small representative */
    uint64_t factors[HB_MAX_LIMBS]; /* [q's limbs] t / qhat_i: `floor` takes d times these, of the inverse transform */
    hb_base_conversion floor; /* steps 3, 4: q -> auxiliary; r holds d, then floor(t d / Q) - u, in B times 1/Bhat_j */
    hb_base_conversion back;  /* step 5: auxiliary, as floor leaves it -> q */
} hb_behz;

/* Makes the constants of the level of `limbs` limbs, which exists. HB_ENOMEM; HB_ECONFIG where the auxiliary base has
 * not enough primes. The caller clears it whatever happens; clearing takes a zeroed struct. */
hb_status hb_behz_init(hb_behz *behz, const hb_params *params, uint32_t limbs);
void hb_behz_clear(hb_behz *behz);

/* Returns how many primes of `bits` bits B needs: the smallest nB with |w| < B (floor(m_sk / 2) - nB) for every w that
 * ciphertexts of a Q of `q_bits` bits can give (semantics.md 6.2), with up to `size` components each. */
uint32_t hb_behz_auxiliary_limbs(uint32_t q_bits, uint32_t plain_bits, uint32_t log_n, uint32_t limbs, uint32_t size,
                                 uint32_t bits);

#endif
