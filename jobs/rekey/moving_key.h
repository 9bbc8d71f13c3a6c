/* The rekeying key of a job: found in a file or a folder, held to the dataset, and loaded. Rank-local. */
#ifndef HB_REKEY_MOVING_KEY_H
#define HB_REKEY_MOVING_KEY_H

#include "io/dataset/dataset.h"
#include "io/keys/switch_key_file.h"
#include "ranks/session.h"

/* A file that was opened. Zeroed: none. */
typedef struct hb_moving_key {
    char *path; /* owned */
    hb_switch_key_source source;
} hb_moving_key;

/* Returns the purpose of the key for a dataset: its level. */
static inline hb_key_purpose hb_moving_key_purpose(const hb_header *header)
{
    return (hb_key_purpose){.limbs = header->limbs, .source = HB_FROM_SECRET};
}

/* Finds the key from the dataset's key pair in a folder; key->path NULL: there is none. name: the dataset's, for
 * messages. HB_EUSAGE: there are several; HB_EPERM: others can read it; HB_EDATA. The caller closes *key, also after a
 * failure. */
hb_status hb_moving_key_find(hb_moving_key *key, const char *folder, const hb_header *header, const char *name);
/* Finds the key from the dataset's key pair: `keys` itself, or the one in this folder. name: the dataset's, for
 * messages. HB_ENOINPUT: there is none; HB_EUSAGE: there are several; HB_EPERM: others can read it; HB_ECONFIG: it has
 * other parameters than the dataset; HB_EDATA: it is another key, from another pair, or of lower levels alone. The
 * caller closes *key, also after a failure. */
hb_status hb_moving_key_open(hb_moving_key *key, const char *keys, const hb_header *header, const char *name);
/* Returns whether the key leads to the pair of another person, so that the data has to be sanitized under that key:
 * whoever encrypted a part of it knows the errors of his ciphertexts, and would read the old secret off the new ones,
 * number by number. */
static inline bool hb_moving_key_to_another(const hb_moving_key *key)
{
    return key->source.label.rekey.another;
}
/* Returns HB_OK where the session, which is open, has the public key of the pair that such a key leads to. HB_EUSAGE:
 * it has a secret one; HB_EDATA: that of another pair, or of other owners. */
hb_status hb_moving_key_require_receiver(const hb_moving_key *key, const hb_session *session);
/* Reads the rows that this rank takes, and puts them on the session's engine, in *loaded. HB_EDATA, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_moving_key_load(hb_moving_key *key, const hb_session *session, const hb_header *header,
                             hb_switch_key *loaded);
void hb_moving_key_close(hb_moving_key *key);

#endif
