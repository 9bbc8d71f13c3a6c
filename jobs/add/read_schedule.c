#include "read_schedule.h"

#include <stdlib.h>

#include "base/chunk.h"

static const uint64_t most_group_bytes = (uint64_t)64 << 20;

uint64_t hb_add_together(const hb_header *sum)
{
    const uint64_t ciphertext = (uint64_t)2 * sum->limbs * sum->spec.n * sizeof(uint64_t);
    const uint64_t together = most_group_bytes / ciphertext / sum->unit;
    return together > 0 ? together : 1;
}

/* Returns how many units of that size the ciphertexts of a group, which has some, lie in. */
static uint64_t touched(const hb_add_group *group, uint64_t size)
{
    return (group->first + group->count - 1) / size - group->first / size + 1;
}

/* Adds a unit to the last group, or a group for it. */
static void add_unit(hb_add_schedule *schedule, const hb_header *sum, uint64_t unit)
{
    hb_add_group *last = schedule->count > 0 ? &schedule->groups[schedule->count - 1] : NULL;
    uint64_t first, count;
    hb_header_unit_range(sum, unit, &first, &count);
    if (last != NULL && last->unit + last->units == unit && last->units < hb_add_together(sum)) {
        last->units++;
        last->count += count;
        return;
    }
    schedule->groups[schedule->count++] = (hb_add_group){.unit = unit, .units = 1, .first = first, .count = count};
}

hb_status hb_add_schedule_init(hb_add_schedule *schedule, const hb_header *sum, const hb_units *units,
                               const uint64_t *sizes, uint64_t inputs)
{
    *schedule = (hb_add_schedule){.sizes = sizes, .inputs = inputs, .ciphertexts = sum->ciphertexts};
    schedule->groups = calloc((size_t)units->mine.count + 1, sizeof *schedule->groups);
    if (schedule->groups == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of units");
    }
    for (uint64_t i = 0; i < units->mine.count; i++) {
        add_unit(schedule, sum, units->list[i]);
    }
    for (size_t g = 0; g < schedule->count; g++) {
        hb_add_group *group = &schedule->groups[g];
        for (uint64_t i = 0; i < inputs; i++) {
            group->each = hb_larger((size_t)group->each, (size_t)touched(group, sizes[i]));
        }
        group->reads = schedule->reads;
        schedule->reads += inputs * group->each;
    }
    return HB_OK;
}

void hb_add_schedule_clear(hb_add_schedule *schedule)
{
    free(schedule->groups);
    *schedule = (hb_add_schedule){.count = 0};
}

/* Returns the last group before whose reads there are `place` or fewer. */
static const hb_add_group *group_of(const hb_add_schedule *schedule, uint64_t place)
{
    size_t low = 0, high = schedule->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (schedule->groups[middle].reads <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &schedule->groups[low];
}

hb_add_read hb_add_schedule_read(const hb_add_schedule *schedule, uint64_t place)
{
    const hb_add_group *group = group_of(schedule, place);
    const uint64_t at = place - group->reads, end = group->first + group->count;
    hb_add_read read = {.group = group, .input = at / group->each, .last = at + 1 == schedule->inputs * group->each};
    const uint64_t size = schedule->sizes[read.input];
    read.unit = group->first / size + at % group->each;
    const uint64_t begin = read.unit * size;
    if (begin >= end) {
        return read;
    }
    const uint64_t behind = end - begin < size ? end : begin + size;
    const uint64_t from = begin > group->first ? begin : group->first;
    read.from = from - begin;
    read.to = from - group->first;
    read.count = behind - from;
    return read;
}
