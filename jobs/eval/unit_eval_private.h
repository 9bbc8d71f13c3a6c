/* Between unit_eval.c and unit_eval_io.c: what a runner calls (runner.h); context: the hb_unit_evaluator. */
#ifndef HB_UNIT_EVAL_PRIVATE_H
#define HB_UNIT_EVAL_PRIVATE_H

#include "unit_eval.h"

hb_status hb_unit_eval_load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to);
hb_status hb_unit_eval_load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to);
hb_status hb_unit_eval_store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from);

#endif
