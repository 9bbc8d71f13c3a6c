/* The polynomials that a program evaluates, each different one once: instructions have their numbers. */
#ifndef HB_LANG_PROGRAM_POLYNOMIALS_H
#define HB_LANG_PROGRAM_POLYNOMIALS_H

#include "base/chebyshev.h"

typedef struct hb_polynomial_entry {
    hb_chebyshev polynomial; /* of values in [-1, 1]; coefficients: owned */
    double error;            /* its largest distance from the intended function; 0: it is that function */
    uint32_t products;       /* of ciphertexts that it takes; 0: not known */
} hb_polynomial_entry;

/* A growing list; zeroed at first. */
typedef struct hb_polynomials {
    hb_polynomial_entry *entry; /* [count], owned */
    uint32_t count;
} hb_polynomials;

/* Sets *number to that of a polynomial with these coefficients and that error, which is copied where there is none.
 * HB_ENOMEM. Clearing wipes coefficients, and allows a zeroed list. */
hb_status hb_polynomials_add(hb_polynomials *list, const hb_chebyshev *polynomial, double error, uint32_t *number);
void hb_polynomials_clear(hb_polynomials *list);

#endif
