/* The smallest secure parameters under which an expression can be computed. */
#ifndef HB_SUGGEST_SUGGEST_H
#define HB_SUGGEST_SUGGEST_H

#include "cli/common.h"
#include "expression/program/program.h"
#include "mpi/group/group.h"
#include "scheme/params.h"

typedef struct hb_suggest_request {
    const char *expression; /* every name that it reads: an encrypted table */
    uint64_t rows;          /* of each; 0: as many as the tables have */
    const char *
        ranges; /* "a=0..150,p.age=0..120": of each that is not a table's (expression/program/range.h); NULL: of none */
    const char *tables;  /* "a=FILE,p=FILE", or FILE where it reads one name: plain tables of these; NULL: none */
    const char *columns; /* "x=4,q=4"; NULL: those that it picks, else one (columns.h) */
    uint64_t plain;      /* t; 0: the smallest that does ... */
    uint32_t plain_bits; /* ... and has so many bits; 0: of any size */
    bool wrap;           /* results may wrap around mod t, inputs not */
    hb_quality_trust trust;
    hb_security security;
} hb_suggest_request;

typedef struct hb_suggestion {
    hb_params *params;
    hb_program program;     /* the expression, compiled for these: its keys, notes and outputs */
    bool preset;            /* params are a preset, perhaps with a t of its own: `named` ... */
    const char *named;      /* ... this; borrowed */
    bool plain_given;       /* t is not the one that comes with the preset */
    uint64_t rows;          /* of the tables */
    double worst, expected; /* bits of budget left, of the result that has least */
    uint64_t key_count;     /* relinearization and Galois keys */
} hb_suggestion;

/* Goes through the ring degrees upwards; at each through chains by what computing with them costs: the number of
 * primes, one above 50 bits for two (below, arithmetic goes the way of FP64), and of those that cost the same the one
 * of fewest bits. A preset that is hardly longer takes its place, as people know it. With HB_QUALITY_EXPECTED as many
 * bits are left as bfv/noise.h wants in hand. HB_EUSAGE for what is no expression, for a name without a range, for
 * columns that nobody counted; HB_EDATA when no secure parameters do, for a t that does not hold all values and for
 * what is wrong with a table; HB_ECONFIG for a t that is no prime = 1 mod 2N for any N. The caller clears *suggestion,
 * also after a failure. */
hb_status hb_params_suggest(hb_suggestion *suggestion, const hb_suggest_request *request);
void hb_suggestion_clear(hb_suggestion *suggestion);
/* With the keygen command to copy. */
hb_status hb_suggestion_print(const hb_group *group, const hb_common *common, const hb_suggestion *suggestion,
                              const hb_suggest_request *request);

#endif
