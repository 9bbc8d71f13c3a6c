/* Between keygen_job.c, which makes keys, and the files that do parts of that. */
#ifndef HB_KEYS_KEYGEN_PRIVATE_H
#define HB_KEYS_KEYGEN_PRIVATE_H

#include "keygen_job.h"

/* keygen_request.c */

/* The keys that are asked for, one for an element, for the highest level at which any of what asks uses it;
 * relinearization first. The caller frees list->name. HB_EUSAGE for what cannot be read and for steps out of range;
 * HB_ECONFIG when the parameters have no special prime, no slots to rotate, or no bootstrapping that is asked for. */
hb_status hb_keygen_names(hb_key_names *list, const hb_keygen_request *request, const hb_params *params);

/* keygen_pair.c: the two files of a pair. */

/* Names of a new pair, which must be free. HB_ECREATE, with the way out. */
hb_status hb_keygen_pair_names(hb_keygen_job *job);
/* Opens the session with the secret key of a pair, and finds what the pair lacks: adopted, public_missing. Rank 0 does
 * so; the others join, which know whether it has adopted the key. */
hb_status hb_keygen_pair_open(hb_keygen_job *job);
hb_status hb_keygen_pair_join(hb_keygen_job *job);
/* Opens the secret key of the others where it is sealed, as rank 0 has. Collective. */
hb_status hb_keygen_pair_unseal(hb_keygen_job *job);
/* Makes the pair of `root` and its two files, which do not have their names yet; nobody else makes keys there from now
 * on, and what was left there is removed. */
hb_status hb_keygen_pair_prepare(hb_keygen_job *job, const hb_seed *root);
/* Takes a pair that rank 0 has prepared: its secret key into the session, and what that was drawn from into *root. */
hb_status hb_keygen_pair_take(hb_keygen_job *job, hb_seed *root);
/* Makes what a pair lacks, with their names. */
hb_status hb_keygen_pair_complete(hb_keygen_job *job);

#endif
