/* The steps by which an owner takes part in a session of joint keys (src/README.md, "Joint keys"): looks at the folder
 * that all owners share, checks everything in it, and does what is next. No step has randomness of its own, so a step
 * that was interrupted is done again and makes the same bytes. One process, one engine. */
#ifndef HB_OWNERS_SEAT_H
#define HB_OWNERS_SEAT_H

#include "base/name_list.h"
#include "io/joint/message.h"
#include "io/joint/party_file.h"
#include "io/joint/session_file.h"

/* An owner at his session. */
typedef struct hb_seat {
    hb_engine *engine;
    const hb_params *params;
    const hb_session_file *file;
    const char *folder;   /* of the session's files */
    uint32_t owner;       /* his number */
    hb_joint_round round; /* in which he sits: that of the session itself, or a later one */
    hb_seed root, own;    /* own: that of the round */
    hb_secret_key secret;
} hb_seat;

/* Seats the owner of a party file, which is not sealed. params are those of file->spec; all is borrowed. HB_EDATA where
 * no card of the session is his. HB_ENOMEM. After a failure, and after hb_seat_close, it is zeroed and wiped. */
hb_status hb_seat_open(hb_seat *seat, hb_engine *engine, const hb_params *params, const hb_session_file *file,
                       const char *folder, const hb_party_file *party);
void hb_seat_close(hb_seat *seat);

/* The outcome of a step. */
typedef struct hb_seat_progress {
    bool did, done;       /* something; all that there is for this owner to do */
    bool again;           /* the state was lost, and made of the files of all */
    hb_name_list made;    /* the files that this step made */
    hb_name_list waiting; /* the files that others have to send first */
} hb_seat_progress;

/* Does all that can be done now: the commitment; round 1, when all commitments are there; round 2, when all
 * contributions to round 1 are there; where some owners decrypt, the check of the shares that all dealt to this one,
 * when round 2 of all is there, whose sum is kept then. state: the path of the owner's joint-ID.h5, which is made by
 * the first step. Where it is gone and files of this owner are there, it is made again of the files of all, if all are
 * there and his own are what his root gives, and says that there is a ledger of parts; HB_EDATA otherwise, as what he
 * opened is not known. A lock beside it is held meanwhile (state_file.h): HB_ECREATE where another run holds it.
 * HB_EDATA: a file of another owner is not as it has to be (message.h), round 1 of one is not what he committed to,
 * round 2 of one is of other contributions, a share is wrong, or a step was made already for other files of the same
 * session. When the session is done, the same is done in all later rounds (rounds.h), each with a state of its own,
 * joint-ID-ROUND.h5. */
hb_status hb_seat_step(hb_seat *seat, const char *state, hb_seat_progress *progress);

/* An owner compares keys that others made with what all contributions add up to, those of later rounds too, and notes
 * their id, and the checksum of each file, in the place of those noted before. The contributions have to be those for
 * which he opened his: HB_EDATA. state: the path of his joint-ID.h5. Errors of hb_joint_combine (combine.h). */
hb_status hb_seat_check(const hb_seat *seat, const char *state, const char *keys, uint8_t key_id[HB_KEY_ID_BYTES]);

#endif
