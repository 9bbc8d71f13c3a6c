/* Files of key pairs (HDF5, layout in io/README.md): secret.h5, mode 0600, and public.h5. Host memory only; keys.h puts
 * them on an engine. Written under a temporary name with O_EXCL, synced, renamed without ever replacing a file. */
#ifndef HB_KEYFILE_H
#define HB_KEYFILE_H

#include "keys.h"

/* Their names in a directory of keys. */
#define HB_KEYFILE_SECRET "secret.h5"
#define HB_KEYFILE_PUBLIC "public.h5"

typedef enum hb_key_kind { HB_KEY_SECRET, HB_KEY_PUBLIC } hb_key_kind;

typedef struct hb_keyfile {
    hb_key_kind kind;
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES];
    int8_t *ternary;   /* secret: [n]; wiped and freed by clear */
    uint8_t *packed_b; /* public: all K limbs packed */
    uint8_t *packed_a; /* public: the same of a, of a key that another program made; NULL: a expands from public_seed */
    size_t packed_bytes; /* of each */
    hb_seed public_seed; /* public, without packed_a */
} hb_keyfile;

/* HB_ECREATE when the file exists or the directory cannot be written. Wipes what it held of a secret. */
hb_status hb_keyfile_write(const char *path, const hb_keyfile *key);
/* Checks mode (a secret that group or others can read: HB_EPERM), format, counts against the parameters before anything
 * is allocated, and the checksum (HB_EDATA). HB_ENOINPUT when missing. The caller clears *key. */
hb_status hb_keyfile_read(const char *path, hb_keyfile *key);
void hb_keyfile_clear(hb_keyfile *key);

#endif
