/* The level of ciphertexts that are encrypted (encrypt --levels, --fewest). Fresh ones have all limbs that the chain
 * has for users, and so all levels. Bytes and the time of computing go by limbs, and errors of encryption do not. */
#ifndef HB_TABLES_ENCRYPT_LEVEL_H
#define HB_TABLES_ENCRYPT_LEVEL_H

#include "io/dataset/dataset.h"

/* The wanted level; zeroed: that of all levels. */
typedef struct hb_encrypt_level {
    bool chosen; /* `levels` says how many are left */
    uint64_t levels;
    bool fewest; /* as few as values can be bootstrapped from, or else, of integers, decrypted */
} hb_encrypt_level;

/* Finds its limbs, for ciphertexts made with the public key or the secret one. HB_EUSAGE for more levels than there
 * are, for both at once, and for the fewest of reals whose chain cannot bootstrap; HB_EDATA where nothing of a
 * fresh ciphertext is proven to be right at that level. */
hb_status hb_encrypt_level_find(const hb_encrypt_level *wanted, const hb_params *params, bool public_key,
                                uint32_t *limbs);
/* Refuses ranges of columns, which are known of reals, that ciphertexts of the header's level do not hold: HB_EDATA. */
hb_status hb_encrypt_level_check(const hb_header *header, const hb_params *params);

#endif
