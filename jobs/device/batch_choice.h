/* How many row blocks a computation on a GPU reads, computes and writes at a time, by its predicted time: many share
 * what a GPU spends on each batch, few let reading, computing and writing overlap, and leave none of the ranks without
 * work. Pure. */
#ifndef HB_DEVICE_BATCH_CHOICE_H
#define HB_DEVICE_BATCH_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The work of the rank with most. Seconds of a row block are those of all passes together. Words without gaps: ranks
 * tell it to one another byte by byte. */
typedef struct hb_batch_case {
    uint64_t blocks;    /* row blocks, >= 1 */
    uint64_t unit;      /* steps are multiples of it, >= 1 */
    uint64_t most;      /* row blocks, >= 1; more in a batch are not computed faster */
    uint64_t threads;   /* that read files, and as many that write them, >= 1 */
    double compute;     /* seconds of a row block, in a large batch, ... */
    double once;        /* ... and those that each batch takes beyond them */
    double move;        /* seconds of a row block between host and device */
    double read, write; /* seconds of a row block by one thread */
    double memory;      /* seconds in which a buffer gets the memory of a row block */
} hb_batch_case;
_Static_assert(sizeof(hb_batch_case) == 10 * sizeof(uint64_t), "four counts and six times, without gaps");

/* The reason why a batch is not larger. */
typedef enum hb_batch_limit {
    HB_BATCH_ASKED,  /* --batch says so */
    HB_BATCH_STAYS,  /* an earlier job began with these steps */
    HB_BATCH_CACHE,  /* the processor computes them fastest */
    HB_BATCH_BLOCKS, /* no rank has more row blocks */
    HB_BATCH_ENOUGH, /* more are not computed faster */
    HB_BATCH_MEMORY, /* memory holds no more */
    HB_BATCH_FILES   /* more would wait longer for files and buffers than they would save */
} hb_batch_limit;

/* Returns the reason in words, for people and reports. */
const char *hb_batch_limit_words(hb_batch_limit limit);

/* Tells in workers[i] how many workers memory allows with steps of sizes[i] row blocks; 0: they do not fit. */
typedef struct hb_batch_fit {
    hb_status (*fit)(void *context, const uint64_t *sizes, uint64_t *workers, size_t count);
    void *context;
} hb_batch_fit;
enum { HB_BATCH_MOST_SIZES = 64 };
/* Sets *size to the row blocks of the steps that are predicted to take the least time: the fewest of several that take
 * as long, and the unit where none fits. *limit: why they are not more. Calls `fit` once, with up to
 * HB_BATCH_MOST_SIZES sizes that are worth a try, ascending from the unit: they divide the rank's row blocks into
 * nearly equal parts. Errors are those of `fit`. */
hb_status hb_batch_choose(const hb_batch_case *c, hb_batch_fit fits, uint64_t *size, hb_batch_limit *limit);

#endif
