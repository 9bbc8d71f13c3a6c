/* Odd polynomials that are near 1 on [from, 1]: stages of the sign (sign.h). Private to the room. */
#ifndef HB_APPROX_ODD_H
#define HB_APPROX_ODD_H

#include <stdbool.h>

#include "base/chebyshev.h"
#include "base/status.h"

/* The longest stage. */
#define HB_ODD_MOST_DEGREE 63
/* The shortest interval starts here: for shorter ones this is taken. */
#define HB_ODD_MOST_FROM (1 - 0x1p-16)

/* Where a stage takes [from, 1]. */
typedef struct hb_odd_image {
    double error; /* of one that is not scaled: it lies in [1 - error, 1 + error] */
    /* For a scaled one: by how much results may be off and still be in [from, 1], or, of all [-1, 1], in [-1, 1]. */
    double margin;
    double from; /* of a scaled one: the least result less the margin */
} hb_odd_image;

/* Estimates the image of [from, 1] under the best odd polynomial of this degree, odd and at least 3; 0 < from <=
 * HB_ODD_MOST_FROM. The estimate has some room for the bounds that hb_odd_make proves. HB_ENOMEM. */
hb_status hb_odd_estimate(hb_odd_image *image, double from, uint32_t degree);
/* Sets *p, whose coefficients it allocates, to that polynomial, scaled unless it is the last stage, and *image to
 * proven bounds: error for the last stage, else margin and from. HB_ENOMEM. */
hb_status hb_odd_make(hb_chebyshev *p, hb_odd_image *image, double from, uint32_t degree, bool last);

#endif
