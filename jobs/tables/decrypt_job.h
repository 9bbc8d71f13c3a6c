/* Decrypts a dataset into a table. */
#ifndef HB_TABLES_DECRYPT_JOB_H
#define HB_TABLES_DECRYPT_JOB_H

#include "combining.h"
#include "decryption.h"
#include "disclosure_count.h"
#include "machine/background.h"
#include "residue_tables.h"
#include "selection.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_decrypt_options {
    hb_job_options job;
    const char *key, *input, *output;
    char *const *parts; /* [part_count] of owners of joint keys, which are combined; NULL: the key decrypts */
    size_t part_count;
    const char *rows, *columns; /* the selected ones (selection.h); NULL: all */
    bool force;
    bool dry_run;    /* only the plan is wanted */
    uint64_t modulo; /* k: wide integers are wanted modulo 2^k; 0: the integers themselves */
    uint64_t
        share; /* results that will ever be shown to others under the key, these included; 0: these are not shown */
} hb_decrypt_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_decrypt_job {
    hb_job base;
    hb_decrypt_options options;
    hb_decryption decryption;
    hb_combining combining; /* of parts */
    hb_flood flood;         /* of results that are shown to others */
    hb_seed flood_root;
    hb_disclosure_count disclosed; /* under the key, these results included, on rank 0 */
    hb_table_writer *writer;       /* on rank 0, and on every rank that leads its group */
    hb_schema plain;               /* of the whole table: a pair is two columns; totals of groups are still one row */
    hb_schema table;               /* of the selected part, in the form that is shown */
    hb_selection selection;
    hb_residue_tables *residues; /* of several: the tables of earlier jobs and of this one; borrowed */
    char *scratch;               /* of several residues: this one's table, which the last job joins with the others */
    const hb_table_view *view;   /* the written part; NULL: all; borrowed from the selection */
    hb_table_text_size text;     /* of a CSV that is complete, on rank 0 */
    hb_background reserving;     /* reserves the table's space, on rank 0, which makes it */
} hb_decrypt_job;

/* Returns the bits of quality that the values have: proven, and expected. */
hb_predicted hb_decrypt_job_predicted(const hb_decrypt_job *job);

/* Checks key, dataset and output, and makes the plan; writes nothing. Collective. The caller runs job->base, which
 * makes the table or leaves nothing under its name, and closes it in any case (batch/job/job.h). With several residues
 * each job leaves its table in *residues, zeroed before the first, and the last one makes the table; the caller closes
 * them. */
hb_status hb_decrypt_job_open(hb_decrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_decrypt_options *options, hb_residue_tables *residues);

#endif
