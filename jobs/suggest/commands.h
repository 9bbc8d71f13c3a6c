/* The commands that follow keygen under suggested parameters. They repeat the options given to suggest
 * that encrypt, eval and decrypt need. */
#ifndef HB_SUGGEST_COMMANDS_H
#define HB_SUGGEST_COMMANDS_H

#include "trial.h"

/* Sets suggestion->one_row and encrypted, and commands: encrypt for each dataset, eval, decrypt for each result.
 * NAME.csv stands for a table that was not named. HB_ENOMEM. */
hb_status hb_suggestion_find_commands(const hb_trials *trials, hb_suggestion *suggestion);

/* Sets *word to a column's name as options write it, in `room` where it needs quotes. HB_EUSAGE where it is too
 * long. */
#define HB_COLUMN_WORD (2 * HB_LABEL_MAX + 3)
hb_status hb_columns_word(const char *name, char room[HB_COLUMN_WORD], const char **word);

#endif
