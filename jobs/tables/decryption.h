/* What decrypting and verifying share: the dataset that a job reads, and decryptors for it on the job's workers. */
#ifndef HB_TABLES_DECRYPTION_H
#define HB_TABLES_DECRYPTION_H

#include "batch/job.h"
#include "batch/unit_decrypt.h"

typedef struct hb_decryption {
    hb_dataset *dataset;
    hb_unit_decryptor decryptor[HB_MOST_WORKERS]; /* [workers], with the secret key */
    hb_budgets budgets;                           /* of all ranks, once measured */
} hb_decryption;

/* Rank-local: opens the dataset, whose header becomes the job's. The caller closes, also after a failure, before the
 * job's session. */
hb_status hb_decryption_open(hb_decryption *decryption, hb_job *job, const char *path);
void hb_decryption_close(hb_decryption *decryption);
/* Rank-local: opens the job's session for decrypting the dataset. HB_EDATA for a public key, another key or other
 * parameters. */
hb_status hb_decryption_open_key(hb_job *job, const char *key_path, const char *dataset_path);
/* Collective: fails unless all ranks see the same dataset. */
hb_status hb_decryption_compare(const hb_decryption *decryption, const hb_job *job);
/* Rank-local: makes a decryptor for each of the job's workers, on the queues of its session. */
hb_status hb_decryption_prepare(hb_decryption *decryption, const hb_job *job);
/* Collective: adds up the budgets that all decryptors of all ranks met, each ciphertext's once. */
hb_status hb_decryption_measure(hb_decryption *decryption, const hb_job *job);

#endif
