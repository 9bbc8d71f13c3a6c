/* The order in which a rank reads units of the datasets that are added. A rank makes some neighbouring units of the sum
 * at a time, a group: it reads all datasets for one group, then for the next. Pure functions of the datasets. */
#ifndef HB_ADD_READ_SCHEDULE_H
#define HB_ADD_READ_SCHEDULE_H

#include "batch/job/ranks.h"

/* Neighbouring units of the sum that are made together. */
typedef struct hb_add_group {
    uint64_t unit, units;  /* the first one; how many */
    uint64_t first, count; /* their ciphertexts */
    uint64_t reads;        /* reads of the rank's earlier groups */
    uint64_t each;         /* reads of each dataset: as many as the dataset with the smallest units needs */
} hb_add_group;

/* All groups of a rank. Zeroed: none. */
typedef struct hb_add_schedule {
    hb_add_group *groups; /* [count], owned */
    size_t count;
    const uint64_t *sizes; /* [inputs] ciphertexts of a unit of each dataset, at most all it has; borrowed */
    uint64_t inputs, ciphertexts, reads;
} hb_add_schedule;

/* One read: a unit of a dataset, and the part of it that belongs to the group. */
typedef struct hb_add_read {
    const hb_add_group *group;
    uint64_t input, unit;
    bool last; /* this read completes the group */
    /* Ciphertexts from .. from + count of the unit are ciphertexts to .. to + count of the group. count = 0: nothing is
     * read, as this dataset has fewer units here than another. */
    uint64_t from, to, count;
} hb_add_read;

/* Returns how many units of a sum are made together: 1 or more, up to 64 MiB of residues. */
uint64_t hb_add_together(const hb_header *sum);
/* Makes the order in which a rank reads that makes `units` of the sum, ascending, from `inputs` datasets with as many
 * ciphertexts each. HB_ENOMEM. hb_add_schedule_clear takes a zeroed struct. */
hb_status hb_add_schedule_init(hb_add_schedule *schedule, const hb_header *sum, const hb_units *units,
                               const uint64_t *sizes, uint64_t inputs);
void hb_add_schedule_clear(hb_add_schedule *schedule);
/* Returns read `place` of 0 .. course->reads - 1. */
hb_add_read hb_add_schedule_read(const hb_add_schedule *schedule, uint64_t place);

#endif
