/* The common parts of all key files: attributes, parameters, bodies, a checksum over all of it, and writing. */
#ifndef HB_IO_KEYS_KEY_CONTENT_PRIVATE_H
#define HB_IO_KEYS_KEY_CONTENT_PRIVATE_H

#include "io/h5/h5.h"
#include "keyfile.h"
#include "switch_key_file.h"

/* Their numbers are part of the checksum. */
enum {
    HB_KIND_SECRET,
    HB_KIND_PUBLIC,
    HB_KIND_RELINEARIZATION,
    HB_KIND_GALOIS,
    HB_KIND_TO_SPARSE,
    HB_KIND_FROM_SPARSE,
    HB_KIND_REKEY,
    HB_KINDS
};

#define HB_KEY_BODIES 3 /* of one file, at most */

/* A dataset of bytes. */
typedef struct hb_key_body {
    const char *name;
    hb_h5_shape shape; /* of a type of one byte */
    const void *data;
} hb_key_body;

/* A view. */
typedef struct hb_key_content {
    uint32_t kind;
    uint64_t version; /* of a file that is read: what it states. Not looked at where a file is written. */
    const hb_params_spec *spec;
    const uint8_t *key_id;      /* [HB_KEY_ID_BYTES] */
    const hb_seed *public_seed; /* of a public key; NULL: none */
    const hb_key_seal *seal;    /* of a sealed secret key; else NULL */
    uint32_t element;           /* of a Galois key */
    uint32_t limbs; /* of the level of a key that does not serve all levels; 0: it does, or it belongs to a pair */
    /* A key for computing whose rows have digests. A body holds the digests. The checksum is over them, and not over
     * the rows. */
    bool row_sums;
    const hb_rekey_facts *rekey; /* of a key from another pair; else NULL */
    uint32_t bodies;
    uint32_t aside; /* the checksum leaves out this many of the last bodies */
    hb_key_body body[HB_KEY_BODIES];
} hb_key_content;

/* Returns the packed bytes of one polynomial on all K limbs. */
size_t hb_spec_packed_bytes(const hb_params_spec *spec);
/* Returns the bytes of the box that replaces the secret in a sealed secret key. */
size_t hb_key_box_bytes(const hb_params_spec *spec);
/* Write and read the attributes of a seal, without its box. The salt and cost of a passphrase are bounded, so that no
 * file makes a try last for ever: HB_EDATA. */
hb_status hb_key_seal_put(hid_t file, const hb_key_seal *seal);
hb_status hb_key_seal_get(hid_t file, const char *path, hb_key_seal *seal);
/* Checks the root seed of a secret key. HB_EDATA. */
hb_status hb_keyfile_check_root(const char *path, const hb_keyfile *key);
/* Bytes of a body. */
size_t hb_key_body_bytes(const hb_key_body *body);
/* Writes and syncs the whole file, mode 0600 for a secret or a key from another pair, under its temporary name.
 * HB_ECREATE when the file exists, another process is making it or the directory cannot be written. */
hb_status hb_key_content_prepare(const char *path, const hb_key_content *content, hb_pending *pending);
/* Does the same, then renames it. */
hb_status hb_key_content_write(const char *path, const hb_key_content *content);

/* Checks format and version of a hebatch file, then reads the attribute `kind`. HB_EDATA. */
hb_status hb_key_kind_get(hid_t file, const char *path, uint32_t *kind);
/* Reads the version that the file states. HB_EDATA. */
hb_status hb_key_version_get(hid_t file, const char *path, uint64_t *version);
/* Reads the file's checksum. HB_EDATA. */
hb_status hb_key_sum_get(hid_t file, const char *path, uint8_t sum[HB_DIGEST_BYTES]);
/* Reads bodies, and adds to the digest those that the checksum is over, in their order. */
typedef hb_status hb_key_add_bodies(void *context, hb_digest_state *state);
/* Checks the content of a file that was read: its checksum is `sum`, and it is of the version that the file states.
 * HB_EDATA. Other statuses are of `add`, which is NULL where the content has its bodies. HDF5 is not called: any thread
 * may do it. */
hb_status hb_key_content_check(const char *path, const hb_key_content *content, hb_key_add_bodies *add, void *context,
                               const uint8_t sum[HB_DIGEST_BYTES]);

#endif
