/* Encryption and decryption of batches in any scheme. */
#ifndef HB_SCHEME_CIPHER_H
#define HB_SCHEME_CIPHER_H

#include "rlwe/decrypt.h"
#include "rlwe/encrypt.h"

/* Encrypts plain.count plaintexts (codec.h), which are kept and do not overlap c0 and c1. All else is as in
 * hb_encrypt_zero (rlwe/encrypt.h). */
hb_status hb_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                     const hb_seed *root, uint64_t first);

/* Opens a decryptor for ciphertexts of `limbs` limbs, up to max_count at a time; borrows the secret. engine: the key's
 * or a fork of it. HB_EDATA when the parameters have no such level; HB_ENOMEM. */
hb_status hb_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                            hb_decryptor **out);
void hb_decryptor_close(hb_decryptor *decryptor);
/* Bytes of the engine's memory that it takes; on the member with most of them, where limbs are divided. */
uint64_t hb_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count);
/* Reads plaintexts from phases (rlwe/decrypt.h), which are kept. */
hb_status hb_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);
/* Measures what is left of the quality of each ciphertext: bits (host, [phase.count]), 0 where its values cannot be
 * trusted. Of BFV the invariant noise budget. Waits for the result. Destroys the phase. Meaningful only for genuine
 * ciphertexts of this key. */
hb_status hb_decryptor_measure(hb_decryptor *decryptor, uint32_t *bits, hb_batch phase);

#endif
