/* What of BFV is chosen on the command line: the plain modulus t. */
#ifndef HB_CLI_BFV_PARAMS_H
#define HB_CLI_BFV_PARAMS_H

#include "options.h"

/* What was given of --plain and --plain-bits; HB_NOT_GIVEN where nothing was. */
typedef struct hb_bfv_choice {
    uint64_t plain, plain_bits;
} hb_bfv_choice;

enum { HB_BFV_OPTIONS = 2 };
/* Fills rows[0 .. HB_BFV_OPTIONS) with options that write to *choice, which is cleared. */
void hb_bfv_options(hb_option rows[HB_BFV_OPTIONS], hb_bfv_choice *choice);
/* HB_EUSAGE where both are given. */
hb_status hb_bfv_choice_check(const hb_bfv_choice *choice);

#endif
