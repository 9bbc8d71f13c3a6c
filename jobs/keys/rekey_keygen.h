/* Makes a key that brings ciphertexts of one pair under another: with both secrets, or with the public key of another
 * person. With both secrets the old pair may be of a smaller ring (scheme/ring_switch.h). Rank 0 makes it; the others
 * join, as the session has them. */
#ifndef HB_KEYS_REKEY_KEYGEN_H
#define HB_KEYS_REKEY_KEYGEN_H

#include "io/keys/switch_key_file.h"
#include "ranks/session.h"

/* Options of the command line; borrowed. */
typedef struct hb_rekey_keygen_options {
    const char *from;      /* the secret key of the old pair */
    const char *key, *to;  /* the secret key of the new pair, or the public one of another person; one is NULL */
    const char *directory; /* where the key goes, under a name of both pairs (hb_rekey_name) */
    hb_device_choice device;
    const hb_seed *root; /* of tests; NULL: a random one */
    bool dry_run;        /* only the facts are wanted */
} hb_rekey_keygen_options;

/* The job. */
typedef struct hb_rekey_keygen {
    hb_rekey_keygen_options options;
    hb_device device;
    hb_session session; /* of the new pair */
    hb_keyfile old;     /* on rank 0, until its secret is on the engine */
    hb_rekey_facts facts;
    hb_key_name name;
    char *path;     /* of the key */
    uint64_t bytes; /* of its file, at most */
} hb_rekey_keygen;

/* Reads both keys, and makes and writes the new one unless it is a dry run. HB_EDATA where `from` is no secret key, or
 * `key` or `to` not of its kind; HB_ECONFIG where the pairs have other parameters, and those of the old one are no
 * smaller ring of the new one's, or these switch no keys; HB_EUSAGE where both are one pair; HB_ECREATE where there is
 * such a key already; errors of the session, of unseal.h and of writing. Collective, with the same status on all
 * ranks. The caller closes, also after a failure. */
hb_status hb_rekey_keygen_run(hb_rekey_keygen *job, hb_group *group, const hb_rekey_keygen_options *options);
/* Wipes all secrets; a zeroed job is allowed. Collective if the session was started. */
void hb_rekey_keygen_close(hb_rekey_keygen *job);

#endif
