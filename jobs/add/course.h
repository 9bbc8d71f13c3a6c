/* In which order a rank reads units of the datasets that are added up: it has some units of the sum at a time, a group,
 * and goes through all datasets for these, then for the next ones. Pure functions of the datasets. */
#ifndef HB_ADD_COURSE_H
#define HB_ADD_COURSE_H

#include "batch/ranks.h"

/* Neighbouring units of the sum that are made together. */
typedef struct hb_add_group {
    uint64_t unit, units;  /* the first one; how many */
    uint64_t first, count; /* the ciphertexts that they are */
    uint64_t reads;        /* before it, of the rank's groups */
    uint64_t each;         /* reads of a dataset: as many as that with the smallest units asks for */
} hb_add_group;

/* All groups of a rank. Zeroed: none. */
typedef struct hb_add_course {
    hb_add_group *groups; /* [count], owned */
    size_t count;
    const uint64_t *sizes; /* [inputs] ciphertexts of a unit of each dataset, at most all that there are; borrowed */
    uint64_t inputs, ciphertexts, reads;
} hb_add_course;

/* One read: a unit of a dataset, and what of it belongs to the group. */
typedef struct hb_add_read {
    const hb_add_group *group;
    uint64_t input, unit;
    bool last; /* the group is complete with it */
    /* Ciphertexts `from` .. from + count of the unit are those `to` .. of the group; 0 of them: nothing is read, as the
     * dataset has fewer units there than another. */
    uint64_t from, to, count;
} hb_add_read;

/* Returns how many units of a sum are made together: 1 or more, up to 64 MiB of residues. */
uint64_t hb_add_together(const hb_header *sum);
/* Makes the course of a rank that makes these units of the sum, which ascend, of `inputs` datasets with as many
 * ciphertexts each. HB_ENOMEM. hb_add_course_clear takes a zeroed struct. */
hb_status hb_add_course_init(hb_add_course *course, const hb_header *sum, const hb_units *units, const uint64_t *sizes,
                             uint64_t inputs);
void hb_add_course_clear(hb_add_course *course);
/* Returns read `place` of 0 .. course->reads - 1. */
hb_add_read hb_add_course_read(const hb_add_course *course, uint64_t place);

#endif
