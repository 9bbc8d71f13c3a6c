/* The construction of a table of groups: keys and groups first, then sums of each, then their meanings. */
#ifndef HB_LANG_FUNCTIONS_GROUPS_H
#define HB_LANG_FUNCTIONS_GROUPS_H

#include "aggregate.h"
#include "lang/ir/indicator.h"
#include "plain_conditions.h"
#include "table/grouping.h"

/* One sum of each group, or a number that is no secret. */
typedef struct hb_group_sum {
    uint32_t node;  /* of rows; HB_NO_NODE: 1 in each */
    uint32_t mask;  /* which of them, a node; HB_NO_NODE: all */
    uint32_t plain; /* plain values that they are multiplied with, a node; HB_NO_NODE: 1 in each */
    uint32_t codes; /* of groups by plain keys, in these rows: a derived column */
    bool none;      /* of publicly no rows: 0, as a number or ... */
    bool zero;      /* ... as a column, a total of 0 that is not shown */
    bool known;     /* it is a number that is no secret ... */
    uint32_t place; /* ... among those of a group; else among its columns */
    /* Not NULL: the aggregate of plain values that nothing encrypted tells apart, which is known like a count. */
    const hb_epilogue *epilogue;
    uint64_t scale; /* of these values */
    char *name;
    hb_meaning meaning; /* without labels */
} hb_group_sum;

/* A group that is shown: one of the plain keys, and one of the encrypted ones. */
typedef struct hb_group_place {
    uint32_t plain, encrypted;
} hb_group_place;

/* Arguments of one kind. */
typedef struct hb_arguments {
    const hb_value *list; /* [count] */
    uint32_t count;
} hb_arguments;

typedef struct hb_grouper {
    hb_lowering *l;
    const hb_item *item;
    bool bins;             /* of a histogram: members are bins, whose rows are counted */
    uint64_t rows;         /* that are grouped: all, or one where nothing has more */
    hb_value keys;         /* [key_count] columns */
    bool *plain_key;       /* [key_count], owned, and so is ... */
    uint32_t *key_place;   /* ... this: which it is of the plain ones, or of the encrypted ones */
    uint32_t filter;       /* condition that selects rows of all groups; HB_NO_NODE: all, ... */
    uint32_t plain_filter; /* ... or those of a mask, a node; HB_NO_NODE: there is none */
    bool none;             /* the condition publicly selects no row of any group */
    hb_arguments members;  /* which groups; none: one for each value of the keys */
    hb_arguments aggregates;
    hb_groups groups;       /* by encrypted keys; one where there are none */
    hb_plain_groups plain;  /* by plain keys; one without values where there are none */
    hb_group_place *places; /* [place_count] in the order in which they are shown, owned */
    uint32_t place_count;
    hb_group_sum *parts; /* [part_count], owned */
    uint32_t part_count, part_capacity;
    uint32_t sum_count, known_count; /* of them, columns and known numbers of a group */
    hb_grouped_column *shown;        /* [shown_count], owned; their parts are numbers of `parts` until all are known */
    uint32_t shown_count, shown_capacity;
} hb_grouper;

/* group_keys.c: returns HB_EUSAGE at the call. */
hb_status hb_grouper_fail(const hb_grouper *grouper, const char *what);

/* group_keys.c: sets all values that encrypted keys may have, and those that plain ones have in the rows that the
 * filter selects. HB_EUSAGE for a key of reals that makes fractions, and where values are not known, or are too many;
 * HB_ENOMEM. */
hb_status hb_grouper_set_keys(hb_grouper *grouper);
/* group_sums.c: adds the sums of each group that one aggregate behind the key needs. Errors as
 * functions.h says. */
hb_status hb_grouper_add(hb_grouper *grouper, const hb_value *argument);
/* group_names.c: returns the value that a key has in a group that is shown: the first one, where it has several. */
int64_t hb_grouper_key_value(const hb_grouper *grouper, uint32_t place, uint32_t key);
/* Sets the meanings of the sums in their schema, which has a grouping; names of shown columns move there. HB_EUSAGE for
 * two columns of one name, and two bins that are the same; HB_ENOMEM. */
hb_status hb_grouper_describe(hb_grouper *grouper, hb_schema *made);
/* Makes the sums of all groups; bins that members define get their names from these. Errors as functions.h says, and
 * of hb_grouper_describe; HB_EUSAGE for too many sums, and for sums that are public. */
hb_status hb_grouper_finish(hb_grouper *grouper, hb_value *out);
/* Returns whether an encrypted key has more values than one. Without such a key, groups of rows are public. */
static inline bool hb_grouper_tells_apart(const hb_grouper *x)
{
    bool tells = false;
    for (uint32_t k = 0; k < x->groups.key_count; k++) {
        tells = tells || x->groups.keys[k].count > 1;
    }
    return tells;
}

#endif
