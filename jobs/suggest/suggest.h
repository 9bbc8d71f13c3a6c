/* Finds the smallest secure parameters under which an expression can be computed. */
#ifndef HB_SUGGEST_SUGGEST_H
#define HB_SUGGEST_SUGGEST_H

#include "batch/cells/table_options.h"
#include "bfv_search.h"
#include "ckks_search.h"
#include "cli/common.h"
#include "cli/params_options.h"
#include "cli/words.h"
#include "io/table/reading.h"
#include "lang/program/program.h"
#include "model/model.h"
#include "mpi/group/group.h"
#include "row_names.h"
#include "scheme/params.h"

/* Parameters that are judged in the place of a search: those of the keys in a folder, or a preset, completed where it
 * has to be; both NULL: parameters are searched for. insecure: the preset is one for tests. */
typedef struct hb_suggest_judged {
    const char *keys, *preset;
    bool insecure;
} hb_suggest_judged;

typedef struct hb_suggest_request {
    const char *expression; /* a name that it reads is an encrypted table; before an @, a plain table of weights */
    hb_model *model;        /* whose statements are the expression, and which is fitted to x; NULL: there is none */
    uint64_t rows;          /* of each; 0: as many as the tables have */
    hb_row_names rows_of;   /* names whose row applies to all rows of others */
    const char *ranges; /* "a=0..150,p.age=0..120": of each column without a table (lang/program/range.h); NULL: none */
    const char *tables; /* "a=FILE,p=FILE", or FILE for a single name: these names, before encryption; NULL: none */
    const char *plain_tables; /* "w=FILE": names that eval reads as plain tables; NULL: none */
    hb_suggest_judged judged;
    const hb_reading *reading;   /* how to read those tables; not NULL where there are some ... */
    const hb_table_words *words; /* ... and the words of these options, for the printed commands; not NULL */
    const hb_group *group;       /* gets a message, now and then, about the current trial */
    const hb_common *common;
    const char *columns; /* "x=4,q=4"; NULL: the picked columns, else one (columns.h) */
    uint64_t block;      /* slots of a row, of tables by rows within slots (encrypt --pack rows); 0: by columns */
    double gap;          /* of comparisons (hb_program_source); 0: the default; none for integers */
    bool wrap;           /* results may wrap around, inputs not */
    hb_quality_trust trust;
    hb_security security;
    hb_scheme scheme;
    uint32_t precision; /* bits behind the binary point that results keep; 0: not given; none for integers */
    uint64_t share;     /* ciphertexts of results that will be shown (decrypt --share), with those bits; 0: none */
    hb_bfv_request bfv;
    hb_ckks_request ckks;
} hb_suggest_request;

/* Takes over a preset, with its scheme, and the options of the request's scheme. HB_EUSAGE for options that choose
 * another chain, and for options that exclude each other; HB_ECONFIG. The caller takes over security. */
hb_status hb_suggest_take_options(hb_suggest_request *request, const hb_params_choice *choice);

/* A preset beside a suggestion, and how many times as long it takes. */
typedef struct hb_suggested_preset {
    const char *name; /* borrowed; NULL: none was tried, or does */
    double times;
} hb_suggested_preset;

typedef struct hb_suggestion {
    hb_params *params;
    hb_program program;     /* the expression, compiled for the parameters: its keys, notes and outputs */
    bool judged;            /* no others were tried (hb_suggest_judged) */
    bool preset;            /* params are a preset, perhaps with another completion: `named` ... */
    const char *named;      /* ... this; borrowed */
    bool completed;         /* ... completed as search.h says, unlike any preset */
    uint64_t rows;          /* of the tables */
    char *one_row;          /* names whose row applies to all rows of others, "w,c"; NULL: none */
    char *spread;           /* names whose row stands in one ciphertext, with their columns, "q=128"; NULL: none */
    char *masked;           /* names whose tables have columns with masks; NULL: none */
    char *encrypted;        /* names that were taken for encrypted, "w,c" */
    double worst, expected; /* bits left of the result with fewest */
    double shown;           /* where results are shared: bits left of that result when its error is hidden */
    double seconds;         /* of one core of this machine for a million rows, by batch/unit/work.h, ... */
    double own_seconds;     /* ... and for the rows of the tables */
    double spare; /* of reals: bits that results have beyond the precision that each is to keep; below 0: too few */
    hb_words *commands; /* [command_count] encrypt, eval and decrypt; owned */
    uint32_t command_count;
    bool measures;      /* the first of these store measured ranges, as none were declared */
    uint64_t key_count; /* relinearization and Galois keys */
    /* Where packed totals are asked for (hb_bfv_requirements): whether eval packs all results of several totals, and
     * the bits of a coefficient of all ciphertexts of totals that it stores. */
    bool packs;
    uint64_t result_bits;
    hb_suggested_preset instead; /* the cheapest with bootstrapping that does as well as a long chain */
} hb_suggestion;

/* Tries the ring degrees in ascending order; at each it tries chains in the order of their computing cost. For CKKS
 * ckks_search.c gives the cost; else it is the number of primes, where a prime above 50 bits counts as two (smaller
 * ones use FP64 arithmetic); among equal costs the chain with fewest bits wins. For CKKS the next ring degree, where
 * keys may have fewer digits, wins where it computes all rows much faster (batch/unit/work.h). A preset that is hardly
 * longer replaces the result, as people know it. With HB_QUALITY_EXPECTED the result keeps the margin of
 * hb_quality_margin. HB_EUSAGE for a malformed expression, a name without a range, and an unknown number of columns;
 * HB_EDATA when no secure parameters suffice, for requested parameters that do not hold all values, and for faults of a
 * table; HB_ECONFIG for requests that no parameters can meet. The caller clears *suggestion, also after a failure. */
hb_status hb_params_suggest(hb_suggestion *suggestion, const hb_suggest_request *request);
void hb_suggestion_clear(hb_suggestion *suggestion);
/* Prints the parameters, and the commands to copy: keygen, encrypt for each dataset, eval, decrypt for each result. */
hb_status hb_suggestion_print(const hb_group *group, const hb_common *common, const hb_suggestion *suggestion,
                              const hb_suggest_request *request);

#endif
