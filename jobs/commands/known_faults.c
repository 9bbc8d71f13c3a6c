#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

enum { PARTS = 3 };

/* Versions from .. below before, and the report of the fault. */
typedef struct known_fault {
    const char *component;
    unsigned long from[PARTS], before[PARTS];
    const char *text;
} known_fault;

static const known_fault faults[] = {
    {"Open MPI",
     {0, 0, 0},
     {5, 0, 6},
     "its file layer has corrupted parallel HDF5 files (open-mpi/ompi 12718), hebatch does not use it"},
    {"HDF5", {1, 10, 5}, {1, 10, 7}, "compressed parallel writes have crashed (HDFGroup/hdf5 265), hebatch makes none"},
    {"HDF5",
     {1, 10, 7},
     {1, 10, 9},
     "it reads metadata collectively in name only (HDFGroup/hdf5 1206), hebatch makes no collective call on a file"},
    {"HDF5",
     {1, 12, 0},
     {1, 12, 1},
     "compressed parallel writes have crashed (HDFGroup/hdf5 265), hebatch makes none"}};

/* < 0, 0, > 0 as strcmp. */
static int compare(const unsigned long a[PARTS], const unsigned long b[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

const char *hb_known_fault(const char *component, const char *version)
{
    unsigned long parts[PARTS];
    for (size_t i = 0; i < PARTS; i++) {
        char *end;
        parts[i] = strtoul(version, &end, 10);
        version = end + (end[0] == '.');
    }
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const known_fault *fault = &faults[i];
        if (strcmp(fault->component, component) == 0 && compare(parts, fault->from) >= 0 &&
            compare(parts, fault->before) < 0) {
            return fault->text;
        }
    }
    return NULL;
}
