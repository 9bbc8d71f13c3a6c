/* The options that choose BFV parameters: a preset, or N, primes and t. */
#ifndef HB_CLI_PARAMS_OPTIONS_H
#define HB_CLI_PARAMS_OPTIONS_H

#include "options.h"
#include "scheme/params.h"

/* What was given; HB_NOT_GIVEN and NULL where nothing was. */
typedef struct hb_params_choice {
    const char *preset, *primes, *bits;
    const char *security; /* "128", "128q", ... */
    uint64_t n, plain, plain_bits, security_table;
    bool insecure;
} hb_params_choice;

enum { HB_PARAMS_OPTIONS = 9 };

/* Replaces what is given of --security (NULL: nothing), "128", "192", "256" or these with q behind for attacks by
 * quantum computers, and of --security-table (HB_NOT_GIVEN), 2018 or 2024. HB_ECONFIG for others, and for what the
 * table does not have. */
hb_status hb_security_choose(const char *level, uint64_t year, hb_security *security);

/* Fills rows[0 .. HB_PARAMS_OPTIONS) with options that write to *choice, which is cleared. */
void hb_params_options(hb_option rows[HB_PARAMS_OPTIONS], hb_params_choice *choice);
/* The literal they describe: the preset with t or security replaced where given, or a chain of its own, whose security
 * is that of hb_security_default where it is not given. HB_EUSAGE for options that exclude or miss one another;
 * HB_ECONFIG when no prime has the wanted size. hb_params_open checks the rest. */
hb_status hb_params_choose(const hb_params_choice *choice, hb_params_spec *spec);

#endif
