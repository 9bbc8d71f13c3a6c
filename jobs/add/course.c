#include "course.h"

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
static void add_unit(hb_add_course *course, const hb_header *sum, uint64_t unit)
{
    hb_add_group *last = course->count > 0 ? &course->groups[course->count - 1] : NULL;
    uint64_t first, count;
    hb_header_unit_range(sum, unit, &first, &count);
    if (last != NULL && last->unit + last->units == unit && last->units < hb_add_together(sum)) {
        last->units++;
        last->count += count;
        return;
    }
    course->groups[course->count++] = (hb_add_group){.unit = unit, .units = 1, .first = first, .count = count};
}

hb_status hb_add_course_init(hb_add_course *course, const hb_header *sum, const hb_units *units, const uint64_t *sizes,
                             uint64_t inputs)
{
    *course = (hb_add_course){.sizes = sizes, .inputs = inputs, .ciphertexts = sum->ciphertexts};
    course->groups = calloc((size_t)units->mine.count + 1, sizeof *course->groups);
    if (course->groups == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of units");
    }
    for (uint64_t i = 0; i < units->mine.count; i++) {
        add_unit(course, sum, units->list[i]);
    }
    for (size_t g = 0; g < course->count; g++) {
        hb_add_group *group = &course->groups[g];
        for (uint64_t i = 0; i < inputs; i++) {
            group->each = hb_larger((size_t)group->each, (size_t)touched(group, sizes[i]));
        }
        group->reads = course->reads;
        course->reads += inputs * group->each;
    }
    return HB_OK;
}

void hb_add_course_clear(hb_add_course *course)
{
    free(course->groups);
    *course = (hb_add_course){.count = 0};
}

/* Returns the last group before whose reads there are `place` or fewer. */
static const hb_add_group *group_of(const hb_add_course *course, uint64_t place)
{
    size_t low = 0, high = course->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (course->groups[middle].reads <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &course->groups[low];
}

hb_add_read hb_add_course_read(const hb_add_course *course, uint64_t place)
{
    const hb_add_group *group = group_of(course, place);
    const uint64_t at = place - group->reads, end = group->first + group->count;
    hb_add_read read = {.group = group, .input = at / group->each, .last = at + 1 == course->inputs * group->each};
    const uint64_t size = course->sizes[read.input];
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
