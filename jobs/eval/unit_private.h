/* The callbacks of a runner (lang/run/runner.h), between unit.c and unit_io.c; `context` is the hb_unit_evaluator. */
#ifndef HB_EVAL_UNIT_PRIVATE_H
#define HB_EVAL_UNIT_PRIVATE_H

#include "base/partition.h"
#include "unit.h"

hb_status hb_unit_eval_load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to);
hb_status hb_unit_eval_load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to);
hb_status hb_unit_eval_store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from);

/* Returns how many ciphertexts of an output a row block has (unit_io.c). */
uint64_t hb_unit_across(const hb_unit_evaluator *x, uint32_t output);
/* Returns the row blocks of the step, from 0, that are in unit k of the step's units of outputs with rows; a short step
 * may lack the last units, whose count is 0. */
static inline hb_share hb_unit_part(const hb_unit_evaluator *x, size_t k)
{
    const uint64_t unit = x->setting->shape.unit, first = k * unit, left = first < x->count ? x->count - first : 0;
    return (hb_share){first, left < unit ? left : unit};
}

#endif
