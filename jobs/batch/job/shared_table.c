#include "shared_table.h"

#include "batch/cells/wide_cells.h"

static const uint64_t kept_bytes = (uint64_t)256 << 20;

hb_status hb_job_open_table(const hb_job *job, hb_table_list tables, const hb_params_spec *spec,
                            const hb_reading *reading, hb_table **out)
{
    hb_residues_so_far *so_far = job->options.so_far;
    if (so_far != NULL && so_far->table != NULL) {
        *out = so_far->table;
        so_far->table = NULL;
        return HB_OK;
    }
    HB_TRY(hb_table_open_list(tables, hb_wide_cell_type(spec), reading, out));
    return so_far != NULL && hb_spec_residues(spec) > 1 ? hb_table_keep(out, kept_bytes) : HB_OK;
}

void hb_job_close_table(const hb_job *job, hb_table *table)
{
    hb_residues_so_far *so_far = job->options.so_far;
    if (so_far != NULL && table != NULL) {
        so_far->table = table;
    } else {
        hb_table_close(table);
    }
}
