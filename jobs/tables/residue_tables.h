/* The residues of a dataset of several plain moduli, decrypted one after another into tables, and joined into one. The
 * writers keep these tables and are closed without a commit: the files beside the output, "FILE.residue-0.h5.partial",
 * mode 0600, are then removed; for standard output the tables are in memory. */
#ifndef HB_TABLES_RESIDUE_TABLES_H
#define HB_TABLES_RESIDUE_TABLES_H

#include "batch/cells/wide_cells.h"
#include "io/dataset/dataset.h"
#include "table_commit.h"

/* On rank 0, by residue; NULL: not decrypted yet. Other ranks have none until they join them. */
typedef struct hb_residue_tables {
    hb_table_writer *table[HB_MOST_RESIDUES];
} hb_residue_tables;

/* The table that is made from them; all of it is borrowed. */
typedef struct hb_residue_output {
    const char *name;
    const hb_schema *residue;  /* of the table of a residue */
    const hb_table_view *view; /* the wanted part; NULL: all */
    uint32_t modulo;           /* as hb_wide_join has it */
    bool force;
} hb_residue_output;

/* Returns in *name the table of a residue of the table `output`, for hb_table_create; the caller frees it. HB_EUSAGE
 * where `output` names no table; HB_ENOMEM. */
hb_status hb_residue_table_name(const char *output, uint32_t residue, char **name);
/* Makes the schema of a dataset that of a table of its residues. */
void hb_residue_table_schema(hb_schema *schema);
/* Makes the output from the tables of all residues, which are complete and synced: the whole dataset, or, for one
 * without groups, the view alone. Each rank that writes (table_commit.h) joins some rows. Collective among these; only
 * rank 0 knows whether the table has its name, and sets *text. HB_EDATA, naming row and column, for a value outside the
 * range of its column; HB_EUSAGE for residues of a column that is no number; HB_ECREATE when the table exists, unless
 * `force`; HB_EIO, HB_ENOMEM, HB_ECOMM. */
hb_status hb_residue_tables_join(hb_residue_tables *residues, const hb_residue_output *output, const hb_header *header,
                                 const hb_table_team *team, hb_table_text_size *text);
/* Closes and removes the existing tables; the last error stays. */
void hb_residue_tables_close(hb_residue_tables *residues);

#endif
