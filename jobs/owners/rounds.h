/* Later rounds of a session of joint keys: more keys for computing, which all owners make. Anybody begins one:
 * more-K.h5 in the session's folder, K its number. Owners join it as they joined the session (seat.h). One process, no
 * engine. */
#ifndef HB_OWNERS_ROUNDS_H
#define HB_OWNERS_ROUNDS_H

#include "io/joint/more_file.h"
#include "keys/keygen_request.h"

/* The name of a round's file in the folder, with its number. */
#define HB_MORE_FILE "/more-%" PRIu32 ".h5"

/* All later rounds of a session in its folder, in ascending order of numbers. Zeroed: none. */
typedef struct hb_joint_rounds {
    hb_more_file *file; /* [count] */
    uint32_t count;
} hb_joint_rounds;

/* Reads all that are there, which borrow the session `of`; params are its. HB_EDATA where one is not of the session, or
 * makes a key that the session or a round before it makes, for no more limbs: which of both is used, nobody could tell.
 * HB_EIO, HB_ENOMEM. The caller closes, also after a failure. */
hb_status hb_joint_rounds_open(hb_joint_rounds *rounds, const char *folder, const hb_session_file *of,
                               const hb_params *params);
void hb_joint_rounds_close(hb_joint_rounds *rounds);

/* Chooses the next round, behind all that are there: the keys that are asked for and not made yet. HB_EUSAGE where no
 * key is asked for, as hb_keygen_names, and where there are too many rounds; HB_ECREATE where all are made. The caller
 * clears *next (hb_more_file_clear), also after a failure. */
hb_status hb_joint_rounds_next(hb_more_file *next, const hb_joint_rounds *rounds, const hb_session_file *of,
                               const hb_keygen_request *keys, const hb_params *params);

/* Chooses the keys that a session, or a later round, makes: all that are asked for, in the order in which it has them.
 * The session borrows *rotations, which the caller frees, also after a failure. Errors of hb_keygen_names;
 * HB_ENOMEM. */
hb_status hb_joint_choose_keys(hb_joint_session *session, hb_joint_rotation **rotations, const hb_keygen_request *keys,
                               const hb_params *params);

#endif
