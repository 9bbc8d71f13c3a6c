/* Residues of a dataset of several plain moduli, decrypted one after another into tables beside the output, and joined
 * into one. They are plaintext: mode 0600, and removed when the job ends. */
#ifndef HB_TABLES_RESIDUE_TABLES_H
#define HB_TABLES_RESIDUE_TABLES_H

#include "batch/wide_cells.h"
#include "io/dataset/dataset.h"

/* The table that is made of them; all of it is borrowed. */
typedef struct hb_residue_output {
    const char *name;
    const hb_table_view *view; /* what of it is wanted; NULL: all */
    uint32_t modulo;           /* as hb_wide_join has it */
    bool force;
} hb_residue_output;

/* Returns in *name the table of a residue of the table `output`, "FILE.residue-0.h5:/residues"; the caller frees it.
 * HB_EUSAGE where `output` names no table; HB_ENOMEM. */
hb_status hb_residue_table_name(const char *output, uint32_t residue, char **name);
/* Makes the schema of a dataset that of a table of its residues. */
void hb_residue_table_schema(hb_schema *schema);
/* Makes the table of those of all residues, which are there, and removes them. For rank 0. HB_EDATA, naming row and
 * column, for a value outside the range of its column; HB_ECONFIG for groups whose totals pass 64 bits; HB_ECREATE when
 * the table exists, unless `force`; HB_EIO, HB_ENOMEM. */
hb_status hb_residue_tables_join(const hb_residue_output *output, const hb_header *header);
/* Removes those that are there. */
void hb_residue_tables_remove(const char *output, uint32_t residues);

#endif
