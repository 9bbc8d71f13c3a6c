/* Largest chains of the HE-standard tables, for a uniform ternary secret and classical attacks. */
#include "params.h"

typedef struct security_row {
    size_t n;
    uint32_t bits_128, bits_192, bits_256; /* of the product of all primes, the special prime included; 0: no entry */
} security_row;

/* Up to 32768: "Homomorphic Encryption Security Standard" (HomomorphicEncryption.org, 2018), table 1, the one that SEAL
 * enforces (semantics.md 8.2). Above: the standard has no rows; the values are those of OpenFHE's table for
 * 128 bits (StdLatticeParm, HEStd_ternary, HEStd_128_classic). Other levels stay without an entry there. */
static const security_row table[] = {
    {1 << 10, 27, 19, 14},    {1 << 11, 54, 37, 29},    {1 << 12, 109, 75, 58}, {1 << 13, 218, 152, 118},
    {1 << 14, 438, 305, 237}, {1 << 15, 881, 611, 476}, {1 << 16, 1747, 0, 0},  {1 << 17, 3523, 0, 0},
};

uint32_t hb_params_security_limit(size_t n, uint32_t security)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].n == n) {
            return security == 128   ? table[i].bits_128
                   : security == 192 ? table[i].bits_192
                   : security == 256 ? table[i].bits_256
                                     : 0;
        }
    }
    return 0;
}

const char *hb_params_security_table(size_t n)
{
    return n > (size_t)1 << 15 ? "OpenFHE's table" : "the HE-standard table";
}
