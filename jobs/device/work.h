/* Everything of a job that takes time, as counts: what its rank with most has to do. The time that follows depends on
 * the device (speed.h), and is a sum of parts (prediction.h). */
#ifndef HB_DEVICE_WORK_H
#define HB_DEVICE_WORK_H

#include <stdbool.h>

#include "lang/cost/kinds.h"
#include "rlwe/params.h"

/* Returns the part of a fresh ciphertext's limbs that the rank with most of them has: 1 where none are divided. */
static inline double hb_work_limb_share(const hb_params *params)
{
    return hb_params_most_limbs(params, params->ids, params->fresh_limbs) / (double)params->fresh_limbs;
}

/* Whether what is read and uploaded, and what is downloaded and written, goes limb by limb: of that, ranks that share
 * limbs each have their own. */
typedef struct hb_work_limbs {
    bool read, written;
} hb_work_limbs;

/* The work of a job that computes over units of a dataset, for one plain modulus, on all limbs, also where ranks share
 * them: predictions take a rank's part of it. Zeroed: none. The parameters are borrowed. */
typedef struct hb_work {
    const hb_params *params;
    uint32_t residues;       /* plain moduli, for each of which all but the opening is done; 0: 1 */
    double units;            /* that go through the pipeline, of all passes; 0: one for all items */
    double items, batch;     /* ciphertexts, or row blocks, of all passes; and how many at a time; 0: unknown */
    hb_cost loop;            /* of all items */
    hb_cost totals;          /* once, after the loop */
    hb_cost keys, diagonals; /* once, before it: keys that are prepared, diagonals that are encoded */
    double key_bytes;        /* of files of keys, read and digested */
    double text_bytes;       /* of text, read in the loop */
    double file_bytes;       /* of ciphertexts and binary tables, read in the loop */
    double cells;            /* arranged into slots, or from them */
    double printed_cells;    /* written as text after the loop: integers, ... */
    double printed_reals;    /* ... and reals */
    double written_bytes;    /* in the loop */
    bool on_disk;            /* they go to a disk, not to memory */
    bool bootstraps;         /* maps of bootstrapping are made before the loop */
    double upload_bytes, download_bytes;
    hb_work_limbs limbs;
    bool arranges_last;  /* cells are arranged by the threads that write */
    bool queues_write;   /* there are none: the queues write what they computed */
    double buffer_bytes; /* of host memory; 0: unknown */
} hb_work;

#endif
