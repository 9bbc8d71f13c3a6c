/* CKKS encryption and decryption (semantics.md 9.3), and the precision of decrypted values.
 *
 * Decryption gives the phase c0 + c1 s + ... (rlwe/decrypt.h), the plaintext and its error together, which cannot be
 * told apart. A reader of decoded values learns about the error, and with it of the secret: do not show them to people
 * who chose inputs or computed (B. Li, D. Micciancio, "On the Security of Homomorphic Encryption on Approximate
 * Numbers", ePrint 2020/1533). */
#ifndef HB_CKKS_CIPHER_H
#define HB_CKKS_CIPHER_H

#include "rlwe/decrypt.h"
#include "rlwe/encrypt.h"
#include "rlwe/quality.h"

/* Encrypts plain.count plaintexts: encryptions of zero plus the plaintexts in c0. rlwe/encrypt.h has the shapes of c0,
 * c1 and public_seeds, and the meaning of `first`. plain: [count][limbs] in NTT form, of c0's limbs, at the scale of
 * that level (codec.h); it is kept, and does not overlap c0 and c1. It fails as hb_encrypt_zero does. */
hb_status hb_ckks_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                          const hb_seed *root, uint64_t first);

/* Opens a decryptor (hb_decryptor_init) for max_count ciphertexts of `limbs` limbs. Engine and secret are borrowed.
 * HB_ENOMEM and the errors of hb_decryptor_init. Closing wipes the workspace; NULL is allowed. */
hb_status hb_ckks_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                                 hb_decryptor **out);
void hb_ckks_decryptor_close(hb_decryptor *decryptor);
/* Returns the bytes of the engine's memory that it takes; on the member with most of them, where limbs are divided. */
uint64_t hb_ckks_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count);

/* Decrypts: plain, [count][limbs] in NTT form, is the phase, which is kept. */
hb_status hb_ckks_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);

/* Estimates the precision of the filled slots of one ciphertext from these slots alone, and adds it. Their values are
 * real, so the imaginary parts of slots consist of errors alone. Real parts have errors of the same size (error.h), and
 * also errors in proportion to the value, which imaginary parts lack: those of doubles, and of scales that are no
 * quotient of primes. values: host, N doubles, N/2 real parts and N/2 imaginary ones, as decoding makes them. A value
 * that is not finite counts as an infinite error. */
void hb_ckks_precision(const hb_params_spec *spec, const uint64_t *values, hb_filled_slots filled,
                       hb_precision *precision);

#endif
