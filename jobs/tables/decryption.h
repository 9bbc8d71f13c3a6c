/* Shared by decrypting and verifying: the dataset that a job reads, and decryptors for it on the job's workers. */
#ifndef HB_TABLES_DECRYPTION_H
#define HB_TABLES_DECRYPTION_H

#include "batch/job/job.h"
#include "batch/unit/unit_decrypt.h"

/* The dataset, and a decryptor for each worker. */
typedef struct hb_decryption {
    hb_dataset *dataset;
    hb_unit_decryptor decryptor[HB_MOST_WORKERS]; /* [workers]; they use the session's secret key */
    hb_quality_measured measured;                 /* of all ranks, set by hb_decryption_measure */
    hb_quality_measured measured_of_all;          /* likewise, of this residue and of those before it */
    hb_predicted predicted_of_all;                /* likewise, the fewest proven bits */
} hb_decryption;

/* Rank-local: opens the dataset, whose header becomes the job's; each rank looks at its share of the shards. The caller
 * closes, also after a failure, before the job's session. HB_ENOINPUT, HB_EDATA. */
hb_status hb_decryption_open(hb_decryption *decryption, hb_job *job, const char *path);
void hb_decryption_close(hb_decryption *decryption);
/* Rank-local: opens the job's session for decrypting its dataset. Returns HB_EDATA for a public key, another key or
 * other parameters; HB_ENOINPUT. */
hb_status hb_decryption_open_key(hb_job *job, const char *key_path, const char *dataset_path);
/* Collective: returns HB_EDATA unless all ranks see the same dataset, by its sum; then its rows may be read. */
hb_status hb_decryption_compare(hb_decryption *decryption, const hb_job *job);
/* Rank-local: makes a decryptor for each of the job's workers, on the queues of its session. HB_ENOMEM. */
hb_status hb_decryption_prepare(hb_decryption *decryption, const hb_job *job);
/* Collective: adds up the measurements of all decryptors of all ranks, each ciphertext once. predicted: of this
 * residue. */
hb_status hb_decryption_measure(hb_decryption *decryption, const hb_job *job, hb_predicted predicted);

#endif
