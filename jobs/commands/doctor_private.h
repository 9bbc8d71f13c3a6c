/* What the files of `hebatch doctor` share. */
#ifndef HB_COMMANDS_DOCTOR_PRIVATE_H
#define HB_COMMANDS_DOCTOR_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/console.h"
#include "machine/versions.h"

/* Findings so far: a name, what is the case, and advice where that makes trouble on this machine. */
typedef struct hb_doctor {
    const hb_group *group;
    const hb_common *common;
    json_t *findings;
    bool failed; /* out of memory for a finding */
    int warnings;
} hb_doctor;

/* Prints and keeps one. advice: NULL where all is well. */
void hb_doctor_finding(hb_doctor *v, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reads a line of a PCI device's file, by its bus address; "" where there is none. */
void hb_doctor_pci(const char *bus, const char *name, char line[64]);
/* What each rank of the group has, and how fast they talk; advice where ranks are in one another's way, or are not
 * alike. ranks: an array with an object of each, in order; NULL on failure. Collective. */
hb_status hb_doctor_ranks(hb_doctor *v, hb_group *group, const hb_versions *versions, json_t **ranks);

#endif
