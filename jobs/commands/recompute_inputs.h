/* The inputs of a result that is computed again: the sums that NAME=FILE@SUM demands of them, and what is told of each,
 * by which an owner sees that they are the datasets that he means. Rank-local. */
#ifndef HB_COMMANDS_RECOMPUTE_INPUTS_H
#define HB_COMMANDS_RECOMPUTE_INPUTS_H

#include "eval/job.h"

/* The demands. Zeroed: none is read. */
typedef struct hb_recompute_inputs {
    char **demand; /* [count], of the bindings in their order; each NULL: any sum; owned */
    uint32_t count;
} hb_recompute_inputs;

/* Takes the demands off the paths of the bindings: what follows @ behind ".heb", or 32 to 64 hexadecimal digits behind
 * an @ anywhere at the end. HB_EUSAGE where an output has one; HB_ENOMEM. The caller clears, also after a failure. */
hb_status hb_recompute_inputs_read(hb_recompute_inputs *inputs, hb_binding *bindings, uint32_t count,
                                   char *const *assigns);
void hb_recompute_inputs_clear(hb_recompute_inputs *inputs);
/* Compares the inputs of an opened job with the demands. HB_EUSAGE for what is no sum, and for a table in the clear,
 * which has none; HB_EDATA where a dataset has another one. */
hb_status hb_recompute_inputs_check(const hb_recompute_inputs *inputs, const hb_eval_job *job);
/* Prints sum and key id of each input as log, on rank 0. */
void hb_recompute_inputs_print(const hb_eval_job *job, hb_group *group, const hb_common *common);
/* Returns a list of them for reports; the caller owns it. NULL when out of memory. */
json_t *hb_recompute_inputs_json(const hb_eval_job *job);

#endif
