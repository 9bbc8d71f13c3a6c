/* For which values of a node conditions are true (functions/logic.c). */
#ifndef HB_LANG_VALUE_TRUTH_H
#define HB_LANG_VALUE_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

/* Where a set begins or ends: right before a number, or right after it. */
typedef struct hb_truth_end {
    double at;
    bool after;
} hb_truth_end;

enum { HB_TRUTH_ENDS = 16, HB_MOST_TRUTHS = 56 };

/* Numbers: whether they have those below all ends, and ascending ends, each of which goes in or out. */
typedef struct hb_truth {
    uint32_t node;        /* the condition, and of ... */
    uint32_t base, minus; /* ... which node it is one, or of which difference; HB_NO_NODE: of none ... */
    double low, high;     /* ... whose values these are, rounded outwards */
    bool below;
    uint32_t count;
    hb_truth_end end[HB_TRUTH_ENDS];
} hb_truth;

/* The last ones of an expression. Zeroed at first. */
typedef struct hb_truths {
    hb_truth all[HB_MOST_TRUTHS]; /* number i is at i % HB_MOST_TRUTHS */
    uint32_t count;               /* that were kept, of which the last are there */
} hb_truths;

#endif
