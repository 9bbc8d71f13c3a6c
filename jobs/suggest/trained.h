/* Models instead of expressions: the names that they read, and the operands of their statements. */
#ifndef HB_SUGGEST_TRAINED_H
#define HB_SUGGEST_TRAINED_H

#include "trial.h"

/* Keeps x of the names that the model's statements read, and y of the names that they assign: the others are internal
 * to the model. */
void hb_trained_names(hb_trials *trials);
/* Gives x the columns of a network, where no table has given them: named where the model has names. HB_EUSAGE where
 * options count the columns, too; HB_ENOMEM. */
hb_status hb_trained_columns(hb_trials *trials);
/* Selects the columns of x's table that the model names; a model without names reads the whole table. HB_ENOMEM. */
hb_status hb_trained_select(hb_trials *trials);
/* Fits the model to x, and appends its tables of constants to the operands. HB_EDATA where it does not fit. */
hb_status hb_trained_bind(hb_trials *trials);

#endif
