/* Labels that look alike: they differ by blanks, by small and capital letters, or by the Unicode form of their
 * characters, such as e with an accent in one character or in two. */
#ifndef HB_TABLE_ALIKE_H
#define HB_TABLE_ALIKE_H

#include "base/status.h"
#include "meaning.h"

/* How many labels look like another one, and the first two that do, in the order of the labels; 0: none does. */
typedef struct hb_alike {
    uint64_t count;
    const char *one, *other;
} hb_alike;
/* Returns whether two texts look alike to people. */
bool hb_texts_are_alike(const char *one, const char *other);
/* Finds the labels that look alike. HB_ENOMEM. */
hb_status hb_alike_find(const hb_labels *labels, hb_alike *alike);

#endif
