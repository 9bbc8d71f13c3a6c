/* Measures whole jobs on a generated table: encrypting it, decrypting the result, computing with it, beside the rates
 * of the link and the file system. */
#ifndef HB_BENCH_JOB_H
#define HB_BENCH_JOB_H

#include "batch/job/job_times.h"
#include "bench.h"
#include "plain_files.h"
#include "ranks/limb_ranks.h"
#include "scratch.h"

enum { HB_BENCH_COLUMNS = 16 }; /* of the table */

/* Options of the measurement. Borrowed. */
typedef struct hb_bench_job_options {
    const hb_params *params;
    hb_device_choice device;
    hb_limb_choice limbs;
    const char *scratch; /* folder that every rank sees */
    uint64_t rows;
} hb_bench_job_options;

/* Memory at the beginning, in the middle and at the end of a run, on the rank with most. */
typedef struct hb_bench_memory {
    uint64_t host[3]; /* peak resident bytes so far */
    uint64_t gpu[3];  /* bytes that the engine holds */
} hb_bench_memory;

/* The jobs. The sum and the product are of two datasets of all columns; a product is relinearized. */
typedef enum hb_bench_job_kind {
    HB_BENCH_ENCRYPT,
    HB_BENCH_DECRYPT,
    HB_BENCH_ADD,
    HB_BENCH_MULTIPLY,
    HB_BENCH_RUNS
} hb_bench_job_kind;
extern const char *const hb_bench_job_names[HB_BENCH_RUNS];

/* One measured job. Rates are ciphertexts a second, made or decrypted by all ranks. */
typedef struct hb_bench_job_times {
    /* False where a job was left out: its parameters have too few limbs for a product, or eval needs more space. */
    bool done;                          /* a product needs more limbs than some parameters have, eval more room */
    uint64_t read_bytes, written_bytes; /* of datasets, by all ranks */
    double rate;
    double link;             /* the rate that the links would allow; 0: a CPU */
    double files, files_one; /* rates of plain files: with the best number of threads; with one thread a rank */
    double seconds;          /* from the start of the run to its commit */
    double close;            /* seconds from the commit until its memory was freed */
    hb_job_times job_times;  /* of rank 0, without the start of the process */
    hb_pipeline_times times; /* of the rank that took longest */
    hb_bench_memory memory;
} hb_bench_job_times;

/* All measurements. */
typedef struct hb_bench_job_results {
    uint64_t ciphertexts, ciphertext_bytes;
    uint32_t limb_ranks; /* ranks that share each ciphertext */
    hb_bench_files files;
    hb_bench_job_times run[HB_BENCH_RUNS];
} hb_bench_job_results;

/* Runs the jobs in a folder of their own below options->scratch, and leaves nothing there. Collective; all ranks have
 * the same status, and the same results except for spans. HB_EIO when space is too short to encrypt and decrypt;
 * HB_EUSAGE; and the failures of the jobs. */
hb_status hb_bench_job(hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                       hb_bench_job_results *results);

/* Prints the results as tables, on rank 0. */
void hb_bench_print_job(const hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                        const hb_bench_job_results *results);
/* Returns the results as JSON; the caller owns it. NULL when out of memory. */
json_t *hb_bench_job_json(const hb_bench_job_options *options, const hb_bench_job_results *results);

#endif
