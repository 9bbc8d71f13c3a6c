/* Ciphertexts of three polynomials, as SEAL's products are: brought to two with the relinearization key of their pair,
 * to the words that SEAL gives. */
#ifndef HB_SEAL_PRODUCTS_H
#define HB_SEAL_PRODUCTS_H

#include "bfv/evaluator.h"
#include "folder.h"
#include "io/keys/switch_key_file.h"

typedef struct hb_seal_products {
    hb_engine *engine; /* borrowed; NULL: it is not open */
    hb_switch_key key;
    hb_evaluator *evaluator;
    hb_ciphertexts wide, narrow; /* one ciphertext each */
} hb_seal_products;

/* Finds the key beside `key`, the file or directory that ciphertexts are said to be of: *found false without one.
 * HB_EDATA when it is of another pair or has other parameters. The caller clears *products, also after a failure; a
 * zeroed struct is allowed. */
hb_status hb_seal_products_open(hb_seal_products *products, const hb_seal_setup *setup, const char *key,
                                const uint8_t key_id[HB_KEY_ID_BYTES], uint32_t limbs, bool *found);
/* words: host, [3][limbs][n], coefficient form, canonical. The two polynomials are in products->narrow. */
hb_status hb_seal_products_relinearize(hb_seal_products *products, const uint64_t *words);
void hb_seal_products_clear(hb_seal_products *products);

#endif
