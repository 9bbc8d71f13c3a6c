#include "totals_work.h"

#include "base/bits.h"
#include "division.h"
#include "lang/cost/op_cost.h"
#include "lang/cost/program_cost.h"
#include "scheme/merge.h"

/* The most ciphertexts of blocks that wait for one another at the end. */
enum { MOST_BLOCKS = 64 };

static uint64_t block_of(const hb_output *output, uint64_t block)
{
    const uint64_t columns = output->schema.columns;
    while (hb_totals_merge(output) && hb_divide_up(columns, block) > MOST_BLOCKS) {
        block *= 4;
    }
    return hb_totals_merge(output) ? block : 1;
}

static uint64_t merging_of(const hb_params *params, const hb_output *output, uint64_t block)
{
    const hb_op_cost one = {.op = HB_OP_ROTATE, .limbs = output->summed_limbs, .to_limbs = output->summed_limbs};
    const uint64_t columns = output->schema.columns, blocks = columns / block;
    /* A block of 4 has three switches: those that make one of four, or three merges of two. */
    const uint64_t within = block > 1 ? blocks * (block - 1) : 0;
    const uint64_t all = hb_merge_switches(&params->spec, columns);
    return (uint64_t)(HB_WORK_PARTS * hb_op_cost_transforms(params, &one)) * (all > within ? all - within : 0);
}

hb_totals_end hb_totals_end_of(const hb_totals_graph *g, uint32_t o, uint64_t block, bool several)
{
    const hb_output *output = &g->program->outputs[o];
    const uint64_t columns = output->schema.columns;
    const bool merges = hb_totals_merge(output);
    hb_totals_end end = {.block = block_of(output, block)};
    const uint64_t ciphertexts = merges ? hb_divide_up(columns, end.block) : output->packed ? 1 : columns;
    const uint32_t limbs = merges ? output->summed_limbs : output->packed ? output->computed_limbs : output->limbs;
    end.merging = merges ? merging_of(g->params, output, end.block) : 0;
    end.all = end.merging + (several ? (uint64_t)(2 * g->moving * limbs) * ciphertexts : 0);
    return end;
}
