/* What is asked, and known, of chains where parameters of CKKS are looked for. */
#ifndef HB_SUGGEST_CKKS_SEARCH_H
#define HB_SUGGEST_CKKS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Of a request. */
typedef struct hb_ckks_request {
    uint32_t scale_bits; /* of the scale; 0: the smallest that does */
} hb_ckks_request;

/* Of its trials. */
typedef struct hb_ckks_requirements {
    uint32_t levels;     /* that the expression goes down */
    bool wide;           /* it needs scales of two primes */
    bool endless;        /* it needs bootstrapping */
    uint32_t input_bits; /* values of the tables are below 2^input_bits in magnitude ... */
    uint32_t value_bits; /* ... and those of results below 2^value_bits */
} hb_ckks_requirements;

#endif
