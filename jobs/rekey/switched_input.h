/* An input of a smaller ring: a row in few ciphertexts, which a key of the job's folder brings into the ring of the
 * others (scheme/ring_switch.h). Once it is switched, the job reads its rows from here in the place of the dataset.
 * Rank-local, except where a function says "collective". */
#ifndef HB_REKEY_SWITCHED_INPUT_H
#define HB_REKEY_SWITCHED_INPUT_H

#include "moving_key.h"
#include "ranks/session.h"

typedef struct hb_switched_input {
    const char *path;     /* borrowed, as is ... */
    hb_dataset *dataset;  /* ... this */
    const hb_header *own; /* its header */
    hb_params *smaller;   /* its parameters */
    hb_header header;     /* of the ciphertexts behind the switch, with their bounds; borrows own's schema */
    uint32_t first;       /* number j is coefficient 2^first j there */
    hb_moving_key key;
    hb_rows *rows;     /* [units], the limbs that are here; NULL: it is not switched yet */
    hb_engine *engine; /* whose host memory they are in */
} hb_switched_input;

/* Finds out whether a dataset is of a smaller ring, from which the folder `keys` (NULL: there is none) has a key: *out
 * is NULL where it is not, and no key is opened for a dataset of another kind. HB_EDATA where it has other parameters
 * than such a key is from, or the key is for another person; HB_EUSAGE, HB_EPERM, HB_ENOMEM. The caller closes *out,
 * which NULL allows, before the dataset. */
hb_status hb_switched_input_find(hb_dataset *dataset, const char *path, const char *keys, hb_switched_input **out);
void hb_switched_input_close(hb_switched_input *x);

/* Returns the bytes of the engine's memory that the switch takes, at most. */
uint64_t hb_switched_input_bytes(const hb_switched_input *x, const hb_params *params);
/* Returns the bytes of host memory that it takes for good, and a unit while it is switched. */
uint64_t hb_switched_input_host_bytes(const hb_switched_input *x, const hb_params *params);
/* Reads all units, holds them to their sums, and switches them, with the key on the session's engine, which is freed
 * then. Collective. HB_EDATA, HB_EIO, HB_ENOMEM; errors of the engine. */
hb_status hb_switched_input_switch(hb_switched_input *x, const hb_session *session, hb_group *group);
/* Copies the rows of a unit, once it is switched, in the place of hb_dataset_read. */
void hb_switched_input_read(const hb_switched_input *x, uint64_t unit, hb_rows *rows);

#endif
