/* Makes one owner's part of the decryption of a dataset under joint keys: another dataset, of one component, or of two
 * for the owner of a key. */
#ifndef HB_PARTS_PART_JOB_H
#define HB_PARTS_PART_JOB_H

#include <stdatomic.h>

#include "output/output_job.h"
#include "part_set.h"
#include "tables/decryption.h"
#include "tables/selection.h"
#include "unit_part.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_part_options {
    hb_job_options job;
    const char *key, *session, *input, *output; /* key: the owner's party.h5 */
    const char *sum;            /* that the dataset has to have, hexadecimal digits; NULL: any, by --trust, or, in a
                                   dry run, the one that it would be found to have */
    const char *owners;         /* who decrypt (part_set.h); NULL: all */
    const char *rows, *columns; /* the cells that it is for (selection.h); NULL: all */
    const char *to;             /* the public key of who alone opens what parts add up to; NULL: it is in the clear */
    bool trust;                 /* whatever the dataset is */
    bool recomputed;            /* the sum is that of the owner's own computation; for reports */
    json_t *inputs;             /* of that computation, for reports; borrowed; NULL: there was none */
    bool new_ledger;            /* begin a ledger, whatever is known of an older one */
    bool force, resume;
    bool dry_run;           /* only the plan is wanted */
    hb_output_found *found; /* units found and made, for reports; borrowed */
} hb_part_options;

/* The key that parts are for (joint/receiver.h). Zeroed: they are in the clear. */
typedef struct hb_part_receiver {
    hb_keyfile file;      /* until the key is on the engine */
    hb_public_key key;    /* loaded, where the rank makes parts */
    hb_joint_spec owners; /* of the key; zeroed: one */
} hb_part_receiver;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_part_job {
    hb_output_job base;
    hb_part_options options;
    hb_decryption decryption; /* the dataset alone */
    hb_part_owner owner;
    hb_part_set set;
    hb_part_receiver receiver;
    hb_part_cells cells;
    hb_part_plan plan;
    hb_header header; /* of the part */
    hb_unit_part_setting setting;
    hb_unit_part unit[HB_MOST_WORKERS];
    hb_part_signer signer;
    atomic_bool told; /* that another process holds the ledger */
} hb_part_job;

/* Returns HB_EUSAGE for an output that is no name of a part, as that of a table or -; HB_ECREATE for one that is a
 * dataset and no part: --force does not replace it either. Rank-local. */
hb_status hb_part_output_check(const char *output);
/* Checks dataset, sum, secret, session and output, and makes the plan; writes nothing. A job for each of several
 * residues makes that of the part, and the last one gives the part its name. Collective. The caller runs
 * job->base.job, which makes the part or leaves nothing under its name, and closes it in any case (batch/job/job.h). A
 * job that is killed anywhere leaves a part that the same job makes to the end, byte by byte the same. */
hb_status hb_part_job_open(hb_part_job *job, hb_group *group, const hb_common *common, const hb_part_options *options);

#endif
