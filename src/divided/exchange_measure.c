/* Measures the cost of transfers between these members (exchange.h). */
#include <string.h>

#include "base/clock.h"
#include "exchange.h"

/* Bytes of a block: from where starting matters to where nothing but bytes does. On links of 200 GB/s a block of 1 MiB
 * still takes little longer than one of 64 KiB; on slow ones it takes long enough, and no larger one is tried: jobs
 * wait for this. */
enum { SMALL = 1 << 16, MIDDLE = 1 << 20, LARGE = 1 << 25, ALL_BLOCKS = 1 << 28, SIZES = 3, REPEATS = 9 };
#define LONG_ENOUGH 2.5e-4 /* seconds of a transfer */

/* Memory for blocks of up to `largest` bytes, of which the first `cleared` bytes have been written. */
typedef struct block_memory {
    void *memory;
    hb_window *window;
    size_t largest, cleared;
} block_memory;

/* Returns a transfer of a pattern between all members, with one block to send and then one from each member. */
static hb_transfer transfer_of(const hb_exchange *x, hb_pattern pattern, const block_memory *memory, size_t bytes)
{
    uint8_t *blocks = memory->memory;
    hb_transfer t = {.pattern = pattern, .window = memory->window};
    for (uint32_t m = 0; m < x->members; m++) {
        const bool sends = pattern != HB_BROADCAST || x->member == 0, receives = pattern != HB_BROADCAST || m == 0;
        t.send[m] = blocks;
        t.send_bytes[m] = sends ? bytes : 0;
        t.receive[m] = blocks + (m + 1) * bytes;
        t.receive_bytes[m] = receives ? bytes : 0;
        t.to[m] = (x->member + 1) * bytes; /* on all members alike */
    }
    return t;
}

/* Measures the seconds of one transfer, after one that is not counted: the least of several, as disturbances only add
 * time. */
static hb_status time_of(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, double *seconds)
{
    for (int i = -1; i < REPEATS; i++) {
        uint64_t ticket, ready = 0, all[HB_MOST_MEMBERS];
        /* a barrier: no member's time has the wait for another's start in it */
        HB_TRY(hb_exchange_gather_words(x, &ready, 1, all));
        const double begin = hb_now();
        HB_TRY(hb_exchange_start(x, queue, transfer, &ticket));
        HB_TRY(hb_exchange_wait(x, queue, ticket));
        HB_TRY(hb_exchange_settle(x, ticket));
        HB_TRY(hb_finish(queue));
        const double took = hb_now() - begin;
        *seconds = i <= 0 || took < *seconds ? took : *seconds;
    }
    return HB_OK;
}

/* Fits start + byte * bytes to the points, with the least squares of relative errors: weights 1 / time^2. Neither
 * result is negative. */
static void fit(int count, const double *bytes, const double *times, double *start, double *byte)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double weight = 1 / (times[i] * times[i]);
        w += weight;
        x += weight * bytes[i];
        y += weight * times[i];
        xx += weight * bytes[i] * bytes[i];
        xy += weight * bytes[i] * times[i];
    }
    const double slope = (w * xy - x * y) / (w * xx - x * x);
    /* Noise could make either negative; choices by cost need neither to be. */
    *byte = slope > 0 ? slope : 0;
    const double rest = (y - *byte * x) / w;
    *start = rest > 0 ? rest : 0;
}

/* Replaces a value by the mean of all members', which is the same everywhere: the same sums of the same numbers, in the
 * same order. */
static hb_status agree(hb_exchange *x, double *value)
{
    uint64_t word, all[HB_MOST_MEMBERS];
    double sum = 0;
    memcpy(&word, value, sizeof word);
    HB_TRY(hb_exchange_gather_words(x, &word, 1, all));
    for (uint32_t m = 0; m < x->members; m++) {
        double theirs;
        memcpy(&theirs, &all[m], sizeof theirs);
        sum += theirs;
    }
    *value = sum / x->members;
    return HB_OK;
}

/* Clears blocks of this size, so that no unwritten word is sent. It clears no more than that: memory that no transfer
 * needs is not touched. */
static hb_status clear_blocks(const hb_exchange *x, hb_engine *queue, block_memory *blocks, size_t bytes)
{
    const uint16_t any = 0;
    const size_t all = (x->members + 1) * (bytes > MIDDLE ? bytes : MIDDLE); /* whole rows */
    if (all > blocks->cleared) {
        const size_t rows = all / sizeof(uint64_t) / queue->ring->n;
        HB_TRY(hb_clear(queue, hb_batch_on(queue, blocks->memory, rows, 1, &any)));
        blocks->cleared = all;
    }
    return HB_OK;
}

/* Returns the size, at most the largest, that should take twice as long as is enough, where MIDDLE takes `seconds`. */
static size_t long_enough(double seconds, size_t largest)
{
    size_t bytes = MIDDLE;
    for (double took = seconds; bytes < largest && took < 2 * LONG_ENOUGH; took *= 2) {
        bytes *= 2;
    }
    return bytes;
}

/* Measures one pattern with blocks of several sizes, until one takes long enough. Times are the same on all members, so
 * all stop at the same size. */
static hb_status measure_pattern(hb_exchange *x, hb_engine *queue, hb_pattern pattern, block_memory *blocks)
{
    size_t sizes[SIZES] = {SMALL, MIDDLE};
    double bytes[SIZES], times[SIZES];
    int count = 0;
    /* Two points make a line; a third one where even the second took too little to tell bytes from the start. */
    while (count < SIZES && (count < 2 || (blocks->largest > MIDDLE && times[count - 1] < LONG_ENOUGH))) {
        if (count == 2) {
            sizes[count] = long_enough(times[count - 1], blocks->largest);
        }
        HB_TRY(clear_blocks(x, queue, blocks, sizes[count]));
        const hb_transfer t = transfer_of(x, pattern, blocks, sizes[count]);
        /* The bytes that a member receives: from the root, or from all others. */
        bytes[count] = (double)sizes[count] * (pattern == HB_BROADCAST ? 1 : x->members - 1);
        HB_TRY(time_of(x, queue, &t, &times[count]));
        HB_TRY(agree(x, &times[count]));
        times[count] = times[count] > 1e-9 ? times[count] : 1e-9; /* a clock's tick */
        count++;
    }
    fit(count, bytes, times, &x->cost.start[pattern], &x->cost.byte[pattern]);
    return HB_OK;
}

/* Allocates blocks as large as memory allows here. */
static hb_status blocks_alloc(const hb_exchange *x, hb_engine *queue, block_memory *blocks)
{
    hb_status st = HB_ENOMEM;
    blocks->largest = LARGE;
    while (blocks->largest > MIDDLE && blocks->largest > ALL_BLOCKS / (x->members + 1)) {
        blocks->largest /= 2;
    }
    /* Smaller blocks will do where memory is short. */
    while ((st = hb_alloc(queue, (x->members + 1) * blocks->largest, &blocks->memory)) == HB_ENOMEM &&
           blocks->largest > MIDDLE) {
        blocks->largest /= 2;
    }
    return st;
}

/* Takes the size of the member with the least memory. */
static hb_status agree_largest(hb_exchange *x, size_t *largest)
{
    const uint64_t mine = *largest;
    uint64_t all[HB_MOST_MEMBERS];
    HB_TRY(hb_exchange_gather_words(x, &mine, 1, all));
    for (uint32_t m = 0; m < x->members; m++) {
        *largest = all[m] < *largest ? (size_t)all[m] : *largest;
    }
    return HB_OK;
}

hb_status hb_exchange_measure(hb_exchange *x, hb_engine *queue)
{
    block_memory blocks = {.memory = NULL};
    hb_status st = HB_OK;
    if (x->members == 1) {
        return HB_OK;
    }
    HB_GOTO(blocks_alloc(x, queue, &blocks));
    HB_GOTO(agree_largest(x, &blocks.largest));
    /* As the queues of the engine do (engine.c). */
    HB_GOTO(hb_exchange_open_window(x, blocks.memory, (x->members + 1) * blocks.largest, &blocks.window));
    for (int p = 0; p < HB_PATTERNS; p++) {
        HB_GOTO(measure_pattern(x, queue, (hb_pattern)p, &blocks));
    }
    x->stats = (hb_exchange_stats){.seconds = {0}}; /* the job counts from here */
done:
    hb_exchange_close_window(x, blocks.window);
    hb_free(queue, blocks.memory);
    return st;
}
