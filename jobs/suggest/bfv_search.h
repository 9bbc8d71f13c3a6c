/* What is asked, and known, of t where parameters of BFV are looked for. */
#ifndef HB_SUGGEST_BFV_SEARCH_H
#define HB_SUGGEST_BFV_SEARCH_H

#include <stdint.h>

/* Of a request. */
typedef struct hb_bfv_request {
    uint64_t plain;      /* t; 0: the smallest that does ... */
    uint32_t plain_bits; /* ... and has so many bits; 0: of any size */
} hb_bfv_request;

/* Of its trials. */
typedef struct hb_bfv_requirements {
    uint64_t plain_least; /* t must be this or more for all values; 0: any will do */
    uint32_t wide;        /* bits of the product of several plain moduli, where no t holds all values; 0: one does */
    uint64_t each_least;  /* each of several must be this or more, for what comparisons tell apart */
    uint32_t several;     /* there are so many of them; 0: as few as hold all values */
} hb_bfv_requirements;

#endif
