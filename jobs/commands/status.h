/* How far a job is, that runs or has stopped: from what it keeps beside its output, which is only looked at. */
#ifndef HB_COMMANDS_STATUS_H
#define HB_COMMANDS_STATUS_H

#include <jansson.h>

#include "cli/common.h"
#include "mpi/group/group.h"

/* name: of an output, or with .partial behind it. Whether there is an unfinished dataset of that name. */
bool hb_job_status_is_unfinished(const char *name);
/* {"file", "state": "running", "unfinished", "done", or "reported" where a report is all there is, "command",
 * "expression" and "output" or "table", "begun", "units": of all, "units_stored", "shards", "last": {"exit_code",
 * "reason", "started"} of its last report, or null}. The caller frees it. HB_ENOINPUT: there is neither a dataset of
 * that name nor an unfinished one, nor a report. */
hb_status hb_job_status_get(const char *name, json_t **status);
/* The same for people, as results. */
void hb_job_status_print(const hb_group *group, const hb_common *common, const json_t *status);

#endif
