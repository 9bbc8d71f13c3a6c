/* Making keys: a pair in a directory of its own, switching keys beside a pair, or both. All files of a run or none: a
 * new pair and its keys are written whole under temporary names first, the public key is renamed first and the secret
 * one last. Killed in between, a run leaves no secret key without its public one; what it leaves otherwise the next run
 * removes, or completes where the public key has its name already. */
#ifndef HB_KEYS_KEYGEN_JOB_H
#define HB_KEYS_KEYGEN_JOB_H

#include "key_store.h"

/* What switching keys a command line asks for. */
typedef struct hb_keygen_request {
    bool relin, swap, conj;
    const char *rotations;  /* "1,2,-4", and words: all, sum; NULL: none */
    const char *expression; /* the keys that it needs; NULL: none */
} hb_keygen_request;

typedef struct hb_keygen_options {
    const hb_params_spec *spec; /* of a new pair, whose directory is ... */
    const char *output;         /* ... this; or NULL: there is a pair, ... */
    const char *secret;         /* ... with this secret key */
    hb_keygen_request request;
    hb_device_choice device;
    const hb_seed *root; /* NULL: a random one */
} hb_keygen_options;

typedef struct hb_keygen_key {
    uint32_t element;
    char *path;
    bool there, made; /* before this run; by it */
    hb_pending file;
} hb_keygen_key;

typedef struct hb_keygen_job {
    hb_group *group;         /* borrowed, as are ... */
    const hb_common *common; /* ... this and what the options point to */
    hb_keygen_options options;
    hb_device device;
    hb_session session;
    char *directory, *secret, *public;
    hb_pending secret_file, public_file;
    bool adopted, public_missing; /* with a pair: the secret key still has the name of an unfinished run; as it says */
    hb_key_root *root;            /* that the pair is of, where its secret key says so; wiped by close */
    bool secret_made, public_made;
    hb_keygen_key *keys; /* [count] */
    uint32_t count, missing;
    uint64_t key_bytes, output_bytes, free_bytes; /* of a file; of all files to make; of the disk */
} hb_keygen_job;

/* Parameters, device, which keys, and whether they may be made: HB_ECREATE when a file of a new pair exists, or a
 * switching key of another pair; HB_EUSAGE when there is nothing to make; HB_EIO when the disk is too full. Nothing is
 * written. The caller closes *job, also after a failure. */
hb_status hb_keygen_job_open(hb_keygen_job *job, hb_group *group, const hb_common *common,
                             const hb_keygen_options *options);
/* Makes and writes what is missing. After a failure no file of this run is left. */
hb_status hb_keygen_job_run(hb_keygen_job *job);
void hb_keygen_job_close(hb_keygen_job *job);

#endif
