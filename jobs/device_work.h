/* How long a job computes, roughly, before anything is opened for it: whether a GPU is worth opening.
 *
 * Work is counted in transforms of one limb, which is what most operations consist of; the factors of the others were
 * fitted to `hebatch bench bfv`. How long a transform takes here is measured, in milliseconds. Reading and writing are
 * left out, as every device waits for them alike. The answer is right within a factor of two or three, which matters
 * only to jobs that take about as long either way. */
#ifndef HB_DEVICE_WORK_H
#define HB_DEVICE_WORK_H

#include "dataset.h"
#include "params.h"
#include "program.h"

/* What one rank has to do; of the rank with most. */
typedef struct hb_work {
    const hb_params *params;
    double transforms;
} hb_work;

/* Of `ciphertexts` of a header, over all ranks; `ranks` divide them. */
hb_work hb_work_encrypt(const hb_params *params, const hb_header *header, int ranks);
hb_work hb_work_decrypt(const hb_params *params, const hb_header *header, int ranks);
/* Checksums alone. */
hb_work hb_work_verify(const hb_params *params, const hb_header *header, int ranks);
/* A key pair, which one rank makes, and switching keys. */
hb_work hb_work_keygen(const hb_params *params, uint32_t keys);
/* A program over `blocks` row blocks with its switching keys, which each rank prepares. */
hb_work hb_work_program(const hb_params *params, const hb_program *program, uint64_t blocks, uint32_t keys, int ranks);

typedef struct hb_work_times {
    double cpu, gpu; /* seconds; of a GPU with opening it */
} hb_work_times;
/* On `queues` threads of the CPU, and on any GPU that this program runs on; checks: one more of its operations, which
 * are not remembered (checked_file.h). Takes up to some milliseconds. HB_ENOMEM. */
hb_status hb_work_predict(const hb_work *work, uint64_t queues, bool checks, hb_work_times *times);

#endif
