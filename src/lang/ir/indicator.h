/* Sums over the rows that have given values of keys, for many such values at once.
 *
 * Where a key has one of D values, "it is v" is a polynomial of it mod t of degree below D (Lagrange's), a combination
 * of powers that all values share. So a sum over rows of x times it is the combination of sums of x times powers: sums
 * move inwards. With powers split in two lists, A and B, whose products are all that is needed, the sums of
 * (x a) b, a of A and b of B, take |A| |B| products that are never relinearized, and numbers act on totals alone. Where
 * few groups are wanted of many values it is the other way: each group sums (combination of x a) b, over b. */
#ifndef HB_LANG_IR_INDICATOR_H
#define HB_LANG_IR_INDICATOR_H

#include "graph.h"

/* A column that rows are told apart by. */
typedef struct hb_group_key {
    uint32_t node;
    int64_t *values; /* [count] all that it may have, each another one mod t; owned */
    uint32_t count;  /* 1 or more; of one of all keys 2 or more */
} hb_group_key;

/* Groups: group i is of the rows where each key has a value that is chosen. */
typedef struct hb_groups {
    hb_group_key *keys; /* [key_count]; owned */
    uint32_t key_count;
    bool **chosen; /* [count][values of all keys together]; owned */
    uint32_t count;
} hb_groups;

/* Values of all keys together, of one group's list. */
static inline uint32_t hb_groups_values(const hb_groups *groups)
{
    uint32_t values = 0;
    for (uint32_t k = 0; k < groups->key_count; k++) {
        values += groups->keys[k].count;
    }
    return values;
}
/* Frees the keys and the chosen groups; zeroed ones are allowed. */
void hb_groups_clear(hb_groups *groups);

/* Values of keys that are told apart: the products of all lists together are at most so many. */
#define HB_MOST_GROUPED_VALUES 1024u

/* The polynomials of the groups, and powers of keys. hb_indicator_make makes it, clear frees it. */
typedef struct hb_indicator hb_indicator;

/* Makes the polynomials, and nodes of powers; borrows both. HB_EUSAGE where there are too many values; HB_ENOMEM. */
hb_status hb_indicator_make(hb_graph *graph, const hb_groups *groups, hb_indicator **out);
/* Rows that are added up. */
typedef struct hb_indicated {
    uint32_t a;    /* a node with rows, 0 in slots without any where there is no mask; HB_NO_NODE: 1 in every row */
    uint32_t mask; /* a plain node that selects them, or that they are multiplied with; HB_NO_NODE: all ... */
    uint64_t rows; /* ... of so many, where the mask is not 0 */
    hb_plain_value total; /* the public sum of the mask over all rows */
    hb_interval values;   /* the range of each row, times the mask */
} hb_indicated;

/* Makes the sums over the rows of each group, which are counts where there are neither values nor a mask. totals
 * [groups]; their ranges follow. Errors of operations (graph.h), and HB_EUSAGE for a group of all rows or of none. */
hb_status hb_indicator_sums(hb_indicator *indicator, const hb_indicated *of, uint32_t *totals);
/* Makes the sums of a key^j over all rows, j = 0 .. count - 1, `a` 0 in slots without rows. totals [count]. Errors of
 * operations. */
hb_status hb_graph_power_sums(hb_graph *graph, uint32_t a, uint32_t key, uint32_t count, uint32_t *totals);
void hb_indicator_free(hb_indicator *indicator);

#endif
