/* The state that a process keeps from one command to the next, on this rank: the device of the last job, its engine,
 * the exchange of its ranks, the keys for computing that it and earlier jobs had loaded, datasets that they had read
 * (batch/unit/resident_units.h), and matrices that they had encoded (scheme/block_shelf.h). A job of the same
 * parameters, and the same options of device and limbs, goes on with it; another one closes it and begins anew. No key
 * of a pair stays. Keys are found again by the file that they came from (hb_switch_key.origin): one that was changed in
 * any way is read again.
 *
 * The same on all ranks, as each decision here is one of all. */
#ifndef HB_BATCH_JOB_RESIDENT_H
#define HB_BATCH_JOB_RESIDENT_H

#include "batch/unit/resident_units.h"
#include "cli/parse.h"
#include "io/keys/switch_key_file.h"
#include "job.h"
#include "scheme/block_shelf.h"

struct hb_resident {
    hb_job_kept kept;
    hb_residents datasets;           /* on the engine of `kept`, or of the job that runs */
    hb_block_shelf matrices;         /* encoded, likewise */
    hb_size keep;                    /* what these may take, of the memory of this rank; ... */
    bool bounded;                    /* ... set by the user, who may have set 0; else as hb_resident_limit finds */
    uint64_t most;                   /* bytes of that, as the last job has found it */
    uint8_t choice[HB_DIGEST_BYTES]; /* of the options by which `kept` was made, or is going to be */
    hb_known_keys keys;              /* files of keys that jobs have looked into */
    bool used;                       /* the job that runs, or ran last, has a session of its own or took this one */
    bool taken;                      /* it took this one */
};
typedef struct hb_resident hb_resident;

/* Returns the resident state of the run; NULL: it has none. Jobs use its datasets, matrices, keys and `most`. */
hb_resident *hb_resident_of(const hb_group *group);

/* Offers the job what is resident, once its parameters are known: job->kept is set, and what does not suit is closed.
 * Nothing where the run has no resident state. Refuses a key of a pair that is secret (HB_EUSAGE), after wiping it.
 * Collective. HB_ECOMM. */
hb_status hb_resident_offer(hb_job *job);
/* Notes that the job begins a session, or has taken what was offered. */
void hb_resident_use(const hb_group *group, bool taken);
/* Sets how much memory keys of earlier jobs may take beside the job's plan (hb_session.resting_most), and how much
 * datasets and matrices may: 0 without resident state; on a GPU a quarter each of what the plan leaves; on a CPU an
 * eighth each of the rank's share of its host. Datasets and matrices may take what the user has set, but never more
 * than half of what the plan leaves. Things beyond it go. Collective. HB_ECOMM. */
hb_status hb_resident_limit(hb_job *job);
/* Returns whether a job that has failed for want of memory may be tried again with nothing resident, as it had taken
 * some of it. */
bool hb_resident_crowds(const hb_group *group, hb_status failed);
/* Closes what is resident, where the job that ended with `st` has used and may have spoilt it; for HB_OK, what the job
 * has read of datasets stays. Collective. */
void hb_resident_end_job(hb_group *group, hb_status st);
/* Closes all of it but for files of keys that are known, which hb_known_keys_clear forgets; a zeroed struct is allowed.
 * Collective where a session is open. */
void hb_resident_close(hb_resident *resident);

#endif
