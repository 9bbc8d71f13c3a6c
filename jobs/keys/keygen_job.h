/* Makes keys: a pair in a directory of its own, switching keys beside a pair, or both. A run makes all its files or
 * none: it writes a new pair and its keys completely under temporary names, then renames the public key first and the
 * secret key last. A run that is killed in between leaves no secret key without its public key. The next run removes
 * its other files, or completes them where the public key already has its name.
 *
 * Ranks make switching keys side by side, in turn, in one directory that all of them see; rank 0 makes the pair, and
 * alone decides which keys to make. No secret goes from rank to rank: the others read the file of the secret key. */
#ifndef HB_KEYS_KEYGEN_JOB_H
#define HB_KEYS_KEYGEN_JOB_H

#include "io/keys/key_seal.h"
#include "key_store.h"
#include "keygen_request.h"

typedef struct hb_keygen_options {
    const hb_params_spec *spec; /* of a new pair, whose directory is ... */
    const char *output;         /* ... this; or NULL: there is a pair, ... */
    const char *secret;         /* ... with this secret key */
    hb_keygen_request request;
    hb_device_choice device;
    const hb_seed *root; /* NULL: a random one */
    bool seal;           /* a new secret key gets a passphrase (ranks/unseal.h) ... */
    hb_seal_cost cost;   /* ... of this cost */
} hb_keygen_options;

typedef struct hb_keygen_key {
    hb_key_name name;
    char *path;
    uint64_t bytes;   /* of its file, at most */
    bool there, made; /* existed before this run; was made by this rank */
    hb_pending file;
} hb_keygen_key;

typedef struct hb_keygen_job {
    hb_group *group;         /* borrowed, as are ... */
    const hb_common *common; /* ... this and the strings of the options */
    hb_keygen_options options;
    hb_device device;
    hb_session session;
    char *directory, *secret, *public;
    hb_pending secret_file, public_file;
    /* The parts that an existing pair lacks: its secret key still has the name of an unfinished run; it has no public
     * key. */
    bool adopted, public_missing;
    hb_key_root *root; /* seed of the pair, where its secret key has it; wiped by close */
    bool secret_made, public_made;
    hb_keygen_key *keys; /* [count] */
    uint32_t count, missing;
    uint64_t output_bytes, free_bytes; /* of all files to make; free on the disk; on rank 0 */
    uint64_t device_bytes;             /* that all keys take on a device that has loaded them */
    double seconds;                    /* that making keys took */
} hb_keygen_job;

/* Opens parameters and device, finds the keys to make, and checks whether they may be made: HB_ECREATE when a file of a
 * new pair exists, or a switching key of another pair; HB_EUSAGE when there is nothing to make; HB_EIO when the disk is
 * too full; HB_EDATA when keys of bootstrapping are wanted and the secret key does not store its seed. Nothing is
 * written. Collective. The caller closes *job, also after a failure. */
hb_status hb_keygen_job_open(hb_keygen_job *job, hb_group *group, const hb_common *common,
                             const hb_keygen_options *options);
/* Makes and writes the missing keys. After a failure no file of this run is left. Collective. */
hb_status hb_keygen_job_run(hb_keygen_job *job);
/* Collective if the job was opened. */
void hb_keygen_job_close(hb_keygen_job *job);

#endif
