/* Which call fails (inject.c), for wrappers that other files have. */
#ifndef HB_TESTS_FAULTS_INJECT_H
#define HB_TESTS_FAULTS_INJECT_H

#include <stdbool.h>

enum hb_fault_kind {
    HB_FAULT_MPI,
    HB_FAULT_POLL,
    HB_FAULT_WRITE,
    HB_FAULT_SYNC,
    HB_FAULT_RENAME,
    HB_FAULT_OPEN,
    HB_FAULT_MEMORY,
    HB_FAULT_SYSTEM,
    HB_FAULT_CUDA,
    HB_FAULT_NCCL,
    HB_FAULT_KINDS
};

/* Counts a call of a kind; returns whether it is the one that fails. Any thread. */
bool hb_fault_strikes(enum hb_fault_kind kind);

#endif
