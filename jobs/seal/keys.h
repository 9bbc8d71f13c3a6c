/* Converts directories of keys to files of Microsoft SEAL and back (io/seal/object.h). */
#ifndef HB_SEAL_KEYS_H
#define HB_SEAL_KEYS_H

#include <jansson.h>

#include "folder.h"
#include "io/keys/switch_key_file.h"

/* The result of an export or import of keys. */
typedef struct hb_seal_keys {
    uint8_t key_id[HB_KEY_ID_BYTES];
    bool secret, public_key, relinearization;
    bool fresh; /* export: seeded, so its switching keys differ from the directory's, for the same secret key */
    uint32_t galois;
    bool adopted;           /* import: the pair's identity was given */
    bool checked;           /* import: checked with the secret key */
    uint32_t insecure_bits; /* of a chain that exceeds the security table; else 0 */
} hb_seal_keys;

/* Exports every key of the directory to a new folder: parms.seal and, where there is such a key, secret.seal (mode
 * 0600), public.seal, relin.seal and galois.seal, which holds all Galois keys; and keys.json, by which an import
 * recovers the identity. HB_EDATA when two keys belong to different pairs.
 *
 * seeded: switching keys in half the bytes. SEAL's generator cannot expand the seeds of hebatch, so the keys are made
 * anew for the same elements, with the secret key of the directory: HB_ENOINPUT where there is no secret key, or no
 * switching key. The public key stays the same, since it identifies the pair. */
hb_status hb_seal_keys_export(const char *directory, const char *folder, hb_seal_style style, bool seeded,
                              hb_seal_keys *keys);

/* The parameters that parms.seal does not tell. */
typedef struct hb_seal_choice {
    hb_security security;
    bool insecure;
    uint32_t scale_bits; /* of the scale; 0: not given, or the parameters have none */
} hb_seal_choice;

/* Imports files of these names, parms.seal and at least one key, into a new directory, or into one that holds keys of
 * the same pair, which stay as they are. A new directory gets the choices for the parameters that parms.seal does not
 * tell.
 *
 * The identity of the pair has five sources; the first that is there counts:
 *   1. the directory;
 *   2. `key_id`, unless it is NULL;
 *   3. keys.json of an export;
 *   4. the public key; where there is none it is made of the secret key, always the same, and stored;
 *   5. the first part of the relinearization key, else of the Galois key of the smallest element, as a public key.
 * HB_EDATA when a public key has another identity than sources 1 to 3 give.
 *
 * Where the secret key is in the folder or the directory, all other keys are checked against it: HB_EDATA naming the
 * file that does not belong to it. */
hb_status hb_seal_keys_import(const char *folder, const char *directory, const hb_seal_choice *choice,
                              const uint8_t *key_id, hb_seal_keys *keys);

/* Returns, for reports, {"kind": "keys", "output", "key_id", "secret", "public", "relinearization", "galois",
 * "fresh_switching_keys"}; NULL when out of memory. */
json_t *hb_seal_keys_json(const hb_seal_keys *keys, const char *output);

#endif
