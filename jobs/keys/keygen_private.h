/* Declarations shared by keygen_job.c, which makes keys, and the files that do parts of that. */
#ifndef HB_KEYS_KEYGEN_PRIVATE_H
#define HB_KEYS_KEYGEN_PRIVATE_H

#include "keygen_job.h"

/* keygen_pair.c: the two files of a pair. */

/* Makes the names of a new pair, which must be free. HB_ECREATE, with a remedy. */
hb_status hb_keygen_pair_names(hb_keygen_job *job);
/* Opens the session with the secret key of a pair, and finds the parts that the pair lacks: adopted, public_missing.
 * Rank 0 does so; the others join, and know whether rank 0 has adopted the key. */
hb_status hb_keygen_pair_open(hb_keygen_job *job);
hb_status hb_keygen_pair_join(hb_keygen_job *job);
/* Opens the secret key on the other ranks where it is sealed; rank 0 has opened it. Collective. */
hb_status hb_keygen_pair_unseal(hb_keygen_job *job);
/* Makes the pair of `root` and its two files, under temporary names; from now on no other run makes keys there, and
 * remains of earlier runs are removed. */
hb_status hb_keygen_pair_prepare(hb_keygen_job *job, const hb_seed *root);
/* Takes a pair that rank 0 has prepared: its secret key into the session, and its seed into *root. */
hb_status hb_keygen_pair_take(hb_keygen_job *job, hb_seed *root);
/* Makes the files that a pair lacks, and gives all files their names. */
hb_status hb_keygen_pair_complete(hb_keygen_job *job);

#endif
