/* Decimals from binary floating-point numbers, which hold most decimals only nearly. */
#ifndef HB_TABLE_FLOAT_DECIMAL_H
#define HB_TABLE_FLOAT_DECIMAL_H

#include "meaning.h"

/* How to read a floating-point number. */
typedef struct hb_float_form {
    int bits;    /* of the significand of the stored type: 24 for float, 53 for double, at least 2 */
    int digits;  /* kept after the point: 0 to HB_MOST_SCALE_DIGITS */
    bool rounds; /* numbers with more digits are rounded to the nearest, ties away from 0; else they are too fine */
} hb_float_form;

/* Reads a finite number of that type as the shortest decimal that is read as the same number, exactly: *magnitude is
 * its value without the sign times 10^digits. HB_DECIMAL_UNSURE where another decimal with as many digits is the same
 * number of its type, as for integers above 2^53: it is unknown which one was meant. *needed, which may be NULL, is
 * also set for numbers that are too fine: the digits after the point, at most 99. */
hb_decimal_fault hb_decimal_of_float(double value, const hb_float_form *form, uint64_t *magnitude, bool *negative,
                                     int *needed);

#endif
