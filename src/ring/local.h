/* Operations that take each limb by itself: on an engine of divided limbs its device does them, on the limbs that are
 * here, and nothing is exchanged. */
#ifndef HB_RING_LOCAL_H
#define HB_RING_LOCAL_H

#include "engine.h"

/* The limbs of a list that one member has: `limbs` of them, at positions at[0], at[1], .. of the list. */
typedef struct hb_local_limbs {
    uint32_t limbs;
    uint16_t ids[HB_MAX_LIMBS], at[HB_MAX_LIMBS];
} hb_local_limbs;

/* Returns the limbs of a list that `member` has. */
hb_local_limbs hb_local_limbs_of(const hb_limb_map *map, uint32_t member, const uint16_t *ids, uint32_t limbs);
/* Returns the limbs of this list that this member has; the engine has a map. */
hb_local_limbs hb_local_limbs_here(const hb_engine *e, const uint16_t *ids, uint32_t limbs);
/* Sets picked[i] to the entry of the member's limb i, in a table that has one entry for each limb of the list. */
void hb_local_limbs_pick(const hb_local_limbs *s, const uint64_t *table, uint64_t *picked);

/* Returns a batch as the device sees it, with the limbs that are here and nothing else. s is of a's list, and lives as
 * long as the view. */
static inline hb_batch hb_on_device(const hb_local_limbs *s, hb_batch a)
{
    a.ids = s->ids;
    a.limbs = s->limbs;
    return a;
}

/* The member that does such an operation, and the limbs of its operands that it works on. */
typedef struct hb_local {
    hb_engine *engine; /* the device; the engine itself if it is not divided */
    bool divided;
    hb_local_limbs own; /* set only where limbs are divided */
} hb_local;

/* Fills *x for operands with the limbs of `a`. Returns false if none of them is here, and there is nothing to do. */
bool hb_local_of(hb_local *x, hb_engine *e, hb_batch a);
/* Returns an operand cut to these limbs. */
static inline hb_batch hb_local_view(const hb_local *x, hb_batch a)
{
    return x->divided ? hb_on_device(&x->own, a) : a;
}
/* Returns ranges of a list of limbs as ranges of those that are here, which `x` is of: the ranges themselves, or a copy
 * in `storage`, [count]. */
const hb_limb_range *hb_local_ranges(const hb_local *x, const hb_limb_range *ranges, size_t count,
                                     hb_limb_range *storage);
/* Returns a table with one entry a limb, cut to these limbs: the table itself, or a copy in `storage`. */
const uint64_t *hb_local_table(const hb_local *x, const uint64_t *table, uint64_t storage[HB_MAX_LIMBS]);

#endif
