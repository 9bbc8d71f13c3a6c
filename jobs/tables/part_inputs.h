/* The parts from which a dataset under joint keys is decrypted: one of each owner that decrypts, checked against the
 * dataset, the session of its keys and one another before anything of them is used. */
#ifndef HB_TABLES_PART_INPUTS_H
#define HB_TABLES_PART_INPUTS_H

#include "batch/job/job.h"
#include "batch/unit/unit_rows.h"
#include "io/joint/session_file.h"
#include "joint/part_plan.h"

/* Returns HB_EDATA, naming both files, unless the session is that of the dataset's keys; HB_EUSAGE where these are no
 * joint keys. */
hb_status hb_part_session_check(const hb_session_file *session, const char *session_path, const hb_header *dataset,
                                const char *dataset_path);
/* Returns HB_EUSAGE, naming the dataset, where there are no parts of it: keys of one owner. */
hb_status hb_part_dataset_check(const hb_header *dataset, const char *dataset_path);
/* Plans parts of all owners that decrypt a dataset, of its residue: the same for who makes them and who adds them up.
 * receiving: as hb_part_plan_make takes it. HB_EDATA where its noise is assumed, or too little budget is left; errors
 * of hb_part_plan_make. */
hb_status hb_part_plan_for(const hb_params *params, const hb_header *dataset, const char *dataset_path,
                           uint32_t receiving, hb_part_plan *plan);
/* Returns the owners of the key that a part is for, 1 or more; 0: it is in the clear. */
static inline uint32_t hb_part_receiving(const hb_part_facts *facts)
{
    const uint32_t owners = facts->receiving.owners > 0 ? facts->receiving.owners : 1;
    return hb_part_has_receiver(facts) ? owners : 0;
}
/* Returns the ciphertexts of all residues of a dataset: of each there is a part. */
static inline uint64_t hb_part_count(const hb_header *dataset)
{
    return dataset->ciphertexts * hb_spec_residues(&dataset->spec);
}
/* Returns HB_EDATA, naming the dataset, where these are more than its keys were made for: known before any of them is
 * counted. */
hb_status hb_part_count_check(const hb_header *dataset, const char *dataset_path);
/* Computes a digest of what all parts of a dataset have alike, of every residue: the dataset, who decrypts, the cells,
 * and the receiver. */
void hb_part_request_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_part_facts *facts);
/* Returns the facts that are signed of a part by an owner; all is borrowed. */
hb_signed_facts hb_part_signed_facts(const char *from, const uint8_t *session_id, const uint8_t sum[HB_DIGEST_BYTES]);

/* The parts of all owners that decrypt. Zeroed: none is open. */
typedef struct hb_part_inputs {
    hb_dataset *part[HB_MOST_OWNERS]; /* [count], in the order of the owners' names */
    uint32_t count;
    hb_part_plan plan;
} hb_part_inputs;

/* Rank-local: opens the parts at these paths, of which each rank looks at its share of the shards, for a dataset that
 * is open: of the job's residue, where there are several. HB_EDATA: one is no part, of another dataset, request or
 * session than the others, or not signed by its owner; two of one owner; others than for the residues before.
 * HB_ENOINPUT, naming the owners, where parts are missing, or the file, where one of their residues is. The caller
 * closes, also after a failure. */
hb_status hb_part_inputs_open(hb_part_inputs *inputs, char *const *paths, size_t count, const hb_job *job,
                              const hb_dataset *dataset, const char *dataset_path);
void hb_part_inputs_close(hb_part_inputs *inputs);
/* Returns the facts that all have, but for the owners' names. */
const hb_part_facts *hb_part_inputs_facts(const hb_part_inputs *inputs);
/* Computes a digest of all parts: H("hebatch parts"; count, sums), H as in io/README.md. */
void hb_part_inputs_digest(const hb_part_inputs *inputs, uint8_t digest[HB_DIGEST_BYTES]);
/* Collective: returns HB_EDATA unless all ranks see the same parts; then their rows may be read. */
hb_status hb_part_inputs_compare(hb_part_inputs *inputs, const hb_job *job);

/* Compares a dataset with the sum that somebody said, 32 or more of its digits as info prints them; `before` stands
 * before it in messages. HB_EUSAGE for other digits, HB_EDATA where the sum is another one. */
hb_status hb_demanded_sum_check(const char *digits, const char *before, const hb_dataset *dataset, const char *path);

#endif
