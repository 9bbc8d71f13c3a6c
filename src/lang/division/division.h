/* How ranks and their workers divide the totals' instructions of a program: list scheduling of clusters of a task
 * graph.
 *
 * Instructions that are done together are a task, and a value is what an instruction leaves in a register. Tasks and
 * values are a graph. Some values are staged: whoever reads one waits for the end of the stage in which it is made.
 * Within a stage, tasks that are joined by values that are not staged are a cluster. Each cluster goes to the worker
 * that would end it first by predicted work; clusters with most work come first. Several sets of staged values are
 * tried: the one with the least predicted time counts. A pass that no set makes shorter is not divided: every rank
 * computes all of it.
 *
 * The share of a worker in a stage is a subsequence of the instructions of the pass. So a value that its share alone
 * reads stays in its register, of which each worker has one of its own. All others get registers that the workers of a
 * rank share, and are moved to other ranks after their stage where these read them. Columns of small cost are loaded
 * again by each share. Every instruction works on the same operands as before, together with the same others, so all
 * words are the same. Pure: every rank makes the same division. */
#ifndef HB_LANG_DIVISION_DIVISION_H
#define HB_LANG_DIVISION_DIVISION_H

#include <stdlib.h>

#include "lang/program/program.h"

/* Who computes: ranks that have different ciphertexts, and workers of each. One of one: nothing is divided. */
typedef struct hb_totals_lanes {
    uint32_t ranks, workers;
    bool gpu; /* workers are GPUs, where moves take longer beside operations */
} hb_totals_lanes;

#define HB_EVERY_RANK UINT32_MAX

/* Totals are divided over so many lanes, ranks times workers, at most: with more they would wait for their moves. Ranks
 * beyond have no share, and get what others made. */
enum { HB_TOTALS_MOST_LANES = 256 };

/* Instructions of one worker in a stage, in the new list of the pass. */
typedef struct hb_totals_share {
    uint32_t stage, rank, worker; /* rank: HB_EVERY_RANK for what is computed sooner than moved */
    uint32_t first, count;
} hb_totals_share;

/* A total that is brought from the rank that made it to all others, after the stage. */
typedef struct hb_totals_move {
    uint32_t stage, rank;
    uint16_t total;
} hb_totals_move;

/* The division of a pass; zeroed: every rank computes all of it. */
typedef struct hb_pass_division {
    hb_totals_share *shares; /* [share_count] by stage; those of every rank first, then by rank and worker; owned */
    hb_totals_move *moves;   /* [move_count] by stage; owned */
    uint32_t share_count, move_count, stages;
    uint64_t *blocks; /* [output_count] columns of an output whose sums merge in one share; 1: none do; owned */
    uint64_t most;    /* predicted work of the lane with most, with its waits (hb_instructions_work) */
} hb_pass_division;

static inline void hb_pass_division_clear(hb_pass_division *division)
{
    free(division->shares);
    free(division->moves);
    free(division->blocks);
    *division = (hb_pass_division){.shares = NULL};
}

typedef struct hb_totals_division {
    hb_totals_lanes lanes;
    hb_pass_division *passes; /* [pass_count], owned */
    uint32_t pass_count;
    uint8_t *own;     /* [register_count] 1: a total of which each worker has its own register; owned */
    hb_program alone; /* the totals' instructions alone, for runners that have nothing to do with rows: its registers of
                        * row blocks have no components. It borrows the program, but for two lists */
    uint32_t compiled; /* registers of the program before it was divided, which keep their meaning */
} hb_totals_division;

/* Divides the totals' instructions of a program for these lanes: writes the lists of passes that are divided anew,
 * which run one after another as before, and adds registers behind the others. After a failure, or with one lane, the
 * program is as it was. The caller clears; a zeroed one is allowed. HB_ENOMEM. */
hb_status hb_totals_divide(hb_totals_division *division, const hb_params *params, hb_program *program,
                           hb_totals_lanes lanes);
static inline void hb_totals_division_clear(hb_totals_division *division)
{
    for (uint32_t p = 0; p < division->pass_count; p++) {
        hb_pass_division_clear(&division->passes[p]);
    }
    free(division->passes);
    free(division->own);
    free(division->alone.registers);
    free(division->alone.passes);
    *division = (hb_totals_division){.passes = NULL};
}
/* Returns the division of a pass; NULL: it is not divided. */
static inline const hb_pass_division *hb_totals_division_of(const hb_totals_division *division, uint32_t pass)
{
    return division->passes != NULL && division->passes[pass].shares != NULL ? &division->passes[pass] : NULL;
}
/* Returns whether an output's totals merge (scheme/merge.h), in blocks. */
static inline bool hb_totals_merge(const hb_output *output)
{
    return output->packed && output->summed_limbs > 0;
}
/* Returns the predicted work of the lane with most, in all passes, as if they were divided so; the program stays. Where
 * memory is short, the work of all instructions. */
uint64_t hb_totals_divided_work(const hb_params *params, const hb_program *program, hb_totals_lanes lanes);

#endif
