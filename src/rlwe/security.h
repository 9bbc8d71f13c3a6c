/* The longest chain for a level of security: published tables, for a uniform ternary secret and errors of standard
 * deviation 3.19. The tables bound the product of all primes, the special primes included. */
#ifndef HB_RLWE_SECURITY_H
#define HB_RLWE_SECURITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* 2018: "Homomorphic Encryption Security Standard" (HomomorphicEncryption.org), table 1, classical attacks; the one
 * that Microsoft SEAL enforces. It ends at N = 32768; above, for 128 bits, the values of OpenFHE's table go on.
 * 2024: Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption", ePrint 2024/463, table 5.2:
 * attacks as known then, which reach further than those of 2018: chains of full length of 2018 have some bits less
 * than 128. Costs of lattice reduction by MATZOV, against quantum computers by ChaLoy21. */
typedef enum hb_security_table { HB_SECURITY_2018, HB_SECURITY_2024 } hb_security_table;

/* The attacks that a chain must withstand. Files that name no table mean zeros and the level. */
typedef struct hb_security {
    uint32_t level; /* bits: 128, 192 or 256 */
    hb_security_table table;
    bool quantum; /* quantum computers too; only the table of 2024 has them */
} hb_security;

/* Returns the default: 128 bits, classical attacks, the table of 2024. */
hb_security hb_security_default(void);

/* Returns the most bits of the product of the whole chain; 0: the table has no entry for this N, level and model. */
uint32_t hb_security_limit(hb_security security, size_t n);

/* Returns the most bits of a modulus under which keys of a secret with HB_SPARSE_WEIGHT non-zero coefficients may be
 * public. Bootstrapping has such a secret besides the uniform ternary one. 0: no limit is known for that N, level and
 * model. J.-P. Bossuat, J. Troncoso-Pastoriza, J.-P. Hubaux, ePrint 2022/024, have 121 bits at N = 2^16; at 100 bits
 * the best attack known (lattice estimator, MATZOV) takes 2^170 operations there and 2^146 at N = 2^15. */
#define HB_SPARSE_WEIGHT 32
uint32_t hb_security_sparse_limit(hb_security security, size_t n);

/* Returns HB_ECONFIG, naming the existing choices, unless the table has that level and model for some N. */
hb_status hb_security_check(hb_security security);

/* 2018 or 2024. hb_security_of_year: HB_ECONFIG for any other. */
uint32_t hb_security_year(hb_security_table table);
hb_status hb_security_of_year(uint64_t year, hb_security_table *table);

/* Returns "classical", "classical, MATZOV", "quantum, ChaLoy21": the attacker, and the cost model where the table has
 * one. */
const char *hb_security_model(hb_security security);
/* Returns "the HE-standard table of 2018", "the table of 2024 (ePrint 2024/463, table 5.2)": the origin of the limit
 * for N. */
const char *hb_security_source(hb_security security, size_t n);

typedef struct hb_security_text {
    char text[160];
} hb_security_text;

/* Returns the whole claim for a chain of `bits` bits: level, model, table and, where the table of 2024 would refuse the
 * chain, that too; "INSECURE: ..." above its own table's limit. */
hb_security_text hb_security_claim(hb_security security, size_t n, uint32_t bits);

#endif
