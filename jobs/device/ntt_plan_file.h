/* The plan of the transforms that was measured on a GPU (cuda/ntt/plan.h), in a file of the user's cache, for later
 * runs of this program on such a GPU with this driver. Rank-local. */
#ifndef HB_DEVICE_NTT_PLAN_FILE_H
#define HB_DEVICE_NTT_PLAN_FILE_H

#include "cuda/engine/engine.h"
#include "mpi/group/group.h"

/* Returns in *path "$XDG_CACHE_HOME/hebatch/ntt-NAME-driver-13.0-cuda-13.0-hebatch-VERSION.json", or the same in
 * $HOME/.cache; the caller frees it. HB_OK and NULL where neither variable is an absolute path, so that there is no
 * cache. HB_ENOMEM. */
hb_status hb_ntt_plan_path(const hb_cuda_device *card, char **path);

/* Reads a plan. Returns HB_ENOINPUT where there is no such file; HB_EDATA for one that is unreadable, damaged, or made
 * for another GPU, driver or program; HB_ENOMEM. After a failure *plan is the default rules (zeros). */
hb_status hb_ntt_plan_read(const char *path, const hb_cuda_device *card, hb_cuda_ntt_plan *plan);
/* Writes the plan in place of an older file, and makes the folders of hb_ntt_plan_path that are missing. HB_ECREATE,
 * HB_EIO, HB_ENOMEM. */
hb_status hb_ntt_plan_write(const char *path, const hb_cuda_device *card, const hb_cuda_ntt_plan *plan);

/* Fills *plan with the measured plan for that GPU and returns true, or with the default rules and returns false. An
 * unusable file costs only speed: rank 0 warns about it. The last error is cleared. */
bool hb_ntt_plan_find(const hb_group *group, const hb_cuda_device *card, hb_cuda_ntt_plan *plan);

#endif
