/* BFV encryption of batches (semantics.md 4), on the first data level. */
#ifndef HB_BFV_ENCRYPT_H
#define HB_BFV_ENCRYPT_H

#include "rlwe/keys.h"

typedef struct hb_encryptor hb_encryptor;

/* Exactly one of secret and public_key is not NULL; it chooses the method. The workspace for max_count ciphertexts is
 * made here; encryption allocates nothing. Everything is borrowed. engine: the key's or a fork of it. errors:
 * HB_GAUSSIAN or HB_BINOMIAL. */
hb_status hb_encryptor_open(hb_engine *engine, const hb_secret_key *secret, const hb_public_key *public_key,
                            hb_distribution errors, size_t max_count, hb_encryptor **out);
void hb_encryptor_close(hb_encryptor *encryptor);

/* plain: one limb mod t, canonical, coefficient form (encode.h); kept. plain.count <= max_count; c0, c1 and plain do
 * not overlap. Ciphertexts number first .. first + plain.count; every draw is a function of (root, number, purpose).
 * With the secret key: c0 = -INTT(a s) - e + scaled m, where the uniform a is in NTT form and is what public_seeds[i]
 * (host, [count], filled here) expands to: the stored form of component 1, half the bytes. c1 is not used. With the
 * public key: c_j = pk_j u + e_j, divided by the special prime with rounding where there is one, plus the scaled m in
 * c0; c0, c1 in coefficient form, [count][data limbs]; public_seeds is not used. */
hb_status hb_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                     const hb_seed *root, uint64_t first);

#endif
