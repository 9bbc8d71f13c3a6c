/* Remembers that a GPU has passed its check, for later runs of the same program on it: short jobs would otherwise spend
 * most of their time on repeating a check that passed an hour ago. Rank-local. A failure of these files fails no job:
 * the GPU is checked again. */
#ifndef HB_DEVICE_CHECKED_FILE_H
#define HB_DEVICE_CHECKED_FILE_H

#include <stdbool.h>

#include "cuda/ntt/plan.h"
#include "rlwe/params.h"

enum { HB_CHECKED_SECONDS = 24 * 60 * 60 };

/* The conditions under which a check is valid: this GPU (by UUID) under this driver, this build of the program, these
 * parameters, this plan of the transforms. All are borrowed. */
typedef struct hb_checked_subject {
    const hb_cuda_device *card;
    const hb_params *params;
    const hb_cuda_ntt_plan *plan;
} hb_checked_subject;

/* Returns in *path the file of the subject, whether it exists or not; the caller frees it. NULL where there is no
 * folder for it. HB_ENOMEM. */
hb_status hb_checked_path(const hb_checked_subject *subject, char **path);
/* Returns whether the subject passed less than HB_CHECKED_SECONDS ago. False for a file that is missing, damaged, of
 * another subject, older or from the future. The last error stays as it was. */
bool hb_checked_recently(const hb_checked_subject *subject);
/* Facts that earlier jobs found of GPUs, for predictions before any driver is asked. */
typedef struct hb_checked_past {
    bool recently; /* any passed less than HB_CHECKED_SECONDS ago with these parameters */
    hb_cuda_device
        card; /* how fast the one is that passed last, with any: capability, clock and the like; else zeros */
    double driver_seconds;
} hb_checked_past;
hb_checked_past hb_checked_look(const hb_params *params);
/* Remembers that the subject passed now, whose driver had taken so long. A failure is not reported: the GPU is checked
 * again next time. */
void hb_checked_keep(const hb_checked_subject *subject, double driver_seconds);

#endif
