/* The callbacks of a runner (lang/run/runner.h), between unit.c and unit_io.c; `context` is the hb_unit_evaluator. */
#ifndef HB_EVAL_UNIT_PRIVATE_H
#define HB_EVAL_UNIT_PRIVATE_H

#include "base/partition.h"
#include "unit.h"

hb_status hb_unit_eval_load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to);
hb_status hb_unit_eval_load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to);
hb_status hb_unit_eval_store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from);

/* Opens the sum of an output whose totals are packed, if it is not open. */
static inline hb_status hb_unit_open_packed(hb_unit_evaluator *x, uint32_t output)
{
    const hb_eval_setting *setting = x->setting;
    const hb_pass_division *division = hb_totals_division_of(&setting->division->of, x->pass);
    if (x->packed[output].engine != NULL) {
        return HB_OK;
    }
    return hb_packed_totals_open(
        &x->packed[output], x->engine, setting->session->params, &setting->program->outputs[output], setting->keys,
        division != NULL ? division->blocks[output] : 0, x->of != NULL ? &x->of->packed[output] : NULL);
}
/* Stores the ciphertext of such an output, in the first evaluator, in a pass that is divided (unit_io.c). */
hb_status hb_unit_store_packed(hb_unit_evaluator *x, uint32_t output);

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
