/* The plan of a job, before it begins: its inputs, its outputs and its needs. The plan follows from the dataset, the
 * number of ranks, the device and the free space alone. Rank-local. */
#ifndef HB_BATCH_JOB_PLAN_H
#define HB_BATCH_JOB_PLAN_H

#include <jansson.h>

#include "batch/unit/workers.h"
#include "cli/common.h"
#include "device/prediction.h"
#include "io/dataset/dataset.h"
#include "mpi/group/group.h"
#include "plan_limbs.h"

/* One shard of a dataset that is being made. */
typedef struct hb_part {
    uint32_t number;
    uint64_t first_unit, units;
} hb_part;

/* Shards that a rank writes to at the same time: a file system lets only one thread at a time write to a file. */
enum { HB_PLAN_ABREAST = 4 };
/* Returns the number of shards of ranks 0 .. rank - 1 of `size`; of all ranks for rank = size. A rank without units has
 * no shard. Any other has one, HB_PLAN_ABREAST if each then has at least 64 MiB, and more if they would exceed 4 GiB.
 * Shard numbers ascend over the ranks, so that the shards tile the units. Ranks that share limbs count as one rank
 * here. */
uint32_t hb_plan_parts_before(const hb_header *header, uint32_t rank, uint32_t size);
/* Fills parts[0 .. hb_plan_parts_before(header, size, size)) with all shards, by number. */
void hb_plan_layout(const hb_header *header, uint32_t size, hb_part *parts);

/* Returns a header that counts only the new units of a growing dataset: for counts alone. */
hb_header hb_plan_made(const hb_header *header, const hb_growth *growth);

/* The needs of a job over the units of a header; everything is borrowed. The functions return bytes, on the member with
 * most limbs where limbs are divided. fixed_bytes and worker_bytes count the engine's memory. */
typedef struct hb_plan_requirements {
    const hb_header *header;
    const hb_device *device;
    size_t batch;    /* ciphertexts at a time, at most a unit's; 0: hb_unit_batch decides */
    size_t together; /* ciphertexts that must be in one batch (hb_worker_requirements); 0: 1 */
    bool in_order;   /* one worker computes all units of a rank */
    /* Returns the bytes of all workers together, beyond the engine's tables and a key pair. NULL: none. */
    uint64_t (*fixed_bytes)(const void *context, const hb_params *params);
    /* Returns the bytes of each worker: hb_unit_encryptor_bytes and its like. */
    uint64_t (*worker_bytes)(const void *context, const hb_params *params, size_t batch);
    /* Returns the host memory of a rank's buffers. NULL: that of unit buffers with `values` and `cells` (buffers.h). */
    uint64_t (*host_bytes)(const void *context, const hb_params *params, const hb_workers *workers);
    bool values, cells;
    bool refuses; /* the kind itself refuses what a CPU's host has too little memory for, as it knows more ways out */
    /* Returns the work of the rank with most, where so many groups of ranks have different ciphertexts. */
    hb_work (*work)(const void *context, uint32_t groups);
    const void *context;
} hb_plan_requirements;

/* The plan. Sizes in bytes do not overflow: hb_plan_make has checked that. */
typedef struct hb_plan {
    const hb_header *header; /* borrowed */
    const hb_device *device; /* borrowed; hb_plan_memory sets it, limbs, workers and memory */
    hb_plan_limbs limbs;
    uint64_t ranks;
    uint64_t values;           /* cells of the table */
    uint64_t table_bytes;      /* cells times their width */
    uint64_t ciphertext_bytes; /* stored, each */
    uint32_t residues;         /* plain moduli; each has as many ciphertexts */
    uint64_t stored_bytes;     /* of all ciphertexts, of all residues */
    uint64_t units, parts;
    uint64_t rank_units, rank_ciphertexts; /* of the group of ranks with most units */
    hb_workers workers;                    /* of each rank */
    uint64_t host_bytes;                   /* buffers and tables of a rank; page-locked in part with a GPU */
    uint64_t device_bytes, device_limit;   /* of a rank on its GPU; 0: on the CPU */
    uint64_t output_bytes, free_bytes;     /* bytes that will be written, and free space there; 0: nothing is written */
    hb_prediction predicted;               /* of the whole job, for all residues; zeros in those after the first */
} hb_plan;

/* Makes the plan for `groups` of `members` ranks each, which share limbs. Borrows the header. HB_EDATA when a size
 * exceeds 64 bits. */
hb_status hb_plan_make(hb_plan *plan, const hb_header *header, uint32_t groups, uint32_t members);
/* Chooses workers that fit into the device's memory (hb_workers_choose), and sums up the memory of a rank. HB_ENOMEM
 * where a GPU has too little of it; and, with the ways out, where the host of a CPU has, unless the kind refuses. */
hb_status hb_plan_memory(hb_plan *plan, const hb_session *session, const hb_plan_requirements *requirements);
/* Adds to the error of a plan that the memory of a GPU is too small for on how many ranks it would fit, which takes
 * some milliseconds; returns `failed`, that plan's status. */
hb_status hb_plan_refuse(const hb_session *session, const hb_plan_requirements *requirements, hb_status failed);
/* Returns, for hb_session_start, the least that a session needs for these requirements, which it borrows. */
hb_limb_requirements hb_plan_limb_requirements(const hb_plan_requirements *requirements);
/* Sets output_bytes and free_bytes. Returns HB_EIO when the disk of `output` has less than `bytes` bytes free. */
hb_status hb_plan_output(hb_plan *plan, uint64_t bytes, const char *output);
/* Returns the most bytes that the files of a dataset take in `parts` shards. */
uint64_t hb_plan_file_bytes(const hb_header *header, uint64_t parts);
/* Returns in *free_bytes the free space on the disk of `output`. HB_EIO unless `bytes` fit there. */
hb_status hb_plan_space(const char *output, uint64_t bytes, uint64_t *free_bytes);

/* Print the device alone (hb_workers_print), the predicted time, and the whole plan: as results on stdout, or as log on
 * stderr; rank 0. */
void hb_plan_print_device(const hb_plan *plan, const hb_group *group, const hb_common *common, bool results);
void hb_plan_print_time(const hb_plan *plan, const hb_group *group, const hb_common *common, bool results);
void hb_plan_print(const hb_plan *plan, const hb_group *group, const hb_common *common, bool results);
/* Returns the plan for reports, and the predicted time alone: {"parts": seconds of each, "loop": its seconds, "bound":
 * the part that it waits for, "total"}. The caller owns it; NULL when out of memory. */
json_t *hb_plan_time_json(const hb_plan *plan);
json_t *hb_plan_json(const hb_plan *plan);

#endif
