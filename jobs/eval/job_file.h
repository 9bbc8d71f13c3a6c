/* Job files of `hebatch eval`: JSON, one object of
 *
 * "eval": the expression, one text or a list of statements (needed);
 *
 * "keys": the directory of the keys (needed);
 *
 * "inputs": {"a": "A.heb", "w": "weights.h5:/w"};
 *
 * "outputs": {"y": "Y.heb"};
 *
 * "ranges": {"a": [0, 150], "p.age": [0, 120]};
 *
 * "options": options of the command, by their long names: text or number; true gives a flag, false leaves it out;
 *
 * and nothing else. Paths are relative to the folder of the job file. Rank-local. */
#ifndef HB_EVAL_JOB_FILE_H
#define HB_EVAL_JOB_FILE_H

#include "lang/program/range.h"
#include "lang/text/binding.h"

/* The contents of a job file; all of it is owned. */
typedef struct hb_job_file {
    char *expression;             /* statements, one to a line */
    char *keys;                   /* path of the directory */
    hb_binding *inputs, *outputs; /* in the order of the file */
    uint32_t input_count, output_count;
    hb_range *ranges;
    uint32_t range_count;
    char **options; /* as words of a command line, "--batch=64", "--force": parsed before the real ones */
    uint32_t option_count;
} hb_job_file;

/* Reads a job file. The caller clears *job, also after a failure. HB_ENOINPUT when the file cannot be read; HB_EUSAGE,
 * with the place in the file, when it is not such an object; HB_ENOMEM. */
hb_status hb_job_file_read(const char *path, hb_job_file *job);
void hb_job_file_clear(hb_job_file *job);

#endif
