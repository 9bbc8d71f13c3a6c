/* The smallest secure parameters under which an expression can be computed. */
#ifndef HB_PARAMS_SUGGEST_H
#define HB_PARAMS_SUGGEST_H

#include "command.h"
#include "params.h"
#include "program.h"

typedef struct hb_suggest_wish {
    const char *expression; /* every name that it reads: an encrypted table */
    uint64_t rows;          /* of each, >= 1 */
    const char *ranges;     /* "a=0..150,p.age=0..120": of each (range.h) */
    const char *columns;    /* "x=4,q=4"; NULL: those that it picks, else one (params_columns.h) */
    hb_noise_trust trust;
    hb_security security;
} hb_suggest_wish;

typedef struct hb_suggestion {
    hb_params *params;
    hb_program program;     /* the expression, compiled for these: its keys, notes and outputs */
    bool preset;            /* params are a preset, perhaps with a t of its own: `named` ... */
    const char *named;      /* ... this; borrowed */
    bool plain_given;       /* t is not the one that comes with the preset */
    double worst, expected; /* bits of budget left, of the result that has least */
    uint64_t key_count;     /* relinearization and Galois keys */
} hb_suggestion;

/* Goes through the ring degrees upwards; at each through the preset, with its own t and with the smallest one that
 * holds every value, then through chains of 1, 2, ... primes, of as few bits as the noise allows. HB_EUSAGE for what is
 * no expression, for a name without a range, for columns that nobody counted; HB_EDATA when no secure parameters do.
 * The caller clears *suggestion, also after a failure. */
hb_status hb_params_suggest(hb_suggestion *suggestion, const hb_suggest_wish *wish);
void hb_suggestion_clear(hb_suggestion *suggestion);
/* With the keygen command to copy. */
hb_status hb_suggestion_print(const hb_group *group, const hb_common *common, const hb_suggestion *suggestion,
                              const hb_suggest_wish *wish);

#endif
