/* The options that choose BFV parameters: a preset, or N, primes and t. */
#ifndef HB_PARAMS_OPTIONS_H
#define HB_PARAMS_OPTIONS_H

#include "options.h"
#include "params.h"

/* What was given; HB_NOT_GIVEN and NULL where nothing was. */
typedef struct hb_params_choice {
    const char *preset, *primes, *bits;
    uint64_t n, plain, plain_bits, security;
    bool insecure;
} hb_params_choice;

enum { HB_PARAMS_OPTIONS = 8 };

/* Fills rows[0 .. HB_PARAMS_OPTIONS) with options that write to *choice, which is cleared. */
void hb_params_options(hb_option rows[HB_PARAMS_OPTIONS], hb_params_choice *choice);
/* The literal they describe: the preset with t or security replaced where given, or a chain of its own. HB_EUSAGE for
 * options that exclude or miss one another; HB_ECONFIG when no prime has the wanted size. hb_params_open checks the
 * rest. */
hb_status hb_params_choose(const hb_params_choice *choice, hb_params_spec *spec);

#endif
