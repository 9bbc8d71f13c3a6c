/* The search for parameters of BFV: the members of requests and trials about t. */
#ifndef HB_SUGGEST_BFV_SEARCH_H
#define HB_SUGGEST_BFV_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "rlwe/params.h"

/* The options of a request. */
typedef struct hb_bfv_request {
    uint64_t plain;      /* t; 0: the smallest that suffices ... */
    uint32_t plain_bits; /* ... and has this many bits; 0: any number */
    hb_joint_spec joint; /* of keys of several owners, all of whom decrypt; zeroed: of one */
    bool trust_given;    /* `trust` is asked for; else chains that bootstrap have another (hb_trust_by_default) */
} hb_bfv_request;

/* The requirements that its trials found. */
typedef struct hb_bfv_requirements {
    uint64_t plain_least; /* the least t that holds all values; 0: any t does */
    uint32_t wide; /* bits of the product of several plain moduli, where no single t holds all values; 0: one does */
    uint64_t each_least; /* the least that each of several may be, for the values that comparisons distinguish */
    uint32_t several;    /* number of plain moduli; 0: as few as hold all values */
    /* Parameters must leave the bits that packing totals takes (lang/compile/compact.h), so that results have so many
     * bits at most (hb_suggestion.result_bits); 0: that is not asked. */
    uint64_t packed_most;
} hb_bfv_requirements;

#endif
