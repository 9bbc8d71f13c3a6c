/* The folder in which `bench job` works: its inputs, and plain files for comparison. */
#ifndef HB_BENCH_SCRATCH_H
#define HB_BENCH_SCRATCH_H

#include "cli/common.h"
#include "mpi/group/group.h"
#include "rlwe/params.h"

enum { HB_BENCH_PATH = 3200 };

/* Names below the folder that was made; all empty: none yet. */
typedef struct hb_bench_scratch {
    char folder[3072];
    char keys[HB_BENCH_PATH], key[HB_BENCH_PATH];   /* a directory, and the secret key in it */
    char table[HB_BENCH_PATH], back[HB_BENCH_PATH]; /* that is encrypted, and what is decrypted */
    char dataset[HB_BENCH_PATH], other[HB_BENCH_PATH], result[HB_BENCH_PATH];
} hb_bench_scratch;

/* Collective. Rank 0 makes a private folder below `parent`. HB_EIO when `bytes` do not fit there. The caller removes,
 * also after a failure. */
hb_status hb_bench_scratch_make(hb_bench_scratch *scratch, hb_group *group, const char *parent, uint64_t bytes);
/* Collective. Rank 0 puts new keys and a table of `columns` columns there. */
hb_status hb_bench_scratch_fill(const hb_bench_scratch *scratch, hb_group *group, const hb_common *common,
                                const hb_params *params, uint64_t rows, uint64_t columns);
/* Rank 0 removes everything, or a dataset and what is left of making it; others do nothing. */
hb_status hb_bench_scratch_remove(const hb_bench_scratch *scratch, const hb_group *group);
hb_status hb_bench_scratch_remove_dataset(const char *name, const hb_group *group);

typedef struct hb_bench_files hb_bench_files;
/* Collective. All ranks at once write, and then read, a file each, `bytes` together, in order and in large pieces; then
 * files of several threads a rank. Bytes a second until the last is done, writing with what it takes to bring it to the
 * disk. */
hb_status hb_bench_raw(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, hb_bench_files *rates);
/* Rank 0: what the run will read comes from where it is stored, not from memory, as far as the system lets go of it. */
void hb_bench_scratch_forget(const hb_bench_scratch *scratch, const hb_group *group);

#endif
