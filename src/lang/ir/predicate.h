/* Functions of integers with few values as polynomials mod t: comparisons, and tables. An expression is lowered twice:
 * the first walk only notes the predicates of each value, then the cheapest way for all of them together is taken.
 *
 * Ways. `z` lies in least .. most, which are D values.
 *   powers: a polynomial of degree D - 1 of z - least; all of one value share its powers.
 *   centred: z == c as a polynomial of (z - c)^2, which is even; z < c as 1/2 - w h(w^2) of w = z - c + 1/2, which is
 *     odd: degrees are those of the larger side of c, half of D where c stands in the middle, as for differences (half
 *     of them also in I. Iliashenko, V. Zucca, Faster homomorphic comparison operations for BGV and BFV, PoPETs 2021).
 *   both: z == c and z < c of the same (z - c)^2, as digits of larger numbers take them.
 *   fermat: z == c as 1 - (z - c)^(t - 1), whatever z is.
 * Values in coefficients have no products: their callers take tables (bootstrap.h). */
#ifndef HB_LANG_IR_PREDICATE_H
#define HB_LANG_IR_PREDICATE_H

#include "graph.h"
#include "powers.h"

/* Values that a polynomial goes through, at most. */
#define HB_PREDICATE_MOST_VALUES (UINT64_C(1) << 17)

typedef enum hb_predicate_kind {
    HB_PREDICATE_EQUAL, /* 1 where z == number, else 0 */
    HB_PREDICATE_BELOW, /* 1 where z < number, else 0 */
    HB_PREDICATE_TABLE  /* values[z - least] */
} hb_predicate_kind;

/* The question that is asked about a value. */
typedef struct hb_predicate {
    hb_predicate_kind kind;
    int64_t number;
    const int64_t *values;     /* of a table, one for every z in its range, between -t and t */
    hb_interval range;         /* of these */
    bool negated;              /* the caller makes 1 - it */
    const hb_meaning *meaning; /* of the compared value, for messages; NULL: plain numbers */
} hb_predicate;

/* Returns the number of values in a range; 0: unknown, or too many to count. */
static inline uint64_t hb_predicate_values(hb_interval domain)
{
    const bool bounded = domain.known && domain.least > -INT64_MAX / 2 && domain.most < INT64_MAX / 2;
    return bounded ? (uint64_t)(domain.most - domain.least) + 1 : 0;
}

typedef enum hb_predicate_way { HB_WAY_POWERS, HB_WAY_CENTRED, HB_WAY_BOTH, HB_WAY_FERMAT } hb_predicate_way;

/* One that was asked for, and how it is made. */
typedef struct hb_predicate_request {
    uint32_t node; /* of the first time through the expression */
    hb_interval domain;
    hb_predicate_kind kind;
    int64_t number;
    uint64_t digest; /* of the values of a table */
    hb_predicate_way way;
    hb_powers_cost cost;
} hb_predicate_request;

/* All that an expression asks for, in its order. Zeroed at first. */
typedef struct hb_predicates {
    hb_predicate_request *request; /* [count], owned */
    uint32_t count, capacity;
    bool planned;         /* requests are made, one after another ... */
    uint32_t next;        /* ... and this is the next one */
    bool shallow;         /* by the least depth, not by the fewest products */
    bool deeper;          /* that would be another way */
    uint64_t plain_least; /* t is at least this */
} hb_predicates;

/* Returns whether there are requests whose ways are now to be chosen; chooses them. HB_ENOMEM. */
hb_status hb_predicates_plan(hb_predicates *predicates, const hb_graph *graph);
void hb_predicates_clear(hb_predicates *predicates);

/* Makes a predicate of a node, whose range is that of the result; before requests are planned, a node in its place. A
 * predicate that is the same for all values is a public number (known.h). HB_EUSAGE where the range of the values is
 * unknown or has too many values; HB_EDATA where values are equal mod t, and HB_ECONFIG where t is not prime. */
hb_status hb_graph_predicate(hb_graph *graph, hb_predicates *predicates, uint32_t a, const hb_predicate *predicate,
                             uint32_t *out);

#endif
