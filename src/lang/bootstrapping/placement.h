/* Chooses the values to bootstrap, so that no level is missing and the cost is least. It works on a graph of steps,
 * each of which stands for all columns that are treated alike (value_classes.h), and knows no ciphertexts.
 *
 * A step's result is `levels` below the lowest of its operands. A bootstrapped value is at the level `result`, once and
 * for all: all later users take it bootstrapped. So a solution is, for every value, the step from which on it is
 * bootstrapped, if ever. Levels of it that no step needs before the next bootstraps are dropped at once.
 *
 * Or a bootstrap adds a fixed number of levels, up to `result` (gain): noise of integers, whose levels are bits of
 * budget. Then a value is bootstrapped as often in a row as is needed or useful, and again where a later step needs
 * more.
 *
 * A look-up bootstraps its operand, too: its result is at the level `most` at most.
 *
 * Solutions are found step by step, in the order of steps (dynamic programming). A state is the levels of the values
 * that later steps take. Among states with the same levels the cheapest stays, and a state that is not better in any
 * level than a cheaper one goes. At each step a state goes on in several ways: its operands below some level are
 * bootstrapped, for every level that there is among them. A value is thus bootstrapped where it is first needed, which
 * may be before several steps take it. Or it joins a single real value that is bootstrapped, since two real values are
 * bootstrapped as one: it is then one that later steps take.
 *
 * As long as all states fit into the number that is kept, the solution is the best one. Chains of L levels have L
 * states at most. Graphs made of pieces in series and in parallel have L^w, where w values are needed at a time, but
 * few of these are worth their price. Where there are more states (wide graphs whose values all have levels of their
 * own), the states with the least cost so far plus a lower bound of the rest stay. A solution is found nevertheless, if
 * there is one. For n steps whose values are needed w at a time it takes O(n S^2 w), S the states kept: 256, for long
 * graphs fewer, 16 at least, so that n S^2 is about 2^24. To find the best solution of any graph is NP-hard (F.
 * Benhamouda, T. Lepoint, C. Mathieu, H.-S. Zhou, "Optimization of Bootstrapping in Circuits", SODA 2017). */
#ifndef HB_LANG_BOOTSTRAPPING_PLACEMENT_H
#define HB_LANG_BOOTSTRAPPING_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define HB_PLACEMENT_LEVELS 64 /* that there are at most */

/* Ciphertexts of a value, which are bootstrapped together; both 0: it cannot be bootstrapped. */
typedef struct hb_placement_values {
    uint32_t complex, reals;
    bool total;
    uint32_t kind; /* real ones are bootstrapped in pairs with those of the same kind: totals only with totals */
    double times;  /* how often all that is done: row blocks, in each pass that needs it; 1 of totals. Or more */
} hb_placement_values;

typedef struct hb_placement_step {
    const uint32_t *operands; /* [operand_count] earlier steps, different ones, borrowed */
    uint32_t operand_count;
    uint32_t levels; /* below the lowest of its operands; of a step without any: its level */
    uint32_t most;   /* the highest level that its result has, whatever its operands have; 0: any */
    uint32_t least;  /* the lowest level that its values may be at */
    bool stored;     /* its values are results: these keep their levels */
    hb_placement_values values;
    const double *costs; /* [levels] of the step with its result at such a level, borrowed; NULL: none */
    double weight;       /* times which these are */
} hb_placement_step;

typedef struct hb_placement_problem {
    const hb_placement_step *steps; /* [count], borrowed */
    uint32_t count;
    uint32_t operand, result; /* the lowest level at which values can be bootstrapped, and that of bootstrapped ones */
    uint32_t gain;            /* levels that a bootstrap adds; 0: it leads to `result` from any level */
    double complex;           /* the cost of bootstrapping a complex ciphertext, or two real ones */
    double real[2];           /* and one real column alone, a row block, as two of these go together; and a total */
    uint32_t most;            /* states that are kept; 0: as said above */
} hb_placement_problem;

#define HB_PLACEMENT_NEVER UINT32_MAX

/* A value is bootstrapped so many times more before a step takes it, and is taken so from then on. */
typedef struct hb_placement_raise {
    uint32_t value, step, times;
} hb_placement_raise;

typedef struct hb_placement {
    uint32_t *from;   /* [count] the first step that takes the value bootstrapped; HB_PLACEMENT_NEVER; owned */
    uint32_t *spare;  /* [count] levels of its bootstrapped value that nothing needs (level_slack.h); owned */
    uint32_t *enough; /* [count] without these, the level that suffices for its operands, or its own; owned */
    hb_placement_raise *raises; /* [raise_count] by value, of each by step; owned. With a gain: spare and enough NULL */
    uint32_t raise_count;
    double cost;
    bool best;      /* no state was given up: nothing costs less */
    uint32_t stuck; /* where there is none: a value that had to be bootstrapped and cannot be, or a step too long */
} hb_placement;

/* Finds a solution. HB_EDATA where there is none, with the step in out->stuck; HB_ENOMEM. The caller clears *out, also
 * after a failure. */
hb_status hb_placement_solve(const hb_placement_problem *problem, hb_placement *out);
void hb_placement_clear(hb_placement *placement);
/* Returns how many times a value is bootstrapped in all when a step takes it. */
uint32_t hb_placement_times(const hb_placement *placement, uint32_t value, uint32_t step);

#endif
