#include "batch_choice.h"

#include <math.h>

#include "base/bits.h"

const char *hb_batch_limit_words(hb_batch_limit limit)
{
    static const char *const words[] = {[HB_BATCH_ASKED] = "as --batch says",
                                        [HB_BATCH_STAYS] = "the job began with these steps",
                                        [HB_BATCH_CACHE] = "as suits the cache of a processor",
                                        [HB_BATCH_BLOCKS] = "no rank has more",
                                        [HB_BATCH_ENOUGH] = "more are not computed faster",
                                        [HB_BATCH_MEMORY] = "memory holds no more",
                                        [HB_BATCH_FILES] =
                                            "more would wait longer for files and buffers than they save"};
    return words[limit];
}

static uint64_t steps_of(const hb_batch_case *c, uint64_t size)
{
    return hb_divide_up(c->blocks, size);
}

/* Fills sizes[] with those that are worth a try, ascending; returns their number. */
static size_t sizes_of(const hb_batch_case *c, uint64_t sizes[HB_BATCH_MOST_SIZES])
{
    const uint64_t most = c->most > c->unit ? c->most / c->unit * c->unit : c->unit;
    uint64_t descending[HB_BATCH_MOST_SIZES];
    size_t count = 0;
    /* One place stays free for the unit itself. */
    for (uint64_t steps = steps_of(c, most); count + 1 < HB_BATCH_MOST_SIZES; steps++) {
        const uint64_t size = hb_divide_up(hb_divide_up(c->blocks, steps), c->unit) * c->unit;
        if (size <= c->unit) {
            break;
        }
        /* Sizes that are nearly alike take nearly the same time. */
        if (count == 0 || (size < descending[count - 1] && size / c->unit <= descending[count - 1] / c->unit * 7 / 8)) {
            descending[count++] = size;
        }
    }
    descending[count++] = c->unit;
    for (size_t i = 0; i < count; i++) {
        sizes[i] = descending[count - 1 - i];
    }
    return count;
}

/* Buffers are made first. The slowest of the three stages has all row blocks; the others have those of the first step
 * before it, and of the last one behind it. Where there are fewer steps than threads for files, several threads share a
 * step. */
static double seconds_of(const hb_batch_case *c, uint64_t size, uint64_t workers)
{
    const uint64_t steps = steps_of(c, size), abreast = steps < c->threads ? steps : c->threads;
    const double all = (double)c->blocks, at_once = (double)(size < c->blocks ? size : c->blocks);
    const double shared = (double)(c->threads / abreast), threads = (double)abreast * shared;
    double compute = all * c->compute + (double)steps * c->once;
    /* One worker alone computes nothing while it moves ciphertexts. */
    compute = workers > 1 ? fmax(compute, all * c->move) : compute + all * c->move;
    const double first = at_once * c->read / shared, last = at_once * c->write / shared;
    const uint64_t wanted = 2 * abreast + workers, buffers = wanted < steps ? wanted : steps;
    const double memory = (double)buffers * at_once * c->memory;
    return memory + fmax(compute, fmax(all * c->read, all * c->write) / threads) + first + last;
}

hb_status hb_batch_choose(const hb_batch_case *c, hb_batch_fit fits, uint64_t *size, hb_batch_limit *limit)
{
    uint64_t sizes[HB_BATCH_MOST_SIZES] = {0}, workers[HB_BATCH_MOST_SIZES];
    const size_t count = sizes_of(c, sizes);
    size_t best = 0;
    double least = INFINITY;
    HB_TRY(fits.fit(fits.context, sizes, workers, count));
    for (size_t i = 0; i < count; i++) {
        const double seconds = workers[i] > 0 ? seconds_of(c, sizes[i], workers[i]) : INFINITY;
        if (seconds < least) {
            least = seconds;
            best = i;
        }
    }
    *size = sizes[best];
    if (best + 1 < count) {
        *limit = workers[best + 1] == 0 ? HB_BATCH_MEMORY : HB_BATCH_FILES;
    } else {
        *limit = sizes[best] < c->blocks ? HB_BATCH_ENOUGH : HB_BATCH_BLOCKS;
    }
    return HB_OK;
}
