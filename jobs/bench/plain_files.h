/* Plain files: the rates that `bench job` compares its reading and writing with. */
#ifndef HB_BENCH_PLAIN_FILES_H
#define HB_BENCH_PLAIN_FILES_H

#include "scratch.h"

/* Rates of writing and reading plain files of a dataset's size: bytes a second of all ranks together, by the number of
 * threads on each rank; every thread has a file of its own. */
enum { HB_BENCH_THREADS = 3 };
extern const uint32_t hb_bench_threads[HB_BENCH_THREADS]; /* 1, 2, 4 */
typedef struct hb_bench_files {
    double write[HB_BENCH_THREADS], read[HB_BENCH_THREADS];
    double both[HB_BENCH_THREADS]; /* read and written together, by as many threads each way, at the same time */
} hb_bench_files;

/* Measures plain files in the folder. All ranks at once write `bytes` together, in order and in large pieces, then read
 * them, then read them again while they write as much; for each number of threads a rank. Rates are bytes a second
 * until the last rank is done; writing includes bringing the bytes to the disk. At most twice `bytes` are on the disk
 * at a time, and nothing is left. Collective. HB_EIO, HB_ENOMEM, HB_ECREATE, HB_ESTOPPED. */
hb_status hb_bench_plain_files(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, hb_bench_files *rates);

#endif
