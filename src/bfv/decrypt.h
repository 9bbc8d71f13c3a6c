/* BFV decryption by BEHZ with gamma (semantics.md 5) and the exact invariant noise budget (8.3). */
#ifndef HB_BFV_DECRYPT_H
#define HB_BFV_DECRYPT_H

#include "rlwe/keys.h"

typedef struct hb_decryptor hb_decryptor;

/* For ciphertexts of `limbs` limbs, up to max_count at a time; borrows the secret. engine: the key's or a fork of it.
 * HB_EDATA when the parameters have no such level; HB_ENOMEM. */
hb_status hb_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                            hb_decryptor **out);
void hb_decryptor_close(hb_decryptor *decryptor);

/* phase = c0 + c1 s, coefficient form, [count][limbs]. c0 in coefficient form; c1 in coefficient form. c1 is destroyed.
 */
hb_status hb_phase(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, hb_batch c1);
/* The same for seeded ciphertexts: component 1 is what public_seeds (host, [count]) expand to. */
hb_status hb_phase_seeded(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, const hb_seed *public_seeds);

/* plain (one limb mod t, [count]) from the phase; the phase is kept. */
hb_status hb_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase);
/* budgets: host, [count], bits. Waits for the result. Destroys the phase. Meaningful only for genuine ciphertexts of
 * this key. */
hb_status hb_noise_budget(hb_decryptor *decryptor, uint32_t *budgets, hb_batch phase);

#endif
