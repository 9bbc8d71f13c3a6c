/* The search for parameters of CKKS: the members of requests and trials about chains. */
#ifndef HB_SUGGEST_CKKS_SEARCH_H
#define HB_SUGGEST_CKKS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The options of a request. */
typedef struct hb_ckks_request {
    uint32_t scale_bits; /* of the scale; 0: the smallest that suffices */
} hb_ckks_request;

/* The requirements that its trials found. */
typedef struct hb_ckks_requirements {
    uint32_t levels;     /* levels that the expression consumes in the ring that is tried */
    uint32_t counted;    /* the same, of the largest ring that was long enough to count them; 0: none was */
    bool wide;           /* it needs scales of two primes */
    uint32_t long_scale; /* of the chain that finds levels and values */
    bool endless;        /* it needs bootstrapping */
    uint32_t input_bits; /* values of the tables are below 2^input_bits in magnitude ... */
    uint32_t value_bits; /* ... those of results below 2^value_bits ... */
    uint32_t room_bits;  /* ... and all intermediate values below 2^room_bits */
    double precision;    /* the most bits behind the binary point that a result is to keep */
    double nearest;      /* of all trials, the most bits beyond these that results had; below 0: too few */
} hb_ckks_requirements;

#endif
