/* Plain files, beside which `bench job` puts what a job reads and writes. */
#ifndef HB_BENCH_PLAIN_FILES_H
#define HB_BENCH_PLAIN_FILES_H

#include "scratch.h"

/* How files of the bytes of a dataset are written and read: bytes a second of all ranks together, with so many threads
 * on each, every thread with a file of its own. */
enum { HB_BENCH_THREADS = 3 };
extern const uint32_t hb_bench_threads[HB_BENCH_THREADS]; /* 1, 2, 4 */
typedef struct hb_bench_files {
    double write[HB_BENCH_THREADS], read[HB_BENCH_THREADS];
    double both[HB_BENCH_THREADS]; /* while as much is read as is written, by as many threads: of both together */
} hb_bench_files;

/* Measures plain files in the folder: all ranks at once write `bytes` together, in order and in large pieces, then read
 * them, then read them again while they write as much; with each number of threads a rank. Rates are bytes a second
 * until the last rank is done; writing includes what it takes to bring the bytes to the disk. At most twice `bytes` are
 * there at a time, and nothing is left. Collective. HB_EIO, HB_ENOMEM, HB_ECREATE, HB_ESTOPPED. */
hb_status hb_bench_plain_files(const hb_bench_scratch *scratch, hb_group *group, uint64_t bytes, hb_bench_files *rates);

#endif
