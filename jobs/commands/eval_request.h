/* The command line of eval, understood: for eval itself, and for who computes a result again. Rank-local. */
#ifndef HB_COMMANDS_EVAL_REQUEST_H
#define HB_COMMANDS_EVAL_REQUEST_H

#include "batch/cells/table_options.h"
#include "cli/options.h"
#include "eval/job.h"
#include "eval/job_file.h"

/* The words of the command line; texts are borrowed. */
typedef struct hb_eval_words {
    const char *keys, *noise, *range, *model, *gap, *bootstrap;
    const char *compact;
    uint64_t batch, precision, sanitize;
    bool force, resume, dry_run, wrap;
    hb_job_options job;
    double keep;
    hb_table_words table;
} hb_eval_words;

/* The options of a job, and the memory that they borrow from. Zeroed: nothing is read. */
typedef struct hb_eval_request {
    hb_eval_words said;
    hb_eval_options options;
    hb_job_file file;
    hb_model model;
    hb_binding *bindings; /* of the options, with room for one more */
    hb_range *ranges;
    uint32_t range_count;
    char **words; /* of the command line, in the order of parsing */
} hb_eval_request;

/* Reads a command line of the command, argv[0] the word eval, and the job file or model that it names. The request
 * borrows from argv, and stays where it is. HB_EUSAGE, HB_ENOINPUT, HB_EDATA, HB_ENOMEM. The caller clears, also after
 * a failure. */
hb_status hb_eval_request_read(hb_eval_request *r, const hb_command *command, const hb_group *group, int argc,
                               char **argv, hb_parsed *parsed);
void hb_eval_request_clear(hb_eval_request *request);

#endif
