/* The needs of Kim et al.'s figures besides whole transforms of residues: designs put together for a figure, the first
 * kernel alone, and the complex transform beside which the paper sets its own. */
#ifndef HB_BENCH_KIM_H
#define HB_BENCH_KIM_H

#include "design.h"

/* N = N1 N2: the first kernel takes columns of N1, the second one rows of N2. */
typedef struct hb_kim_shared_variant {
    uint32_t log_columns;                /* log2 N1; 0: half of log2 N, rounded down */
    uint32_t log_points, log_row_points; /* log2 of the points of a thread: 1 .. 5 in columns, 1 .. 3 in rows */
    uint32_t on_the_fly; /* last stages whose twiddles are made on the fly: 0 .. 2, not above log_row_points */
    bool preload;        /* the columns' twiddles go to shared memory first */
    bool apart;          /* columns of a block are not adjacent: no access is coalesced */
} hb_kim_shared_variant;

/* A design of two kernels. It points into itself: not to be copied. */
typedef struct hb_kim_shared {
    hb_design design;
    hb_kim_shared_variant variant;
    char name[64], title[96];
} hb_kim_shared;
void hb_kim_shared_make(hb_kim_shared *shared, const hb_kim_shared_variant *variant);

/* Work to be timed by hb_figure_time: hb_kim_work_issue is its body. */
typedef struct hb_kim_work hb_kim_work;
/* The kernel for columns alone, on data of its own. The case is borrowed. HB_ENOMEM; HB_EUNAVAILABLE. */
hb_status hb_kim_columns_open(const hb_kim_shared *shared, const hb_design_case *c, hb_kim_work **work);
/* `count` complex transforms of 2^log_n numbers in single precision, by the same kernels: registers of radix
 * 2^log_points if log_columns is 0, else two kernels, columns of 2^log_columns. All share one table of roots. The last
 * transform is compared with the definition: HB_EINTERNAL. HB_ENOMEM; HB_EUNAVAILABLE. */
hb_status hb_kim_complex_open(uint32_t log_n, size_t count, uint32_t log_columns, uint32_t log_points,
                              hb_kim_work **work);
hb_status hb_kim_work_issue(void *work, void *stream);
/* NULL is allowed. */
void hb_kim_work_close(hb_kim_work *work);

#endif
