/* BFV decryption by BEHZ with gamma (semantics.md 5) and the exact invariant noise budget (8.3). rlwe/decrypt.h makes
 * the phase c0 + c1 s + ..., in coefficient form, from which both start. */
#ifndef HB_BFV_DECRYPT_H
#define HB_BFV_DECRYPT_H

#include "rlwe/decrypt.h"

/* Opens a decryptor (hb_decryptor_init) with the workspace of the two functions below, for max_count ciphertexts of
 * `limbs` limbs. Engine and secret are borrowed. HB_ENOMEM and the errors of hb_decryptor_init. Closing wipes the
 * workspace; NULL is allowed. */
hb_status hb_bfv_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                                hb_decryptor **out);
void hb_bfv_decryptor_close(hb_decryptor *decryptor);
/* Bytes of the engine's memory that it takes; on the member with most of them, where limbs are divided. */
uint64_t hb_bfv_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count);

/* Decrypts: makes plain (one limb mod t, [count]) from the phase, which is kept. Where limbs are divided it exchanges,
 * and every member gets the plaintexts. */
hb_status hb_bfv_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);
/* Finds the noise budgets: host, [count], bits. Waits for the result, and exchanges. Destroys the phase. Budgets mean
 * something only for genuine ciphertexts of this key. */
hb_status hb_bfv_noise_budget(hb_decryptor *decryptor, uint32_t *budgets, hb_batch phase);

#endif
