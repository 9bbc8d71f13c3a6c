/* CKKS decryption: the phase c0 + c1 s + ... (rlwe/decrypt.h) is the plaintext and its error together, which nobody can
 * tell apart. Whoever sees decoded values learns of the error, and with it of the secret: they are not for those who
 * chose inputs or computed (B. Li, D. Micciancio, "On the Security of Homomorphic Encryption on Approximate Numbers",
 * ePrint 2020/1533). */
#ifndef HB_CKKS_DECRYPT_H
#define HB_CKKS_DECRYPT_H

#include "rlwe/decrypt.h"

/* Opens a decryptor: what hb_decryptor_init makes, for max_count ciphertexts of `limbs` limbs. Engine and secret are
 * borrowed. HB_ENOMEM and what hb_decryptor_init says. Closing wipes the workspace; NULL is allowed. */
hb_status hb_ckks_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                                 hb_decryptor **out);
void hb_ckks_decryptor_close(hb_decryptor *decryptor);
/* Returns the bytes of the engine's memory that it takes; on the member with most of them, where limbs are divided. */
uint64_t hb_ckks_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count);

/* Decrypts: plain, [count][limbs] in NTT form, is the phase, which is kept. */
hb_status hb_ckks_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);

#endif
