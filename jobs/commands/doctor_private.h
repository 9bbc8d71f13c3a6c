/* Declarations shared by the files of `hebatch doctor`. */
#ifndef HB_COMMANDS_DOCTOR_PRIVATE_H
#define HB_COMMANDS_DOCTOR_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "machine/versions.h"

/* The findings so far: a name, a fact, and advice where the fact makes trouble on this machine. */
typedef struct hb_doctor {
    const hb_group *group;
    const hb_common *common;
    json_t *findings;
    bool failed; /* out of memory for a finding */
    int warnings;
} hb_doctor;

/* Prints and keeps a finding. advice: NULL where all is well. */
void hb_doctor_finding(hb_doctor *v, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reads a line of a PCI device's file, by its bus address; "" where there is none. */
static inline void hb_doctor_pci(const char *bus, const char *name, char line[64])
{
    char path[128];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bus, name);
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (file != NULL) {
        if (fgets(line, 64, file) == NULL) {
            line[0] = '\0';
        }
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
}
/* Finds the hardware of each rank, and the speed of messages between them; advises where ranks disturb each other or
 * differ. ranks: an array with an object for each rank, in order; NULL on failure. Collective. */
hb_status hb_doctor_ranks(hb_doctor *v, hb_group *group, const hb_versions *versions, json_t **ranks);

#endif
