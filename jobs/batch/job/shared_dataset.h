/* A dataset that all ranks of a job open: its shards are looked at by one rank each. */
#ifndef HB_BATCH_JOB_SHARED_DATASET_H
#define HB_BATCH_JOB_SHARED_DATASET_H

#include "io/dataset/dataset.h"
#include "mpi/group/group.h"

/* Returns the ranks of a group for hb_dataset_open_among and hb_dataset_tell; borrows the group. */
hb_dataset_ranks hb_shared_dataset_ranks(hb_group *group);

#endif
