/* The smallest secure parameters under which an expression can be computed. */
#ifndef HB_SUGGEST_SUGGEST_H
#define HB_SUGGEST_SUGGEST_H

#include "bfv_search.h"
#include "ckks_search.h"
#include "cli/common.h"
#include "cli/params_options.h"
#include "expression/program/program.h"
#include "io/table/reading.h"
#include "mpi/group/group.h"
#include "scheme/params.h"

typedef struct hb_suggest_request {
    const char *expression; /* every name that it reads: an encrypted table, before an @ a plain one of weights */
    uint64_t rows;          /* of each; 0: as many as the tables have */
    const char *one_row;    /* "w,W": names of one row, or of encrypted weights, rows of which stand in all of
                            others; NULL: those whose table has one row */
    const char *filled;     /* "q": names whose one row is made to stand in every row (encrypt --fill); NULL: none */
    const char *
        ranges; /* "a=0..150,p.age=0..120": of each that is not a table's (expression/program/range.h); NULL: of none */
    const char *tables;        /* "a=FILE,p=FILE", or FILE where it reads one name: plain tables of these; NULL: none */
    const hb_reading *reading; /* of those tables: what is said of them; not NULL where there are some */
    const char *columns;       /* "x=4,q=4"; NULL: those that it picks, else one (columns.h) */
    uint64_t block;            /* slots of a row, of tables by rows within slots (encrypt --pack rows); 0: by columns */
    double gap;                /* of comparisons (hb_program_source); 0: as that has it; none of integers */
    bool wrap;                 /* results may wrap around, inputs not */
    hb_quality_trust trust;
    hb_security security;
    hb_scheme scheme;
    uint32_t precision; /* bits behind the binary point that results keep; 0: nobody asks; none of integers */
    uint64_t share;     /* ciphertexts of results that will be shown (decrypt --share), with those bits; 0: none */
    hb_bfv_request bfv;
    hb_ckks_request ckks;
} hb_suggest_request;

/* Takes over what options of the request's own scheme ask for. HB_EUSAGE for those that choose a chain, and for such as
 * exclude one another; HB_ECONFIG. Security is the caller's to take over. */
hb_status hb_suggest_ask(hb_suggest_request *request, const hb_params_choice *choice);

typedef struct hb_suggestion {
    hb_params *params;
    hb_program program;     /* the expression, compiled for these: its keys, notes and outputs */
    bool preset;            /* params are a preset, perhaps completed in another way: `named` ... */
    const char *named;      /* ... this; borrowed */
    bool completed;         /* ... as search.h says: it comes with no preset */
    uint64_t rows;          /* of the tables */
    char *one_row;          /* names that are spread beside others of more rows, "w,c"; NULL: there are none */
    double worst, expected; /* bits left of the result that has fewest */
    double shown;           /* of a request that shares results: bits left of that when its error is hidden */
    double seconds;         /* that one core of this machine computes for a million rows, by batch/work.h */
    uint64_t key_count;     /* relinearization and Galois keys */
} hb_suggestion;

/* Goes through the ring degrees upwards; at each through chains by what computing with them costs: of CKKS as
 * ckks_search.c says, else the number of primes, one above 50 bits for two (below, arithmetic goes the way of FP64),
 * and of those that cost the same the one of fewest bits. Of CKKS the next ring degree, where keys may have fewer
 * digits, is taken where that computes all rows much faster (batch/work.h). A preset that is hardly longer takes its
 * place, as people know it. With HB_QUALITY_EXPECTED as many bits are left as hb_quality_margin wants in hand.
 * HB_EUSAGE for what is no expression, for a name without a range, for columns that nobody counted; HB_EDATA when no
 * secure parameters do, for parameters asked for that do not hold all values and for what is wrong with a table;
 * HB_ECONFIG for what no parameters can have. The caller clears *suggestion, also after a failure. */
hb_status hb_params_suggest(hb_suggestion *suggestion, const hb_suggest_request *request);
void hb_suggestion_clear(hb_suggestion *suggestion);
/* With the keygen command to copy. */
hb_status hb_suggestion_print(const hb_group *group, const hb_common *common, const hb_suggestion *suggestion,
                              const hb_suggest_request *request);

#endif
