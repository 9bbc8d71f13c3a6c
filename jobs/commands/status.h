/* The progress of a job that runs or has stopped, from the files beside its output, which are only read. */
#ifndef HB_COMMANDS_STATUS_H
#define HB_COMMANDS_STATUS_H

#include <jansson.h>

#include "cli/common.h"
#include "mpi/group/group.h"

/* Returns whether there is an unfinished dataset of that name; name: of an output, with or without .partial at its
 * end. */
bool hb_job_status_is_unfinished(const char *name);
/* Returns {"file", "state": "running", "unfinished", "done", or "reported" where there is only a report, "command",
 * "resumable": whether --resume goes on with an unfinished one, "expression", "output", "table", "begun", "units": all
 * of them, "units_stored", "shards", "shards_unreadable", "passes_done", "sums", "checkpoints": [], "last":
 * {"exit_code", "reason", "started"} of its last report}. Every state has every member: unknown facts are null, and
 * without a dataset no unit and no shard is stored. The caller frees it. HB_ENOINPUT: there is neither a dataset of
 * that name, nor an unfinished one, nor a report. */
hb_status hb_job_status_get(const char *name, json_t **status);
/* Prints the same as results. */
void hb_job_status_print(const hb_group *group, const hb_common *common, const json_t *status);

#endif
