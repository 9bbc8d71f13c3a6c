/* The folder in which `bench job` works: its inputs, and plain files for comparison. */
#ifndef HB_BENCH_SCRATCH_H
#define HB_BENCH_SCRATCH_H

#include "group.h"
#include "params.h"

/* Names below the folder that was made; all empty: none yet. */
typedef struct hb_bench_scratch {
    char folder[3072];
    char key[3200], table[3200], dataset[3200], back[3200];
} hb_bench_scratch;

/* Collective. Rank 0 makes a private folder below `parent`, with a new secret key and a table of `columns` columns in
 * it. HB_EIO when `bytes` do not fit there. The caller removes, also after a failure. */
hb_status hb_bench_scratch_make(hb_bench_scratch *scratch, hb_group *group, const char *parent, uint64_t bytes);
hb_status hb_bench_scratch_fill(const hb_bench_scratch *scratch, hb_group *group, const hb_params *params,
                                uint64_t rows, uint64_t columns);
/* Rank 0 removes everything; nothing is reported after a failure elsewhere. */
hb_status hb_bench_scratch_remove(const hb_bench_scratch *scratch, const hb_group *group);

/* Collective. All ranks at once write, and then read, a file each, `bytes` together, in order and in large pieces;
 * seconds until the last is done, writing with what it takes to bring it to the disk. */
hb_status hb_bench_raw(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, double *write_seconds,
                       double *read_seconds);
/* Rank 0: what the run will read comes from where it is stored, not from memory, as far as the system lets go of it. */
void hb_bench_scratch_forget(const hb_bench_scratch *scratch, const hb_group *group);

#endif
