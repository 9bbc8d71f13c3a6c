/* The commands that follow keygen under suggested parameters. They repeat the options given to suggest
 * that encrypt, eval and decrypt need. */
#ifndef HB_SUGGEST_COMMANDS_H
#define HB_SUGGEST_COMMANDS_H

#include "trial.h"

/* Sets suggestion->one_row and encrypted, and commands: encrypt for each dataset, eval, decrypt for each result.
 * NAME.csv stands for a table that was not named. HB_ENOMEM. */
hb_status hb_suggestion_find_commands(const hb_trials *trials, hb_suggestion *suggestion);

#endif
