/* Directories of keys to files of Microsoft SEAL and back (io/seal/object.h). */
#ifndef HB_SEAL_KEYS_H
#define HB_SEAL_KEYS_H

#include <jansson.h>

#include "folder.h"
#include "io/keys/switch_key_file.h"

/* What was written. */
typedef struct hb_seal_keys {
    uint8_t key_id[HB_KEY_ID_BYTES];
    bool secret, public_key, relinearization;
    bool fresh; /* export: seeded, so its switching keys are others than in the directory, of the same secret */
    uint32_t galois;
    bool adopted;           /* import: somebody said whose they are */
    bool checked;           /* import: with the secret key */
    uint32_t insecure_bits; /* of the chain, where it is above the security table; else 0 */
} hb_seal_keys;

/* Every key of the directory to a folder that is not there yet: parms.seal and, where there is such a key,
 * secret.seal (mode 0600), public.seal, relin.seal and galois.seal, which holds all Galois keys; and keys.json, so that
 * they come back with their identity. HB_EDATA when two
 * of them are of different pairs.
 *
 * seeded: switching keys in half the bytes. SEAL's generator expands none of our seeds, so they are made anew for the
 * same elements, with the secret key of the directory: HB_ENOINPUT where there is none, or no switching key. The public
 * key stays as it is, since it is what the pair is known by. */
hb_status hb_seal_keys_export(const char *directory, const char *folder, hb_seal_style style, bool seeded,
                              hb_seal_keys *keys);

/* What parms.seal does not say of parameters. */
typedef struct hb_seal_choice {
    hb_security security;
    bool insecure;
    uint32_t scale_bits; /* of the scale; 0: nobody says it, or they have none */
} hb_seal_choice;

/* The reverse, from files of these names, parms.seal and one key at least, into a directory that is not there yet, or
 * that holds keys of the same pair: those stay as they are. What parms.seal does not say is for the parameters of
 * a new one.
 *
 * The identity of the pair is the directory's, else what `key_id` says, unless it is NULL, else keys.json of an export.
 * Where nobody says it, it is that of the public key, which is made of the secret where there is none, always the same
 * of the same secret, and stored with it. Where there is no secret either, it is what the first part of the
 * relinearization key, else of the Galois key of the smallest element, would give as a public key. HB_EDATA when a
 * public key has another identity than was said.
 *
 * With the secret, there or here, all other keys are checked to be of it: HB_EDATA naming the file that is not. */
hb_status hb_seal_keys_import(const char *folder, const char *directory, const hb_seal_choice *choice,
                              const uint8_t *key_id, hb_seal_keys *keys);

/* For reports: {"kind": "keys", "output", "key_id", "secret", "public", "relinearization", "galois",
 * "fresh_switching_keys"}; NULL when out of memory. */
json_t *hb_seal_keys_json(const hb_seal_keys *keys, const char *output);

#endif
