#include "shared_table.h"

#include "batch/cells/wide_cells.h"

/* A failure of one rank is one of all: the agreement behind find_out is made already. */
static hb_status agree(void *context, hb_status mine)
{
    const hb_job *job = context;
    const hb_status st = hb_agree(job->group, mine);
    job->options.so_far->agreed = st != HB_OK;
    return st;
}

static hb_status tell(void *context, void *data, size_t bytes, uint64_t root)
{
    const hb_job *job = context;
    const hb_status st = hb_group_broadcast(job->group, data, bytes, (int)root);
    job->options.so_far->agreed = st != HB_OK;
    return st;
}

hb_status hb_job_open_table(const hb_job *job, hb_table_list tables, const hb_params_spec *spec,
                            const hb_reading *reading, hb_table **out)
{
    hb_residues_so_far *so_far = job->options.so_far;
    if (so_far != NULL && so_far->table != NULL) {
        *out = so_far->table;
        so_far->table = NULL;
        return HB_OK;
    }
    const hb_reading_ranks ranks = {.rank = (uint64_t)job->group->rank,
                                    .count = (uint64_t)job->group->size,
                                    .agree = agree,
                                    .tell = tell,
                                    .context = (void *)(uintptr_t)job};
    hb_reading own = *reading;
    own.ranks = so_far != NULL && job->group->size > 1 ? &ranks : NULL;
    HB_TRY(hb_table_open_list(tables, hb_wide_cell_type(spec), &own, out));
    return so_far != NULL && hb_spec_residues(spec) > 1 ? hb_table_keep(out, HB_SHARED_TABLE_KEPT) : HB_OK;
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
