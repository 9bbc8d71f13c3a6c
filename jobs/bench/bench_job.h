/* A whole encryption and a whole decryption of a generated table, beside what the link and the file system allow. */
#ifndef HB_BENCH_JOB_H
#define HB_BENCH_JOB_H

#include "bench.h"
#include "limb_ranks.h"
#include "pipeline.h"

enum { HB_BENCH_COLUMNS = 16 };

typedef struct hb_bench_job_options {
    const hb_params *params;
    hb_device_choice device;
    hb_limb_choice limbs;
    const char *scratch; /* folder that every rank sees */
    uint64_t rows;
} hb_bench_job_options;

/* As a run began, half-way through it and at its end: of the rank with most. */
typedef struct hb_bench_memory {
    uint64_t host[3]; /* peak resident bytes so far */
    uint64_t gpu[3];  /* bytes that the engine holds */
} hb_bench_memory;

/* One of the two runs. Rates are ciphertexts a second, of all ranks. */
typedef struct hb_bench_run_times {
    double rate;
    double link;             /* what the links would allow; 0: a CPU */
    double files;            /* what plain writing (encrypt) or reading (decrypt) of the same bytes allows */
    double seconds;          /* from the start of the run to its commit */
    hb_pipeline_times times; /* of the slowest rank each */
    hb_bench_memory memory;
} hb_bench_run_times;

typedef struct hb_bench_job_results {
    uint64_t ciphertexts, ciphertext_bytes;
    uint32_t limb_ranks; /* that share each ciphertext */
    hb_bench_run_times encrypt, decrypt;
} hb_bench_job_results;

/* The part of the lower of both ceilings that was reached. */
double hb_bench_share(const hb_bench_run_times *run);

/* Collective; the same status and results on all ranks. Leaves nothing in the scratch folder. HB_EIO when it has too
 * little room. */
hb_status hb_bench_job(hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                       hb_bench_job_results *results);

#endif
