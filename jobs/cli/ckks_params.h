/* The command line's options for CKKS: the scale, and a chain by its levels. */
#ifndef HB_CLI_CKKS_PARAMS_H
#define HB_CLI_CKKS_PARAMS_H

#include "options.h"

/* The values of --scale-bits, --levels, --first-bits and --like-seal; HB_NOT_GIVEN where an option was not given. */
typedef struct hb_ckks_choice {
    uint64_t scale_bits, levels, first_bits;
    bool like_seal;
} hb_ckks_choice;

enum { HB_CKKS_OPTIONS = 4 };
/* Fills rows[0 .. HB_CKKS_OPTIONS) with options that write to *choice, which is cleared. */
void hb_ckks_options(hb_option rows[HB_CKKS_OPTIONS], hb_ckks_choice *choice);

#endif
