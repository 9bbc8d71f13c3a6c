#include "word_sum.h"

#include "base/modarith.h"

enum { HALF = 32 };

/* As halves of 32 bits, which no number of ranks below 2^32 can overflow. */
static hb_status sum_halves(hb_group *group, uint64_t *words, size_t count, const hb_modulus *m, uint64_t *halves)
{
    for (size_t i = 0; i < count; i++) {
        halves[i] = words[i] & UINT32_MAX;
        halves[count + i] = words[i] >> HALF;
    }
    HB_TRY(hb_group_sum(group, halves, 2 * count));
    for (size_t i = 0; i < count; i++) {
        words[i] = hb_mod_reduce_wide(((hb_u128)halves[count + i] << HALF) + halves[i], m);
    }
    return HB_OK;
}

hb_status hb_word_sum(hb_group *group, uint64_t *words, size_t count, const hb_modulus *m, uint64_t *room)
{
    /* Of few ranks a word holds the sum itself, and half as much is sent. */
    if (m->value > UINT64_MAX / (uint64_t)group->size) {
        return sum_halves(group, words, count, m, room);
    }
    HB_TRY(hb_group_sum(group, words, count));
    for (size_t i = 0; i < count; i++) {
        words[i] = hb_mod_reduce(words[i], m);
    }
    return HB_OK;
}
