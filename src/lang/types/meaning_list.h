/* The meanings of the columns of a type or of a value: one for all of them, or one each. A result has none until the
 * rule of its operation gives it one (result_rules.c); asking for one that is missing breaks an invariant. */
#ifndef HB_LANG_TYPES_MEANING_LIST_H
#define HB_LANG_TYPES_MEANING_LIST_H

#include <stdint.h>

#include "table/schema.h"

/* One of the two is there, or, of a value that has no meaning yet, none. Borrowed from operands, from columns that the
 * lowering owns, or constant. */
typedef struct hb_means {
    const hb_meaning *all;         /* of every column */
    const hb_meaning *const *each; /* [columns] */
} hb_means;

/* Returns the meaning of numbers that are stored times `scale`, a power of ten up to HB_MOST_SCALE. */
const hb_meaning *hb_meaning_decimals(uint64_t scale);

static inline hb_means hb_means_all(const hb_meaning *meaning)
{
    return (hb_means){.all = meaning};
}

/* Returns the meaning of one column; HB_ASSERT that it is known. */
const hb_meaning *hb_means_of(hb_means means, uint32_t column);
/* Returns the meanings of the columns from this one on. */
static inline hb_means hb_means_from(hb_means means, uint32_t column)
{
    return (hb_means){.all = means.all, .each = means.each != NULL ? means.each + column : NULL};
}

#endif
