#include "shards.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_shards_init(hb_shards *shards, const char *output, const hb_header *header, const hb_growth *growth,
                         uint32_t ranks)
{
    const hb_header made = growth != NULL ? hb_plan_made(header, growth) : *header;
    const uint32_t count = hb_plan_parts_before(&made, ranks, ranks);
    *shards = (hb_shards){
        .output = output, .header = header, .lock = PTHREAD_MUTEX_INITIALIZER, .taken = PTHREAD_COND_INITIALIZER};
    /* One more than needed: a dataset without units has no shards, and calloc of nothing may return NULL. */
    shards->parts = calloc((size_t)count + 1, sizeof *shards->parts);
    shards->writer = calloc((size_t)count + 1, sizeof *shards->writer);
    shards->left = calloc((size_t)count + 1, sizeof *shards->left);
    shards->awaited = calloc((size_t)count + 1, sizeof *shards->awaited);
    if (shards->parts == NULL || shards->writer == NULL || shards->left == NULL || shards->awaited == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u shards", count);
    }
    shards->count = count;
    hb_plan_layout(&made, ranks, shards->parts);
    for (uint32_t p = 0; growth != NULL && p < count; p++) {
        shards->parts[p].number += (uint32_t)growth->first_part;
        shards->parts[p].first_unit += growth->first_unit;
    }
    return HB_OK;
}

void hb_shards_clear(hb_shards *shards)
{
    const hb_error cause = *hb_last_error();
    /* The threads that reserve use the writers that are closed next. */
    (void)hb_shards_reserve_end(shards);
    hb_set_error(&cause);
    for (uint32_t p = 0; p < shards->count; p++) {
        hb_shard_writer_close(shards->writer[p]);
    }
    free(shards->awaited);
    free(shards->left);
    free(shards->writer);
    free(shards->parts);
    memset(shards, 0, sizeof *shards);
}

hb_status hb_shards_ensure(hb_shards *shards, hb_share mine, hb_unit_map *stored)
{
    for (uint64_t p = mine.first; p < mine.first + mine.count; p++) {
        const hb_part part = shards->parts[p];
        /* On the disk before another rank is told of it. */
        HB_TRY(hb_shard_ensure(shards->output, shards->header, part.number, part.first_unit, part.units,
                               &shards->writer[p]));
        for (uint64_t u = part.first_unit; u < part.first_unit + part.units; u++) {
            if (hb_shard_sum(shards->writer[p], u) != NULL) {
                hb_unit_map_add(stored, u);
            }
        }
    }
    return HB_OK;
}

/* In a thread of its own. A part whose space could not be taken still wakes the waiting threads, which then see the
 * failure. */
static hb_status reserve(void *context)
{
    const hb_shards_reserver *r = context;
    hb_shards *shards = r->shards;
    hb_status st = HB_OK;
    for (uint64_t p = r->first; p < r->end && st == HB_OK; p += HB_PLAN_ABREAST) {
        /* Without the lock: it may take long, and others write meanwhile. */
        st = hb_shard_reserve(shards->writer[p]);
        pthread_mutex_lock(&shards->lock);
        shards->awaited[p] = false;
        if (st != HB_OK && shards->space == HB_OK) {
            shards->space = st;
            shards->no_space = *hb_last_error();
        }
        pthread_cond_broadcast(&shards->taken);
        pthread_mutex_unlock(&shards->lock);
    }
    return st;
}

void hb_shards_reserve_begin(hb_shards *shards, hb_share mine)
{
    /* Before the threads start, or a unit could be written to a part before its space was asked for. */
    memset(shards->awaited + mine.first, true, mine.count * sizeof *shards->awaited);
    for (uint64_t i = 0; i < HB_PLAN_ABREAST && i < mine.count; i++) {
        hb_shards_reserver *r = &shards->reserver[i];
        *r = (hb_shards_reserver){.shards = shards, .first = mine.first + i, .end = mine.first + mine.count};
        hb_background_begin(&r->background, reserve, r);
    }
}

hb_status hb_shards_reserve_end(hb_shards *shards)
{
    hb_background *failed = NULL;
    for (uint32_t i = 0; i < HB_PLAN_ABREAST; i++) {
        hb_background *b = &shards->reserver[i].background;
        /* All of them are waited for, also after a failure. */
        failed = hb_background_end(b) != HB_OK && failed == NULL ? b : failed;
    }
    return failed == NULL ? HB_OK : hb_background_end(failed);
}

/* Returns the part that holds unit u, by bisection: parts are in the order of their units, and none is empty. */
static uint32_t part_of(const hb_shards *shards, uint64_t u)
{
    uint32_t low = 0, high = shards->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(shards->parts[middle].first_unit <= u ? &low : &high) = middle;
    }
    HB_ASSERT(u - shards->parts[low].first_unit < shards->parts[low].units);
    return low;
}

hb_status hb_shards_open(hb_shards *shards, const hb_units *units, const hb_unit_map *without)
{
    /* Counted anew: a job opens for a check first and for writing later. */
    memset(shards->left, 0, shards->count * sizeof *shards->left);
    for (uint64_t i = 0; i < units->mine.count; i++) {
        const uint64_t u = units->list[i];
        if (hb_unit_map_has(without, u)) {
            continue;
        }
        const uint32_t p = part_of(shards, u);
        const hb_part part = shards->parts[p];
        /* Its own parts are open since hb_shards_ensure; units of a rank may lie in those of another. */
        if (shards->writer[p] == NULL) {
            HB_TRY(hb_shard_join(shards->output, shards->header, part.number, part.first_unit, part.units,
                                 &shards->writer[p]));
        }
        shards->left[p]++;
    }
    return HB_OK;
}

/* Returns the end of the groups of units from place `at` on that begin in the same shard. */
static uint64_t end_of_run(const hb_shards *shards, const hb_units *groups, uint64_t each, uint64_t at)
{
    const uint32_t p = part_of(shards, groups->list[at] * each);
    while (at < groups->mine.count && part_of(shards, groups->list[at] * each) == p) {
        at++;
    }
    return at;
}

hb_status hb_shards_interleave(const hb_shards *shards, hb_units *groups, uint64_t each, uint32_t abreast)
{
    const uint64_t count = groups->mine.count;
    const uint32_t most = abreast < HB_PLAN_ABREAST ? abreast : HB_PLAN_ABREAST;
    if (most <= 1 || count == 0) {
        return HB_OK;
    }
    uint64_t *interleaved = malloc((size_t)count * sizeof *interleaved), placed = 0;
    if (interleaved == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the order of the units");
    }
    /* Takes the next runs of up to `most` shards, and from each of them a unit in turn. */
    while (placed < count) {
        uint64_t at[HB_PLAN_ABREAST], end[HB_PLAN_ABREAST], next = placed;
        uint32_t runs = 0;
        for (; runs < most && next < count; runs++) {
            /* The list is in order, so each shard's are one run. */
            at[runs] = next;
            end[runs] = next = end_of_run(shards, groups, each, next);
        }
        for (uint32_t r = 0; placed < next; r = (r + 1) % runs) {
            if (at[r] < end[r]) {
                interleaved[placed++] = groups->list[at[r]++];
            }
        }
    }
    memcpy(groups->list, interleaved, (size_t)count * sizeof *interleaved);
    free(interleaved);
    return HB_OK;
}

hb_status hb_shards_use(hb_shards *shards, uint64_t u, hb_shard_writer **writer)
{
    const uint32_t p = part_of(shards, u);
    *writer = shards->writer[p];
    pthread_mutex_lock(&shards->lock);
    /* A failure of any part's space ends the wait for all: the dataset cannot be completed. */
    while (shards->awaited[p] && shards->space == HB_OK) {
        pthread_cond_wait(&shards->taken, &shards->lock);
    }
    hb_status st = shards->space;
    if (st != HB_OK) {
        hb_set_error(&shards->no_space);
    } else {
        /* Under the lock, as several threads may come to open the same file. */
        st = hb_shard_use(*writer);
    }
    pthread_mutex_unlock(&shards->lock);
    return st;
}

hb_status hb_shards_leave(hb_shards *shards, uint64_t u)
{
    const uint32_t p = part_of(shards, u);
    pthread_mutex_lock(&shards->lock);
    HB_ASSERT(shards->left[p] > 0);
    const bool last = --shards->left[p] == 0;
    pthread_mutex_unlock(&shards->lock);
    /* Outside the lock: the sync takes long, and no other thread has this shard any more. */
    return last ? hb_shard_sync(shards->writer[p]) : HB_OK;
}

hb_status hb_shards_sync(hb_shards *shards)
{
    /* Also tells of space that could not be taken, where no unit had to wait for it. */
    HB_TRY(hb_shards_reserve_end(shards));
    for (uint32_t p = 0; p < shards->count; p++) {
        if (shards->writer[p] != NULL) {
            HB_TRY(hb_shard_sync(shards->writer[p]));
        }
    }
    return HB_OK;
}

hb_status hb_shards_finish(hb_shards *shards, hb_share mine)
{
    for (uint64_t p = mine.first; p < mine.first + mine.count; p++) {
        HB_TRY(hb_shard_finish(shards->writer[p]));
    }
    return HB_OK;
}
