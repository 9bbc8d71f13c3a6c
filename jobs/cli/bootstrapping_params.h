/* Chains that bootstrap, on the command line, in lines and in reports: the parts that are alike in all schemes. */
#ifndef HB_CLI_BOOTSTRAPPING_PARAMS_H
#define HB_CLI_BOOTSTRAPPING_PARAMS_H

#include <jansson.h>

#include "common.h"
#include "mpi/group/group.h"
#include "rlwe/params.h"

/* The words for --eval-mod. */
#define HB_EVAL_MOD_WORDS "cubic, sure (cannot fail), light, fine, fine-sure (cannot fail)"
/* Returns the word for a form, not HB_EVAL_MOD_NONE; and finds the form of a word: HB_EUSAGE for others. */
const char *hb_eval_mod_word(hb_eval_mod form);
hb_status hb_eval_mod_choose(const char *word, hb_eval_mod *form);

/* "fails with probability 2^-72.7 a ciphertext"; "cannot fail" for -infinity. Rounded up. */
typedef struct hb_failure_text {
    char text[64];
} hb_failure_text;
hb_failure_text hb_failure_text_of(double failure_bits);

/* "2^-72.7", "never". */
typedef struct hb_failure_number {
    char text[24];
} hb_failure_number;
hb_failure_number hb_failure_number_of(double failure_bits);

/* Returns the form, the levels and the sparse secret of a chain, for reports: null where it has no bootstrapping; NULL
 * when out of memory. failure_bits: log2 of the probability for a ciphertext. */
json_t *hb_bootstrapping_json(const hb_params_spec *spec, double failure_bits);
/* Prints a line of results about the secret of the one step that raises the modulus. */
void hb_bootstrapping_print_sparse(const hb_group *group, const hb_common *common, const hb_params_spec *spec);

#endif
