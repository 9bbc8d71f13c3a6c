/* Encryption and decryption of batches in any scheme. */
#ifndef HB_SCHEME_CIPHER_H
#define HB_SCHEME_CIPHER_H

#include "rlwe/decrypt.h"
#include "rlwe/encrypt.h"
#include "rlwe/flood.h"
#include "rlwe/quality.h"

/* Encrypts plain.count plaintexts (codec.h) for ciphertexts of c0's limbs, at any level; they are kept and do not
 * overlap c0 and c1. The rest is as in hb_encrypt_zero (rlwe/encrypt.h). */
hb_status hb_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                     const hb_seed *root, uint64_t first);

/* Opens a decryptor for ciphertexts of `limbs` limbs, up to max_count at a time; borrows the secret. engine: the key's
 * or a fork of it. HB_EDATA when the parameters have no such level; HB_ENOMEM. */
hb_status hb_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                            hb_decryptor **out);
/* Closes it and wipes its workspace; NULL is allowed. */
void hb_decryptor_close(hb_decryptor *decryptor);
/* Returns the bytes of the engine's memory that it takes; on the member with most of them, where limbs are divided. */
uint64_t hb_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count);
/* Reads plaintexts from phases. phase: [count][limbs] as hb_phase (rlwe/decrypt.h) makes it, with the decryptor's
 * limbs, up to max_count; it is kept. plain: as many plaintexts for ciphertexts of these limbs (hb_plaintexts_alloc),
 * without overlap. On an engine of divided limbs it exchanges; every member gets plaintexts of one limb, or its share
 * of plaintexts of several; else it does not wait. */
hb_status hb_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);
/* Measures the remaining quality of each ciphertext: bits (host, [phase.count]), 0 where its values cannot be trusted;
 * in BFV the invariant noise budget. phase is as above, and destroyed. Waits for the result, and exchanges. The bits
 * are meaningful only for genuine ciphertexts of this key. */
hb_status hb_decryptor_measure(hb_decryptor *decryptor, uint32_t *bits, hb_batch phase);

/* Plans the noise that hides the errors of results from those who see them (rlwe/flood.h), for ciphertexts of `limbs`
 * limbs and that quality. `results`, 1 or more, is how many of them will ever be shown under the key. HB_EDATA where
 * too little precision would be left; HB_EUSAGE where results are exact and there is nothing to hide. */
hb_status hb_flood_plan(const hb_params *params, uint32_t limbs, hb_quality quality, uint64_t results, hb_flood *out);
/* Rounds decoded values (host, `count` words) of a scheme with such plans to the remaining bits. */
void hb_flood_round(const hb_params_spec *spec, const hb_flood *flood, uint64_t *values, size_t count);

#endif
