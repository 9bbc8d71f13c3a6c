/* The parameter sets and primitives that two papers measure, on this device: table 5 of Al Badawi et al. and table 7 of
 * Ozerk et al. (src/README.md "Sources"). */
#ifndef HB_BENCH_PAPER_H
#define HB_BENCH_PAPER_H

#include "bench.h"
#include "cli/console.h"

typedef enum hb_primitive {
    HB_PRIMITIVE_KEYGEN,   /* a key pair; in table 5 with the relinearization key, as there */
    HB_PRIMITIVE_ENCRYPT,  /* with the public key */
    HB_PRIMITIVE_DECRYPT,  /* two components */
    HB_PRIMITIVE_ADD,      /* this and the next in table 5 only */
    HB_PRIMITIVE_MULTIPLY, /* and relinearize, as there */
    HB_PRIMITIVES
} hb_primitive;

enum { HB_PAPER_TABLE_5 = 4, HB_PAPER_TABLE_7 = 5, HB_PAPER_SETS = HB_PAPER_TABLE_5 + HB_PAPER_TABLE_7 };

/* Seconds; 0: not measured. */
typedef struct hb_paper_times {
    size_t n;
    uint32_t log_q; /* as the papers print it */
    uint32_t limbs; /* with the special prime */
    uint64_t plain;
    size_t count;                    /* ciphertexts of a batch */
    double alone[HB_PRIMITIVES];     /* one, waited for */
    double amortised[HB_PRIMITIVES]; /* a batch a call, by its count */
} hb_paper_times;

/* Not collective. `params` and `kinds` of the options are not looked at: sets are the papers', however insecure by now.
 * Those of table 5 come first. HB_ENOMEM; what the device fails with. */
hb_status hb_bench_paper(const hb_bench_options *options, hb_paper_times times[HB_PAPER_SETS]);

/* Beside what the papers print. */
void hb_bench_print_paper(const hb_group *group, const hb_common *common, const hb_paper_times times[HB_PAPER_SETS]);
/* A list of all; NULL when out of memory. */
json_t *hb_bench_paper_json(const hb_paper_times times[HB_PAPER_SETS]);

#endif
