/* The owner of joint keys who makes parts: his secret file, the session of the keys, and his ledger beside the file
 * (io/joint/place.h). Rank-local, except where a function says "collective". */
#ifndef HB_PARTS_PART_OWNER_H
#define HB_PARTS_PART_OWNER_H

#include "io/dataset/dataset.h"
#include "io/joint/ledger.h"
#include "io/joint/party_file.h"
#include "io/joint/session_file.h"
#include "io/joint/state_file.h"
#include "mpi/group/group.h"

/* Zeroed: nothing is open. */
typedef struct hb_part_owner {
    hb_party_file party;
    hb_session_file session;
    hb_seed own; /* hb_owner_root of the session; secret */
    char *state_path, *ledger_path;
    hb_ledger *ledger;
    bool borrowed;                /* party and session belong to somebody else */
    hb_file_lock_waiting waiting; /* who is asked while another process holds the ledger; set by the caller, or zero */
} hb_part_owner;

/* Opens his secret file, and the session, at a path or in a folder as session.h5, for a dataset of that name. HB_EPERM
 * where others can read the secret; HB_EDATA where the session is not that of the dataset's keys; HB_ENOINPUT,
 * HB_ENOMEM. The caller closes, also after a failure, which wipes. */
hb_status hb_part_owner_open(hb_part_owner *owner, const char *party_path, const char *session_path,
                             const hb_header *dataset, const char *dataset_path);
/* Opens him as one who takes part in the session itself: a party, which is not sealed, a session that has his card, and
 * the path of his state, beside which his ledger is. Borrows party and session. HB_ENOMEM. The caller closes, also
 * after a failure, which wipes his own copies. */
hb_status hb_part_owner_borrow(hb_part_owner *owner, const hb_party_file *party, const hb_session_file *session,
                               const char *state_path);
/* Collective: opens the secret where it is under a passphrase, which the first rank gets (ranks/unseal.h), and derives
 * the secret of this session. HB_EDATA where no card of the session is his, HB_EPERM for a wrong passphrase. */
hb_status hb_part_owner_unseal(hb_part_owner *owner, hb_group *group, const char *party_path);
void hb_part_owner_close(hb_part_owner *owner);
/* Reads the state of his steps. HB_EDATA where it is gone, or is not his of this session; errors of
 * hb_joint_state_read. The caller clears it, also after a failure. */
hb_status hb_part_owner_read_state(const hb_part_owner *owner, hb_joint_state *state);
/* Returns HB_EDATA, saying what to do, unless the key that a dataset is under is the one that he compared with all
 * contributions: under another one a part may tell his secret. */
hb_status hb_part_owner_check_key(const hb_part_owner *owner, const hb_joint_state *state,
                                  const uint8_t key_id[HB_KEY_ID_BYTES], const char *dataset_path);
/* One rank: sees that there is a ledger, and that it has the records that joint-ID.h5 says; begins one where that says
 * that there never was. HB_EDATA where it is gone, unless `anew`: then it begins one all the same, and HB_EUSAGE where
 * one is there; HB_EDATA where it has lost records; errors of hb_part_owner_read_state and hb_ledger_open; HB_ECREATE,
 * HB_EIO. */
hb_status hb_part_owner_begin_ledger(const hb_part_owner *owner, bool anew);
/* One rank, when parts are written: notes in joint-ID.h5 how many records are on the disk, of all jobs; never fewer
 * than are noted. The same errors; HB_ECREATE where a step of the owner holds its lock for more than a minute. */
hb_status hb_part_owner_note_ledger(const hb_part_owner *owner);
/* Opens the ledger, which is there. Errors of hb_ledger_open_asking. */
hb_status hb_part_owner_open_ledger(hb_part_owner *owner);
/* Finds how many results the ledger has recorded, by all processes; 0 where there is none yet. Errors of
 * hb_ledger_read_count. */
hb_status hb_part_owner_recorded(const hb_part_owner *owner, uint64_t *recorded);
/* Signs a part by its sum: hb_part_signer.sign, whose context is the owner. */
void hb_part_owner_sign(void *owner, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES]);

#endif
