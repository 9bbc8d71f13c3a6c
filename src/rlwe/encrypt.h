/* Encryptions of zero, at any level (semantics.md 4), to which a scheme adds its messages. */
#ifndef HB_RLWE_ENCRYPT_H
#define HB_RLWE_ENCRYPT_H

#include "keys.h"

typedef struct hb_encryptor hb_encryptor;

/* Opens an encryptor on an engine, the key's or a fork of it. Exactly one of secret and public_key is not NULL; it
 * chooses the method. The workspace for max_count ciphertexts, 1 or more, is made here; encryption allocates nothing.
 * Everything is borrowed. errors: HB_GAUSSIAN or HB_BINOMIAL. HB_ENOMEM. */
hb_status hb_encryptor_open(hb_engine *engine, const hb_secret_key *secret, const hb_public_key *public_key,
                            hb_distribution errors, size_t max_count, hb_encryptor **out);
void hb_encryptor_close(hb_encryptor *encryptor);
hb_engine *hb_encryptor_engine(const hb_encryptor *encryptor);
const hb_params *hb_encryptor_params(const hb_encryptor *encryptor);

/* Returns the bytes of the engine's memory that an encryptor takes; on the member with most of them, where limbs are
 * divided. */
uint64_t hb_encryptor_bytes(const hb_params *params, bool public_key, size_t max_count);

/* Makes c0.count <= max_count encryptions of zero, with numbers first .. first + count, at the level of c0's limbs;
 * every draw is a function of (root, number, purpose). They have the form of the parameters' ciphertexts,
 * [count][limbs]. With the secret key: c0 = -a s - e, and in NTT form -a s + e; the uniform a is in NTT form and is the
 * expansion of public_seeds[i] (host, [count], filled here), the stored form of component 1, half the bytes. c1 is not
 * used. With the public key: c_j = pk_j u + e_j, divided with rounding by special primes (hb_params) where there are
 * any; c0 and c1 have the same shape and do not overlap; public_seeds is not used. */
hb_status hb_encrypt_zero(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, const hb_seed *root,
                          uint64_t first);

#endif
