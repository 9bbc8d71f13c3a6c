/* How far an owner of joint keys is in one session: joint-ID.h5 beside his party.h5 (HDF5, layout in io/README.md,
 * "Joint keys"), mode 0600. It says for which commitments of all owners his contributions to round 1 were opened, and
 * for which contributions he made round 2: both are done once in a session, as others could choose theirs in view of
 * his otherwise. Each is recorded before it leaves. Where not all owners decrypt it has his share of the secret, in a
 * box that opens with the root of his party.h5 (hb_share_keep), also if that is under a passphrase; nothing else in it
 * is secret. Host memory only; HDF5 is called from one thread at a time. */
#ifndef HB_IO_JOINT_STATE_FILE_H
#define HB_IO_JOINT_STATE_FILE_H

#include <string.h>

#include "joint/party.h"

typedef struct hb_joint_state {
    char name[HB_OWNER_NAME_BYTES];
    uint8_t session[HB_DIGEST_BYTES];
    uint8_t commitments[HB_DIGEST_BYTES]; /* hb_joint_inputs of the bodies of all commitments; zeros: not opened yet */
    uint8_t inputs[HB_DIGEST_BYTES];      /* those of round 2; zeros: not made yet */
    uint8_t first[HB_DIGEST_BYTES];       /* body of his contributions to round 1; zeros: not made yet */
    uint8_t second[HB_DIGEST_BYTES];      /* and to round 2 */
    uint8_t key_id[HB_KEY_ID_BYTES];      /* of the joint keys; zeros: not known yet */
    bool parts;                           /* a ledger of parts was begun (ledger.h) */
    uint8_t *share;                       /* [share_bytes], the box; owned; NULL: not known yet, or there is none */
    size_t share_bytes;
} hb_joint_state;

/* Frees the box; a zeroed state is fine. */
void hb_joint_state_clear(hb_joint_state *state);

/* Returns whether a digest of the state is known: it is not all zeros. */
static inline bool hb_joint_state_knows(const uint8_t digest[HB_DIGEST_BYTES])
{
    static const uint8_t zeros[HB_DIGEST_BYTES];
    return memcmp(digest, zeros, sizeof zeros) != 0;
}

/* Records for which commitments contributions leave, or of which inputs round 2 is made: sets this digest of the state,
 * or leaves it where it is the same already. HB_EDATA where it is another one: then the owner's file `what` was `why`,
 * and `advice` says what to do. The caller writes the state before the file leaves. */
static inline hb_status hb_joint_state_set(uint8_t field[HB_DIGEST_BYTES], const uint8_t digest[HB_DIGEST_BYTES],
                                           const char *what, const char *why, const char *advice)
{
    if (hb_joint_state_knows(field) && memcmp(field, digest, HB_DIGEST_BYTES) != 0) {
        return HB_FAIL(HB_EDATA, "%s was %s: %s", what, why, advice);
    }
    memcpy(field, digest, HB_DIGEST_BYTES);
    return HB_OK;
}

/* Takes the lock of the owner's steps in a session, PATH.lock, an empty file that stays. Who writes the state, or
 * anything that it records, holds it from before he reads the state; closing *fd releases it. HB_ECREATE where another
 * process holds it, or the file system has no locks; HB_ENOMEM. */
hb_status hb_joint_state_lock(const char *path, int *fd);

/* Writes the state; `fresh`: the file must not exist, else it is replaced, in one step. HB_ECREATE, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_joint_state_write(const char *path, const hb_joint_state *state, bool fresh);
/* Reads it. HB_EPERM where group or others have any right to it, HB_EDATA where it is damaged, HB_ENOINPUT when it is
 * missing; HB_EIO, HB_ENOMEM. The caller clears *state, which is left as it was after a failure. */
hb_status hb_joint_state_read(const char *path, hb_joint_state *state);

#endif
