/* The phase of ciphertexts, c0 + c1 s (semantics.md 5), from which a scheme reads its messages. A scheme opens a
 * decryptor and adds its own operations (bfv/decrypt.h). */
#ifndef HB_RLWE_DECRYPT_H
#define HB_RLWE_DECRYPT_H

#include "keys.h"

/* The first member of a scheme's decryptor. */
typedef struct hb_decryptor {
    hb_engine *engine;
    const hb_params *params;
    const hb_level *level;
    size_t max_count;
    hb_batch s;    /* view: the level's limbs of the secret */
    hb_batch work; /* [max_count][limbs]; for seeded ciphertexts */
    bool seeded;   /* there were some */
} hb_decryptor;

/* Makes a decryptor for ciphertexts of `limbs` limbs, 1 .. key limbs, up to max_count, 1 or more, at a time; borrows
 * the secret, which may lack its words (s zeroed) where phases are there already. engine: the key's or a fork of it.
 * The caller clears it, zeroed before, whatever happens. HB_EDATA when the parameters have no such level; HB_ENOMEM. */
hb_status hb_decryptor_init(hb_decryptor *decryptor, hb_engine *engine, const hb_secret_key *secret, uint32_t limbs,
                            size_t max_count);
/* Wipes all memory that held secrets. */
void hb_decryptor_clear(hb_decryptor *decryptor);

/* Computes phase = c0 + c1 s, [count][limbs]. All have the form of the parameters' ciphertexts; c1 is destroyed. */
hb_status hb_phase(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, hb_batch c1);
/* Does the same for seeded ciphertexts: component 1 is the expansion of public_seeds (host, [count]). */
hb_status hb_phase_seeded(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, const hb_seed *public_seeds);

#endif
