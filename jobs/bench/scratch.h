/* The folder in which `bench job` works, and its inputs. */
#ifndef HB_BENCH_SCRATCH_H
#define HB_BENCH_SCRATCH_H

#include "cli/common.h"
#include "mpi/group/group.h"
#include "rlwe/params.h"

enum { HB_BENCH_PATH = 3200 };

/* Paths below the folder that was made; all empty: no folder was made yet. */
typedef struct hb_bench_scratch {
    char folder[3072];
    char keys[HB_BENCH_PATH], key[HB_BENCH_PATH];   /* a directory, and the secret key in it */
    char table[HB_BENCH_PATH], back[HB_BENCH_PATH]; /* the table to encrypt; the decrypted table */
    char dataset[HB_BENCH_PATH], other[HB_BENCH_PATH], result[HB_BENCH_PATH];
} hb_bench_scratch;

/* Makes a private folder below `parent`, on rank 0, and tells all ranks its name. Collective. HB_EIO when `bytes` bytes
 * do not fit there; HB_EUSAGE, HB_ECREATE. The caller removes it, also after a failure. */
hb_status hb_bench_scratch_make(hb_bench_scratch *scratch, hb_group *group, const char *parent, uint64_t bytes);
/* Puts new keys and a table of `columns` columns there, on rank 0. Collective. */
hb_status hb_bench_scratch_fill(const hb_bench_scratch *scratch, hb_group *group, const hb_common *common,
                                const hb_params *params, uint64_t rows, uint64_t columns);
/* Remove everything, or a dataset and the remains of making it, on rank 0; the other ranks do nothing. Not collective.
 * HB_ECREATE, HB_EIO, HB_ENOMEM. */
hb_status hb_bench_scratch_remove(const hb_bench_scratch *scratch, const hb_group *group);
hb_status hb_bench_scratch_remove_dataset(const char *name, const hb_group *group);

/* Asks the system, on rank 0, to drop its cache of the files that the next run will read, so that they come from the
 * disk. */
void hb_bench_scratch_forget(const hb_bench_scratch *scratch, const hb_group *group);

#endif
