/* Files of key pairs (HDF5, layout in io/README.md): secret.h5, mode 0600, and public.h5. Host memory only; rlwe/keys.h
 * puts them on an engine. Written under a temporary name with O_EXCL, synced, renamed without ever replacing a file. */
#ifndef HB_IO_KEYS_KEYFILE_H
#define HB_IO_KEYS_KEYFILE_H

#include "base/digest.h"
#include "io/files/pending.h"
#include "rlwe/keys.h"

/* Their names in a directory of keys. */
#define HB_KEYFILE_SECRET "secret.h5"
#define HB_KEYFILE_PUBLIC "public.h5"

typedef enum hb_key_kind { HB_KEY_SECRET, HB_KEY_PUBLIC } hb_key_kind;

/* The root seed as a file stores it, outside the checksum of older programs. */
typedef struct hb_key_root {
    hb_seed seed;
    uint8_t sum[HB_DIGEST_BYTES]; /* of the seed and the key id */
} hb_key_root;

/* How the key that seals a secret was derived (key_seal.h). */
#define HB_KEY_SALT_BYTES 16
#define HB_KEY_NONCE_BYTES 24
typedef struct hb_key_seal_how {
    uint64_t passes, memory; /* of Argon2id; bytes */
    uint8_t salt[HB_KEY_SALT_BYTES];
} hb_key_seal_how;

/* A secret that only a passphrase opens. */
typedef struct hb_key_seal {
    hb_key_seal_how how;
    uint8_t nonce[HB_KEY_NONCE_BYTES];
    uint8_t *box; /* [hb_key_box_bytes], owned */
} hb_key_seal;

typedef struct hb_keyfile {
    hb_key_kind kind;
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES];
    int8_t *ternary;     /* secret: [n]; wiped and freed by clear; NULL where it is sealed */
    hb_key_root *root;   /* secret: the seed that it and the public key were drawn from; likewise; NULL: unknown */
    hb_key_seal *seal;   /* secret: replaces both in a sealed file; freed by clear; else NULL */
    uint8_t *packed_b;   /* public: all K limbs packed */
    uint8_t *packed_a;   /* public: a of a key that another program made, likewise; NULL: a expands from public_seed */
    size_t packed_bytes; /* of each */
    hb_seed public_seed; /* public, without packed_a */
    uint8_t sum[HB_DIGEST_BYTES]; /* of a file that was read: its checksum, which is that of all above; not written */
} hb_keyfile;

/* Adds the root seed to a secret key that has its key id. HB_ENOMEM. */
hb_status hb_keyfile_set_root(hb_keyfile *key, const hb_seed *root);
/* Writes the file. HB_ECREATE when it exists or the directory cannot be written. Wipes its copies of a secret. */
hb_status hb_keyfile_write(const char *path, const hb_keyfile *key);
/* Does the same without the renaming: for files that get their names together. */
hb_status hb_keyfile_prepare(const char *path, const hb_keyfile *key, hb_pending *pending);
/* Replaces the existing file, by way of PATH.new: a reader finds either the old key or the new one. For a secret key
 * that gets another passphrase. HB_ECREATE; HB_EIO when only the sync of the folder failed. */
hb_status hb_keyfile_replace(const char *path, const hb_keyfile *key);
/* Reads a file. Checks mode (a secret that group or others can read: HB_EPERM), format, counts against the parameters
 * before it allocates by them, the checksum, and that a public key of several owners has the seed of their session
 * (HB_EDATA). HB_ENOINPUT when missing. A sealed secret key has its seal, which key_seal.h opens. The caller clears
 * *key. */
hb_status hb_keyfile_read(const char *path, hb_keyfile *key);
/* Reads the file from a stream up to its end, with the same checks; `name` is for messages. A pipe has no mode to
 * check. HB_ENOINPUT when the stream is empty or a terminal. The caller clears *key. */
hb_status hb_keyfile_read_stream(int fd, const char *name, hb_keyfile *key);
void hb_keyfile_clear(hb_keyfile *key);

#endif
