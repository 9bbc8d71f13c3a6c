/* The owners that decrypt: all of a session, or as many as its threshold says, whom --owners names. */
#ifndef HB_PARTS_PART_SET_H
#define HB_PARTS_PART_SET_H

#include "io/joint/state_file.h"
#include "part_owner.h"

typedef struct hb_part_set {
    hb_owner_card card[HB_MOST_OWNERS]; /* [count], in ascending order of names */
    uint32_t point[HB_MOST_OWNERS];     /* [count] their places among all owners, from 1 */
    uint32_t count, self;               /* the place in this set of the owner who makes parts */
    uint64_t bits;                      /* hb_part_facts.owners */
    hb_joint_state state;               /* of that owner, with his share; zeroed where all decrypt */
} hb_part_set;

/* Takes the owners that a text names, with commas; NULL: all; and where not all decrypt, the share that is in the
 * owner's joint-ID.h5. HB_EUSAGE unless these are exactly as many as decrypt, each once, and the owner who makes parts
 * is one of them; HB_EDATA where he has no card of the session, or no share; errors of hb_part_owner_read_state. The
 * caller clears, also after a failure. */
hb_status hb_part_set_read(hb_part_set *set, const char *text, const hb_part_owner *owner);
void hb_part_set_clear(hb_part_set *set);
/* Puts the secret that parts of the set are made with onto an engine: the owner's own, where all decrypt, else his
 * share times its factor. HB_EDATA where the share is damaged; HB_ENOMEM. The caller clears. */
hb_status hb_part_set_secret(hb_secret_key *secret, const hb_part_set *set, const hb_part_owner *owner,
                             hb_engine *engine, const hb_params *params);

#endif
