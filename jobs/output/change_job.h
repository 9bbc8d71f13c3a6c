/* A job that makes a dataset of another: the same table in ciphertexts that were changed one by one, each on its way
 * from stored rows to stored rows of the same unit. A kind embeds hb_change_job as the first member of its own struct,
 * provides the functions that differ (hb_change), and names the steps from here in its hb_job_kind. */
#ifndef HB_OUTPUT_CHANGE_JOB_H
#define HB_OUTPUT_CHANGE_JOB_H

#include "batch/unit/unit_order.h"
#include "batch/unit/unit_rows.h"
#include "output_job.h"
#include "rlwe/ciphertexts.h"

/* Options of the command line; texts are borrowed. The first member of a kind's own. */
typedef struct hb_change_options {
    hb_job_options job;
    const char *input, *output;
    bool force, resume;
    bool dry_run;           /* only the plan is wanted */
    hb_output_found *found; /* of the output, for reports; borrowed, not NULL */
    hb_job_kept *kept;      /* of jobs without a key of the pair: hb_job.kept; NULL: nothing is kept */
} hb_change_options;

/* The part of a worker that all kinds have, on its queue. */
typedef struct hb_change_worker {
    hb_engine *engine;     /* borrowed; NULL: not open */
    hb_unit_rows from, to; /* of the two datasets, whose units have the same ciphertexts */
    hb_unit_order order;   /* of packed totals in reverse, where the kind is `ordered`, at the level of the input or of
                            * the output, whichever has more limbs; else not open */
} hb_change_worker;

/* Some ciphertexts of a unit, on their way through a worker. */
typedef struct hb_change_some {
    uint32_t buffer, worker;
    uint64_t number;          /* of the first one in the dataset */
    size_t count;             /* 1 .. the plan's batch */
    hb_unit_rows_view places; /* of all of them in the unit, from the first one on */
    const hb_rows *rows;      /* that were read */
} hb_change_some;

typedef struct hb_change_job hb_change_job;
/* The functions that differ between kinds; one that may be NULL says so. Rank-local. */
typedef struct hb_change {
    bool ordered; /* the kind needs component 0 in the order of the ring: workers have `order` */
    /* Returns the bytes of the engine's memory that `open` takes, for `batch` ciphertexts at a time. */
    uint64_t (*worker_bytes)(const hb_change_job *job, const hb_params *params, size_t batch);
    /* Makes what workers share, before them. NULL: nothing. */
    hb_status (*prepare)(hb_change_job *job);
    /* Opens the kind's part of a worker, whose rows are open; close takes one that is not. */
    hb_status (*open)(hb_change_job *job, uint32_t worker);
    void (*close)(hb_change_job *job, uint32_t worker);
    /* In a reader's thread: reads what belongs to the unit beside its rows. NULL: nothing. */
    hb_status (*read)(hb_change_job *job, uint32_t buffer, uint64_t u);
    /* In a worker's thread, on its queue: once for a unit, after its rows were checked, NULL: nothing; then makes some
     * ciphertexts of it, which go to worker->to. */
    hb_status (*begin)(hb_change_job *job, uint32_t buffer, uint32_t worker, uint64_t u);
    hb_status (*change)(hb_change_job *job, const hb_change_some *some);
} hb_change;

/* The members of all such kinds. */
struct hb_change_job {
    hb_output_job base;
    const hb_change *change;
    hb_change_options options;
    hb_dataset *dataset;                    /* the input; from hb_change_job_find on */
    hb_header header;                       /* of the output, set by `find_out` */
    hb_rows read[HB_PIPELINE_MOST_BUFFERS]; /* units of the input */
    hb_change_worker worker[HB_MOST_WORKERS];
};

/* Opens the job, whose other members are zero. `describe`: as in hb_output_job. Collective. Errors of hb_job_open. */
hb_status hb_change_job_open(hb_change_job *job, const hb_job_kind *kind, const hb_change *change, hb_group *group,
                             const hb_common *common, hb_status (*describe)(const hb_job *job, hb_resume *described));
/* For `find_out`, first: looks at the output, and opens the input, which is no part of a decryption. Rank-local.
 * Statuses of hb_output_job_look and of opening. */
hb_status hb_change_job_find(hb_change_job *job);
/* For the header of the output: copies the input's with its schema, in the layout of today and without what is lost by
 * any change: seeds, and that ciphertexts were sanitized. The maker is set to HB_MADE_EVALUATED. HB_ENOMEM. */
hb_status hb_change_header_begin(hb_header *header, const hb_header *old);
/* Returns the header of the input. */
const hb_header *hb_change_job_old(const hb_change_job *job);
/* For `compare`: checks that all ranks have the same header of the output and the same `identity`, a digest of all else
 * that decides its bytes; `what` may differ. Collective. */
hb_status hb_change_job_same(hb_change_job *job, const uint8_t identity[HB_DIGEST_BYTES], const char *what);
/* For `compare`, at its end: tells the ranks what each found in its shards. Collective. */
hb_status hb_change_job_tell(hb_change_job *job);
/* The steps `worker_bytes`, `host_bytes`, `prepare`, and the first two stages. */
uint64_t hb_change_job_worker_bytes(const void *job, const hb_params *params, size_t batch);
uint64_t hb_change_job_host_bytes(const void *job, const hb_params *params, const hb_workers *workers);
hb_status hb_change_job_prepare(hb_job *base);
hb_status hb_change_job_read(void *context, uint32_t buffer, uint32_t thread, uint64_t u);
hb_status hb_change_job_make(void *context, uint32_t buffer, uint32_t worker, uint64_t u);
/* For `close` of the kind: closes workers, output, headers and the input. */
void hb_change_job_close(hb_change_job *job);

/* For `change`. Bring polynomials of component 0 from the order of files into that of the ring, and back. */
hb_status hb_change_to_ring(const hb_change_worker *worker, hb_batch c0);
hb_status hb_change_to_file(const hb_change_worker *worker, hb_batch c0);
/* Stores both components of the ciphertexts, component 0 in the order of files. */
hb_status hb_change_store(hb_change_job *job, const hb_change_some *some, hb_ciphertexts r);
/* Fails, with HB_EDATA, where one of these components 1 is 0: anyone can read such a ciphertext without a key. `what`
 * begins the reason: "its parts add up to". Waits; exchanges. */
hb_status hb_change_refuse_transparent(hb_change_job *job, const hb_change_worker *worker, hb_batch c1,
                                       const char *what);

#endif
