/* Where an owner keeps files of a session: beside his party.h5, joint-ID and an ending, ID the first 8 hexadecimal
 * digits of the session's id; of a later round or a trial joint-ID-LATER, LATER those of its id. */
#ifndef HB_IO_JOINT_PLACE_H
#define HB_IO_JOINT_PLACE_H

#include "base/digest.h"
#include "base/status.h"

#define HB_STATE_ENDING ".h5"     /* of a state (state_file.h) */
#define HB_LEDGER_ENDING ".parts" /* of a ledger (ledger.h) */

/* An id by its first 8 hexadecimal digits, as names of files and messages have it. */
typedef struct hb_short_id {
    char text[9];
} hb_short_id;
hb_short_id hb_short_of(const uint8_t *id);

/* Returns in *path the place of a file of the session of this id; party: the path of party.h5. The caller frees it.
 * HB_ENOMEM. */
hb_status hb_joint_place(char **path, const char *party, const uint8_t id[HB_DIGEST_BYTES], const char *ending);
/* Returns in *path the place of another file beside the state of a session, whose path `state` is: of the session
 * itself, later NULL, or of the later round or the trial of this id. The caller frees it. HB_ENOMEM. */
hb_status hb_joint_place_beside(char **path, const char *state, const uint8_t *later, const char *ending);

#endif
