/* How far an owner of joint keys is with something that all owners do in steps: joint-ID.h5 beside his party.h5 (HDF5,
 * layout in io/README.md, "Joint keys"), mode 0600. It says for which commitments of all owners his contributions to
 * round 1 of a session or a later round were opened, and for which contributions he made round 2. In a trial it says
 * for which commitments his input was opened, for which inputs its seed, for which seeds he makes parts, and for which
 * commitments these were opened. Each is done once, as others could choose theirs in view of his otherwise, and
 * recorded before it leaves. Where not all owners decrypt, the state of the session has his share of the secret, in a
 * box that opens with the root of his party.h5 (hb_share_keep), also if that is under a passphrase; nothing else in it
 * is secret. Host memory only; HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_STATE_FILE_H
#define HB_IO_JOINT_STATE_FILE_H

#include "io/keys/checked_keys.h"
#include "joint/party.h"

/* The purpose of the steps. */
typedef enum hb_joint_purpose {
    HB_JOINT_SESSION, /* the keys of the session itself */
    HB_JOINT_ROUND,   /* those of a later round */
    HB_JOINT_TRIAL,   /* a trial of keys (jobs/trial) */
    HB_JOINT_PURPOSES /* their number */
} hb_joint_purpose;
/* "session", "round", "trial", as in the file. */
extern const char *const hb_joint_purpose_words[HB_JOINT_PURPOSES];

/* Zeros in a digest: not known yet. */
typedef struct hb_joint_state {
    hb_joint_purpose purpose;
    char name[HB_OWNER_NAME_BYTES];
    uint8_t id[HB_DIGEST_BYTES];          /* of the session, the later round or the trial */
    uint8_t commitments[HB_DIGEST_BYTES]; /* hb_joint_bodies_digest of all commitments to `first` for which that left */
    uint8_t inputs[HB_DIGEST_BYTES];      /* of all files from which `second` is made; of a trial, of all commitments */
    uint8_t first[HB_DIGEST_BYTES];       /* body of his contributions to round 1; of a trial, of his input */
    uint8_t second[HB_DIGEST_BYTES];      /* and to round 2; of a trial, of his parts */
    uint8_t opened[HB_DIGEST_BYTES];      /* of a trial: of all inputs for which the seed of his was opened */
    uint8_t seeds[HB_DIGEST_BYTES];       /* likewise: of all opened seeds, by which he decides whether to make parts */
    /* All below is of the state of a session alone. */
    uint8_t key_id[HB_KEY_ID_BYTES]; /* of the joint keys that the owner compared */
    hb_checked_keys checked;         /* their files, with those of later rounds; owned */
    /* 0: no ledger of parts was begun (ledger.h); else 1 + the records that it has at least, which were on the disk
     * when a job ended. */
    uint64_t parts;
    uint8_t *share; /* [share_bytes], the box; owned; NULL: not known, or there is none */
    size_t share_bytes;
} hb_joint_state;

/* Makes the state of an owner who has taken no step yet. */
hb_joint_state hb_joint_state_begin(hb_joint_purpose purpose, const char *name, const uint8_t id[HB_DIGEST_BYTES]);
/* Frees the box and the list of keys; a zeroed state is fine. */
void hb_joint_state_clear(hb_joint_state *state);

/* Returns HB_EDATA, naming its file, unless it is the state for that purpose, of that owner, with that id. */
hb_status hb_joint_state_check(const hb_joint_state *state, const char *path, hb_joint_purpose purpose,
                               const char *name, const uint8_t id[HB_DIGEST_BYTES]);
/* Returns whether a digest of the state is known: it is not all zeros. */
bool hb_joint_state_knows(const uint8_t digest[HB_DIGEST_BYTES]);

/* Records for which commitments contributions leave, or of which inputs round 2 is made: sets this digest of the state,
 * or leaves it where it is the same already. HB_EDATA where it is another one: then the owner's file `what` was `why`,
 * and `advice` says what to do. The caller writes the state before the file leaves. */
hb_status hb_joint_state_set(uint8_t field[HB_DIGEST_BYTES], const uint8_t digest[HB_DIGEST_BYTES], const char *what,
                             const char *why, const char *advice);

/* Takes the lock of the owner's steps, PATH.lock, an empty file that stays. Who writes the state, or anything that it
 * records, holds it from before he reads the state; closing *fd releases it. HB_ECREATE where another process holds it,
 * or the file system has no locks; HB_ENOMEM. */
hb_status hb_joint_state_lock(const char *path, int *fd);
/* Takes it for a step that only looks at a file and writes the state. Several of these may run at once, so it waits for
 * them, up to a minute. */
hb_status hb_joint_state_lock_patiently(const char *path, int *fd);

/* Writes the state; `fresh`: the file must not exist, else it is replaced, in one step. HB_ECREATE, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_joint_state_write(const char *path, const hb_joint_state *state, bool fresh);
/* Reads it. HB_EPERM where group or others have any right to it, HB_EDATA where it is damaged, HB_ENOINPUT when it is
 * missing; HB_EIO, HB_ENOMEM. The caller clears *state, which is left as it was after a failure. */
hb_status hb_joint_state_read(const char *path, hb_joint_state *state);

#endif
