/* Decrypts a dataset into a table. */
#ifndef HB_TABLES_DECRYPT_JOB_H
#define HB_TABLES_DECRYPT_JOB_H

#include "decryption.h"
#include "machine/background.h"
#include "residue_tables.h"
#include "selection.h"
#include "shown.h"

/* What the command line says; texts are borrowed. */
typedef struct hb_decrypt_options {
    hb_job_options job;
    const char *key, *input, *output;
    const char *rows, *columns; /* which ones (selection.h); NULL: all */
    bool force;
    bool dry_run;    /* only the plan is wanted */
    uint64_t modulo; /* k of 2^k, modulo which wide integers are wanted; 0: they themselves */
    uint64_t share;  /* results that will ever be shown to others under the key, these among them; 0: these are not */
} hb_decrypt_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_decrypt_job {
    hb_job base;
    hb_decrypt_options options;
    hb_decryption decryption;
    hb_flood flood; /* of results that are shown */
    hb_seed flood_root;
    hb_shown shown;          /* under the key, with these, on rank 0 */
    hb_table_writer *writer; /* on rank 0, and on every rank that leads its group */
    hb_schema plain;         /* of the table: a pair is two columns; totals of groups are still one row */
    hb_schema table;         /* what is asked for of it, as it is shown */
    hb_selection selection;
    hb_residue_tables *residues; /* of several: what those before have left, and this one leaves; borrowed */
    char *scratch; /* of several residues: the table of this one, which the last job joins with the others */
    const hb_table_view *view; /* of what is written; NULL: all of it; borrowed from the selection */
    hb_background reserving;   /* takes the space of the table, on rank 0, which makes it */
} hb_decrypt_job;

/* Checks key, dataset and output, and makes the plan; touches nothing. Collective. The caller runs job->base, which
 * makes the table or leaves nothing under its name, and closes it in any case (batch/job.h). Of several residues the
 * job of each leaves its table in *residues, zeroed before the first, and that of the last one makes the table; the
 * caller closes them. */
hb_status hb_decrypt_job_open(hb_decrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_decrypt_options *options, hb_residue_tables *residues);

#endif
