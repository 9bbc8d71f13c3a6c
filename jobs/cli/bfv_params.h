/* The command line's options for BFV: the plain modulus t, or several. */
#ifndef HB_CLI_BFV_PARAMS_H
#define HB_CLI_BFV_PARAMS_H

#include "options.h"
#include "rlwe/params.h"

/* The values of --plain, --plain-bits, --wide and --user-primes; HB_NOT_GIVEN where an option was not given. */
typedef struct hb_bfv_choice {
    uint64_t plain, plain_bits, wide, user_primes;
} hb_bfv_choice;

enum { HB_BFV_OPTIONS = 4 };
/* Fills rows[0 .. HB_BFV_OPTIONS) with options that write to *choice, which is cleared. */
void hb_bfv_options(hb_option rows[HB_BFV_OPTIONS], hb_bfv_choice *choice);
/* HB_EUSAGE where two are given that exclude one another. */
hb_status hb_bfv_choice_check(const hb_bfv_choice *choice);
/* Finds `count` plain moduli, 1 to HB_MOST_RESIDUES: the largest primes of `bits` bits that allow batching and are not
 * in the chain, the largest first. HB_ECONFIG where there are too few. */
hb_status hb_bfv_find_plains(uint32_t bits, uint32_t count, hb_params_spec *spec);

#endif
