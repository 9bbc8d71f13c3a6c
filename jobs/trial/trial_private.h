/* A trial, whose steps and opened seeds are in two files. */
#ifndef HB_TRIAL_TRIAL_PRIVATE_H
#define HB_TRIAL_TRIAL_PRIVATE_H

#include "joint/share.h"
#include "owners/opening.h"
#include "parts/part_owner.h"
#include "trial.h"
#include "values.h"

/* A trial in the folder, as one owner sees it. */
typedef struct hb_key_trial {
    const hb_trial_request *request;
    hb_seat seat; /* in the trial; its secret is borrowed */
    hb_owner_view view;
    char *state_path;
    hb_joint_state state;
    hb_public_key key;
    hb_seed seed; /* of the owner's input */
    hb_trial_values values;
    hb_joint_all inputs_committed, inputs, opened, parts_committed, parts;
    hb_part_owner owner; /* party and session: borrowed */
    uint8_t *packed;     /* [packed_bytes], a polynomial of a ciphertext */
    size_t packed_bytes;
} hb_key_trial;

/* Returns memory for a packed polynomial of so many bytes. */
static inline uint8_t *hb_trial_room(const hb_key_trial *x, size_t bytes)
{
    HB_ASSERT(bytes <= x->packed_bytes);
    return x->packed;
}

/* Opens the seed of the owner's input, when the inputs of all are there. When all seeds are, takes the values that they
 * give, whose encryption every input has to be, word by word, and sets *good. HB_EDATA naming the owner whose input or
 * seed is another, after which the trial is over: the digest of all seeds is recorded before. */
hb_status hb_trial_open_seeds(hb_key_trial *x, bool *good);

#endif
