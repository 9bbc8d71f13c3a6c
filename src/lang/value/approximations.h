/* How the functions of an expression are approximated, and all approximations that it computes. */
#ifndef HB_LANG_VALUE_APPROXIMATIONS_H
#define HB_LANG_VALUE_APPROXIMATIONS_H

#include "approx/approx.h"
#include "lang/text/syntax.h"

/* An approximation that an expression computes. */
typedef struct hb_lowered_approximation {
    const hb_item *item; /* that it was first found for */
    hb_approximation_request request;
    double gap;          /* that was asked for; the approximation's is a little smaller */
    double scale, shift; /* results are these times the function's, plus that: of the approximation, too */
    uint32_t limbs;      /* of sign: that its argument has */
    hb_approximation approximation;
} hb_lowered_approximation;

/* How functions are approximated, and all that were. */
typedef struct hb_lowered_approximations {
    double bits;      /* that approximations are to have, absolute */
    bool bits_wanted; /* for results are to have some; else corners are as blunt as a gap makes them */
    double gap;       /* of jumps, in units of the largest magnitude; 0: not given */
    bool jumps;       /* it counts: there are jumps or corners, and not of whole numbers alone */
    bool always;      /* also where ranges tell the result: a function takes no number in its place */
    hb_lowered_approximation *functions;
    uint32_t function_count;
} hb_lowered_approximations;

/* The gap of jumps, in units of the largest magnitude, where none is given. */
#define HB_LOWERING_GAP 0x1p-8
/* Bits of functions where none are wanted. */
#define HB_LOWERING_BITS 16

#endif
