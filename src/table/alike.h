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
/* Finds the labels that look alike. HB_ENOMEM. */
hb_status hb_alike_find(const hb_labels *labels, hb_alike *alike);
/* before [count]: for each text the place of the first text before it that looks like it; its own place: none does. A
 * text that is NULL looks like no other. HB_ENOMEM. */
hb_status hb_alike_before(const char *const *text, uint64_t count, uint64_t *before);

/* Texts that are read as one label: they differ by capitals, by the Unicode form of characters, by blanks at their
 * ends, and by the kind and number of blanks between words. The tables of letters are this program's own, so that texts
 * fold the same on every machine and rank. A zeroed one has no texts. */
typedef struct hb_folds {
    struct hb_fold *fold; /* [count] */
    uint64_t count;
} hb_folds;
/* Finds which of the texts [count], UTF-8, are one label. `weight` [count]: the heaviest of them is kept, the first one
 * where several are; NULL: the first one. HB_ENOMEM; the caller clears *folds, also after a failure. */
hb_status hb_folds_make(const char *const *text, const uint64_t *weight, uint64_t count, hb_folds *folds);
/* Returns whether one of the texts is one label with this text, and the place of the one that is kept. */
bool hb_folds_find(const hb_folds *folds, const char *text, size_t length, uint64_t *place);
void hb_folds_clear(hb_folds *folds);
/* Orders two texts by their small letters and single blanks, so that the spelling of a label does not move it among
 * others. Less than 0, 0 where they are one label, more than 0. */
int hb_folds_compare(const char *one, const char *other);

#endif
