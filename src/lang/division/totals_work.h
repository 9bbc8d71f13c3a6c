/* The predicted work of totals that is not that of their instructions: merging what shares have merged in blocks, and
 * bringing columns of outputs to the first rank. */
#ifndef HB_LANG_DIVISION_TOTALS_WORK_H
#define HB_LANG_DIVISION_TOTALS_WORK_H

#include "base/bits.h"
#include "division.h"
#include "lang/cost/op_cost.h"
#include "lang/cost/program_cost.h"
#include "scheme/merge.h"
#include "totals_graph.h"

/* The most ciphertexts of blocks that wait for one another at the end. */
enum { HB_TOTALS_MOST_BLOCKS = 64 };

/* Returns the columns of an output that merge in one share, where so many are tried. */
static inline uint64_t hb_totals_block(const hb_output *output, uint64_t block)
{
    const uint64_t columns = output->schema.columns;
    while (hb_totals_merge(output) && hb_divide_up(columns, block) > HB_TOTALS_MOST_BLOCKS) {
        block *= 4;
    }
    return hb_totals_merge(output) ? block : 1;
}

/* Returns the work of merging the blocks of an output, which one worker does. */
static inline uint64_t hb_totals_merging(const hb_params *params, const hb_output *output, uint64_t block)
{
    const hb_op_cost one = {.op = HB_OP_ROTATE, .limbs = output->summed_limbs, .to_limbs = output->summed_limbs};
    const uint64_t columns = output->schema.columns, blocks = columns / block;
    /* A block of 4 has three switches: those that make one of four, or three merges of two. */
    const uint64_t within = block > 1 ? blocks * (block - 1) : 0;
    const uint64_t all = hb_merge_switches(&params->spec, columns);
    return (uint64_t)(HB_WORK_PARTS * hb_op_cost_transforms(params, &one)) * (all > within ? all - within : 0);
}

/* Returns the work at the end of an output. several: there are several ranks. */
static inline uint64_t hb_totals_work_at_end(const hb_totals_graph *g, uint32_t o, uint64_t block, bool several)
{
    const hb_output *output = &g->program->outputs[o];
    const uint64_t columns = output->schema.columns;
    const bool merges = hb_totals_merge(output);
    const uint64_t ciphertexts = merges ? hb_divide_up(columns, block) : output->packed ? 1 : columns;
    const uint32_t limbs = merges ? output->summed_limbs : output->packed ? output->computed_limbs : output->limbs;
    return (merges ? hb_totals_merging(g->params, output, block) : 0) +
           (several ? (uint64_t)(2 * g->moving * limbs) * ciphertexts : 0);
}

/* Returns the work of a unit in its share: of a store without that at the end. */
static inline uint64_t hb_totals_work_of(const hb_totals_graph *g, uint32_t u, const uint64_t *blocks)
{
    const hb_totals_unit *unit = &g->units[u];
    const hb_output *output = unit->output != HB_NOWHERE ? &g->program->outputs[unit->output] : NULL;
    if (output == NULL || !hb_totals_merge(output)) {
        return unit->work;
    }
    const uint64_t later = hb_totals_merging(g->params, output, blocks[unit->output]) / output->schema.columns;
    return unit->work > later ? unit->work - later : 1;
}

#endif
