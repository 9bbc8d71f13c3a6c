#include "level.h"

#include <string.h>

hb_status hb_level_largest(hb_group *group, double *reals, size_t count)
{
    uint64_t bits[128]; /* reals that are not negative compare as their bits do */
    _Static_assert(sizeof *bits == sizeof *reals, "both are words");
    HB_ASSERT(count <= sizeof bits / sizeof *bits);
    memcpy(bits, reals, count * sizeof *bits);
    HB_TRY(hb_agree(group, hb_group_max(group, bits, count)));
    memcpy(reals, bits, count * sizeof *bits);
    return HB_OK;
}

hb_status hb_level_least(hb_group *group, uint64_t *numbers, size_t count)
{
    /* A group has no minimum: the least is the one farthest from the end of all numbers. */
    for (size_t i = 0; i < count; i++) {
        numbers[i] = UINT64_MAX - numbers[i];
    }
    HB_TRY(hb_agree(group, hb_group_max(group, numbers, count)));
    for (size_t i = 0; i < count; i++) {
        numbers[i] = UINT64_MAX - numbers[i];
    }
    return HB_OK;
}
