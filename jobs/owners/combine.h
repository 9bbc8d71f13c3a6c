/* The joint keys of a session and of its later rounds, which are the sums of what all owners contributed: written, or
 * compared with files that are there. No secret is needed. One process, one engine. */
#ifndef HB_OWNERS_COMBINE_H
#define HB_OWNERS_COMBINE_H

#include "folder.h"
#include "io/keys/checked_keys.h"

/* The folders of a session's files and of keys. */
typedef struct hb_joint_folders {
    const char *session, *keys;
    bool check; /* of keys that are all there: they are only compared */
    /* Is given every key for computing, as it adds up, when its file is written or compared: of the session and of each
     * round in turn, relinearization, then rotations in their order. NULL: nothing is. */
    hb_status (*each)(void *context, const hb_switch_key *key);
    /* Is given the commitments of all owners and their contributions to round 1, of the session and of each round in
     * turn, before keys are made of them. NULL: nothing is. */
    hb_status (*opened)(void *context, const hb_joint_round *round, const hb_joint_all *commits,
                        const hb_joint_all *firsts);
    void *context;
    hb_checked_keys *checked; /* gets the checksum of every file that was compared; NULL: nothing does */
} hb_joint_folders;

/* Makes the joint keys in a folder, which is there: public.h5, relin.h5, galois-G.h5 and so on, of the session and of
 * its later rounds, each of which has to be done, one after the other. Checks what hb_seat_step does, and that round 2
 * of every owner is of the same contributions to round 1. A key that is there already, as after an interrupted run, has
 * to be the same one: HB_EDATA. HB_EDATA too where the folder has other keys for computing. HB_ENOINPUT naming what is
 * missing. Sets key_id. */
hb_status hb_joint_combine(const hb_joint_folders *folders, hb_engine *engine, const hb_params *params,
                           const hb_session_file *file, uint8_t key_id[HB_KEY_ID_BYTES]);
/* Sums round 1 of relinearization over all owners, whose messages are there, for the level of `limbs` limbs. HB_EDATA
 * where a residue is out of range; HB_ENOMEM, and as hb_message_get. Waits. After a failure the sum is clear. */
hb_status hb_joint_sum_relin(hb_switch_key *sum, hb_engine *engine, const hb_params *params, uint32_t limbs,
                             const hb_joint_all *firsts);

#endif
