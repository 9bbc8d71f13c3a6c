#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "batch/job/shared_dataset.h"

enum { MOST_OPEN = HB_PIPELINE_MOST_BUFFERS + 1 };

hb_status hb_add_inputs_init(hb_add_inputs *inputs, char *const *paths, size_t count, uint32_t residue, hb_group *group)
{
    *inputs =
        (hb_add_inputs){.paths = paths, .count = count, .residue = residue, .ranks = hb_shared_dataset_ranks(group)};
    pthread_mutex_init(&inputs->lock, NULL); /* on Linux it cannot fail */
    inputs->locks = true;
    inputs->sizes = calloc(count + 1, sizeof *inputs->sizes);
    inputs->sums = calloc(count + 1, sizeof *inputs->sums);
    return inputs->sizes != NULL && inputs->sums != NULL ? HB_OK
                                                         : HB_FAIL(HB_ENOMEM, "no memory for %zu datasets", count);
}

void hb_add_inputs_close(hb_add_inputs *inputs)
{
    for (size_t i = 0; i < MOST_OPEN; i++) {
        hb_dataset_close(inputs->open[i].dataset);
    }
    if (inputs->locks) {
        pthread_mutex_destroy(&inputs->lock);
    }
    free(inputs->sizes);
    free(inputs->sums);
    free(inputs->parts.sum);
    free(inputs->part_of);
    memset(inputs, 0, sizeof *inputs);
}

static hb_status open_whole(const hb_add_inputs *inputs, size_t i, hb_dataset_ranks ranks, hb_dataset **dataset)
{
    HB_TRY(hb_dataset_open_among(inputs->paths[i], inputs->residue, ranks, dataset));
    /* A shard on its own would be added as if it were the whole. */
    const hb_status st = hb_dataset_require_whole(*dataset, inputs->paths[i]);
    if (st != HB_OK) {
        hb_dataset_close(*dataset);
        *dataset = NULL;
    }
    return st;
}

/* Each rank looks at its share of the shards of all datasets: they are counted on from one to the next, as most may
 * have a single one. */
static hb_status open_to_look(hb_add_inputs *inputs, size_t i, hb_dataset **dataset)
{
    hb_dataset_ranks ranks = inputs->ranks;
    ranks.rank = (ranks.rank + ranks.count - inputs->shards % ranks.count) % ranks.count;
    HB_TRY(open_whole(inputs, i, ranks, dataset));
    inputs->shards += hb_dataset_parts(*dataset);
    return HB_OK;
}

/* Notes in *place that it is `i`, unless another was there before. */
static void note_first(size_t *place, size_t i)
{
    *place = *place == 0 ? i + 1 : *place;
}

static hb_status make_room(hb_add_inputs *inputs, uint64_t more)
{
    hb_summands *parts = &inputs->parts;
    if (more <= inputs->most_parts - parts->count) {
        return HB_OK;
    }
    const size_t most = 2 * (inputs->most_parts + (size_t)more);
    void *sums = realloc(parts->sum, most * sizeof *parts->sum);
    parts->sum = sums != NULL ? sums : parts->sum;
    size_t *part_of = realloc(inputs->part_of, most * sizeof *part_of);
    inputs->part_of = part_of != NULL ? part_of : inputs->part_of;
    if (sums == NULL || part_of == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for what datasets are sums of");
    }
    inputs->most_parts = most;
    return HB_OK;
}

/* Notes dataset i and its summands. */
static hb_status note_parts(hb_add_inputs *inputs, size_t i, hb_summands summands)
{
    hb_summands *parts = &inputs->parts;
    HB_TRY(make_room(inputs, summands.count + 1));
    memcpy(parts->sum[parts->count], inputs->sums[i], HB_DIGEST_BYTES);
    if (summands.count > 0) {
        memcpy(parts->sum[parts->count + 1], summands.sum[0], (size_t)summands.count * HB_DIGEST_BYTES);
    }
    for (uint64_t k = 0; k <= summands.count; k++) {
        inputs->part_of[parts->count++] = i;
    }
    parts->traced = inputs->computed == 0;
    return HB_OK;
}

hb_status hb_add_inputs_look(hb_add_inputs *inputs, size_t i, bool found, hb_dataset **dataset)
{
    HB_TRY(open_to_look(inputs, i, dataset));
    const hb_header *header = hb_dataset_header(*dataset);
    hb_dataset_sum(*dataset, inputs->sums[i]);
    inputs->sizes[i] = header->unit < header->ciphertexts ? header->unit : header->ciphertexts;
    inputs->largest = inputs->sizes[i] > inputs->largest ? inputs->sizes[i] : inputs->largest;
    inputs->bytes += hb_header_stored_bytes(header);
    inputs->seeded = inputs->seeded || header->seeded;
    const hb_summands summands = hb_dataset_summands(*dataset);
    const bool computed = header->made_by == HB_MADE_EVALUATED && !summands.traced;
    if (!summands.traced) {
        note_first(computed ? &inputs->computed : &inputs->encrypted, i);
    }
    if (computed && found) {
        note_first(&inputs->found, i);
    }
    const hb_status st = note_parts(inputs, i, summands);
    if (st != HB_OK) {
        hb_dataset_close(*dataset);
        *dataset = NULL;
    }
    return st;
}

hb_status hb_add_inputs_check_found(const hb_add_inputs *inputs)
{
    if (inputs->found == 0 || inputs->encrypted == 0) {
        return HB_OK;
    }
    const char *sum = inputs->paths[inputs->found - 1], *other = inputs->paths[inputs->encrypted - 1];
    return HB_FAIL(HB_EDATA,
                   "%s was computed and %s was not: if the pattern has found their sum, rows would count twice; "
                   "move it away, or name every dataset",
                   sum, other);
}

static int compare_sums(const void *a, const void *b)
{
    const uint8_t *const *x = a, *const *y = b;
    return memcmp(*x, *y, HB_DIGEST_BYTES);
}

/* Returns which dataset this part is in. */
static size_t input_of(const hb_add_inputs *inputs, const uint8_t *sum)
{
    return inputs->part_of[(size_t)(sum - inputs->parts.sum[0]) / HB_DIGEST_BYTES];
}

/* Two datasets, the first one before the other, have this part. */
static hb_status refuse(const hb_add_inputs *inputs, const uint8_t *part, size_t first, size_t second)
{
    const char *a = inputs->paths[first], *b = inputs->paths[second];
    const bool is_a = memcmp(part, inputs->sums[first], HB_DIGEST_BYTES) == 0,
               is_b = memcmp(part, inputs->sums[second], HB_DIGEST_BYTES) == 0;
    if (is_a && is_b && strcmp(a, b) == 0) {
        return HB_FAIL(HB_EDATA, "%s is there twice: each dataset is added once", a);
    }
    if (is_a && is_b) {
        return HB_FAIL(HB_EDATA, "%s and %s are the same ciphertexts: each dataset is added once", a, b);
    }
    if (is_a || is_b) {
        return HB_FAIL(HB_EDATA, "%s is a sum that %s is in, whose rows would count twice: leave one of them out",
                       is_a ? b : a, is_a ? a : b);
    }
    return HB_FAIL(HB_EDATA, "%s and %s are sums that have a dataset in common, whose rows would count twice", a, b);
}

hb_status hb_add_inputs_check_different(const hb_add_inputs *inputs)
{
    const uint8_t **sorted = calloc((size_t)inputs->parts.count + 1, sizeof *sorted);
    if (sorted == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu datasets", inputs->count);
    }
    for (size_t i = 0; i < inputs->parts.count; i++) {
        sorted[i] = inputs->parts.sum[i];
    }
    qsort(sorted, inputs->parts.count, sizeof *sorted, compare_sums);
    hb_status st = HB_OK;
    for (size_t i = 1; i < inputs->parts.count && st == HB_OK; i++) {
        const size_t a = input_of(inputs, sorted[i - 1]), b = input_of(inputs, sorted[i]);
        if (compare_sums(&sorted[i - 1], &sorted[i]) == 0 && a != b) {
            st = refuse(inputs, sorted[i], a < b ? a : b, a < b ? b : a);
        }
    }
    free(sorted);
    return st;
}

/* Returns the place where it is open, or else a free one. */
static hb_add_open *find(hb_add_inputs *inputs, size_t i)
{
    hb_add_open *free_place = NULL;
    for (size_t k = 0; k < MOST_OPEN; k++) {
        hb_add_open *open = &inputs->open[k];
        if (open->dataset != NULL && open->input == i) {
            return open;
        }
        free_place = open->users == 0 ? open : free_place;
    }
    HB_ASSERT(free_place != NULL);
    return free_place;
}

/* Opens it in the place of another. */
static hb_status open_at(const hb_add_inputs *inputs, hb_add_open *open, size_t i)
{
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_close(open->dataset);
    *open = (hb_add_open){.input = i};
    HB_TRY(open_whole(inputs, i, (hb_dataset_ranks){.count = 0}, &open->dataset));
    hb_dataset_sum(open->dataset, sum);
    if (memcmp(sum, inputs->sums[i], sizeof sum) != 0) {
        hb_dataset_close(open->dataset);
        open->dataset = NULL;
        return HB_FAIL(HB_EDATA, "%s: was replaced since its header was read", inputs->paths[i]);
    }
    return HB_OK;
}

hb_status hb_add_inputs_take(hb_add_inputs *inputs, size_t i, uint64_t u, hb_dataset **dataset)
{
    pthread_mutex_lock(&inputs->lock);
    hb_add_open *open = find(inputs, i);
    hb_status st = open->dataset != NULL && open->input == i ? HB_OK : open_at(inputs, open, i);
    st = st == HB_OK ? hb_dataset_open_shards(open->dataset, u, 1, (hb_dataset_ranks){.count = 1}) : st;
    if (st == HB_OK) {
        open->users++;
        *dataset = open->dataset;
    }
    pthread_mutex_unlock(&inputs->lock);
    return st;
}

void hb_add_inputs_leave(hb_add_inputs *inputs, size_t i)
{
    pthread_mutex_lock(&inputs->lock);
    hb_add_open *open = find(inputs, i);
    HB_ASSERT(open->users > 0 && open->input == i);
    open->users--;
    pthread_mutex_unlock(&inputs->lock);
}
