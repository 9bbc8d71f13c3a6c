/* Findings of hebatch doctor: a name, what is the case, and advice where that makes trouble on this machine. */
#ifndef HB_COMMANDS_DOCTOR_H
#define HB_COMMANDS_DOCTOR_H

#include <jansson.h>

#include "cli/common.h"
#include "machine/versions.h"
#include "mpi/group/group.h"

typedef struct hb_visit {
    const hb_group *group;
    const hb_common *common;
    json_t *findings;
    bool failed; /* out of memory for a finding */
    int warnings;
} hb_visit;

/* Prints and keeps one. advice: NULL where all is well. */
void hb_finding(hb_visit *visit, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* CUDA, the GPUs, their links to the host and to each other. */
void hb_visit_gpus(hb_visit *visit, const hb_versions *versions);

/* Collective: what each rank of the group has; advice where ranks are in one another's way, or are not alike. ranks: an
 * array with an object of each, in order; NULL on failure. */
hb_status hb_visit_ranks(hb_visit *visit, hb_group *group, const hb_versions *versions, json_t **ranks);

#endif
