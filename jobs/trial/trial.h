/* The trial of joint keys, before anybody encrypts with them (src/README.md, "Joint keys"): owners compute with inputs
 * of their own and decrypt all results together, through files in the session's folder, each of which is committed to
 * before it is opened. It finds every mistake, and noise above that of the floods; not noise that an owner keeps below
 * it. A step that was interrupted makes the same bytes. One process, one engine. */
#ifndef HB_TRIAL_TRIAL_H
#define HB_TRIAL_TRIAL_H

#include "owners/seat.h"
#include "values.h"

/* All is borrowed. */
typedef struct hb_trial_request {
    const hb_seat *seat; /* at the session itself, which is done */
    const hb_joint_rounds *rounds;
    const hb_party_file *party; /* the owner's, not sealed */
    const char *state;          /* the path of his joint-ID.h5, beside which his ledger is */
    const char *keys;           /* a folder of the joint keys, which he has compared (hb_seat_check) */
} hb_trial_request;

/* The outcome of a passed trial. */
typedef struct hb_trial_outcome {
    uint32_t sums, products, rotations; /* results that are right */
    double noise, proven;               /* log2 of the largest noise, and of the bound of that result */
    hb_name_list left_out;              /* of hb_trial_plan */
} hb_trial_outcome;

/* Does all that can be done now: the commitment to the owner's input, where his ledger has room for his parts of all
 * results; the input, when all commitments are there; its seed, when all inputs are; when all seeds are, and every
 * input is what its seed encrypts, parts of all results of the sets that he is in, recorded in his ledger, and the
 * commitment to them; the parts, when all commitments to these are there; the comparison, when all parts are. Keys are
 * compared again with the contributions of all, and used as these add up. HB_EDATA: a file of an owner is not as it has
 * to be, an input is not what its owner opened, before any part of it is made, the ledger refuses parts or has no room
 * for them, or a result is wrong, whose owner nobody can tell. HB_ENOINPUT where keys are missing; HB_ECREATE where
 * another run holds the lock. */
hb_status hb_trial_take_step(const hb_trial_request *request, hb_seat_progress *progress, hb_trial_outcome *outcome);

#endif
