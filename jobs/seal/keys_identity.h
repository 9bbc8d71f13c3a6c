/* The pair that the keys of a folder belong to, and its owners, on whom the bounds of fresh noise depend. SEAL's files
 * tell neither: exports write them to keys.json beside the files. Imports take the pair from there, from the directory
 * that they write to, or from an option. */
#ifndef HB_SEAL_KEYS_IDENTITY_H
#define HB_SEAL_KEYS_IDENTITY_H

#include "io/keys/keyfile.h"

#define HB_SEAL_KEYS_INDEX "keys.json"

typedef struct hb_seal_identity {
    bool known; /* key_id */
    uint8_t key_id[HB_KEY_ID_BYTES];
    bool seeded; /* the public key's second polynomial expands from public_seed */
    hb_seed public_seed;
    hb_joint_spec joint; /* zeroed: one owner, or nothing is said */
    const char *source;  /* the source of key_id, such as "--key-id"; borrowed */
} hb_seal_identity;

/* Reads FOLDER/keys.json; without one, *identity is unknown. HB_EDATA when it is something else. */
hb_status hb_seal_identity_read(const char *folder, hb_seal_identity *identity);
hb_status hb_seal_identity_write(const char *folder, const hb_seal_identity *identity);

/* Moves the keys that `to` lacks from `from`, and removes the rest with `from`. At any moment each file is complete.
 * HB_ECREATE, HB_EIO, HB_ENOMEM. */
hb_status hb_seal_keys_merge(const char *from, const char *to);

#endif
