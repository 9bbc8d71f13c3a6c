/* Real numbers as text: decimals read to the nearest double, and written with the digits that it takes to
 * read the same double again. Nothing here depends on the process's locale. */
#ifndef HB_IO_BASE_REAL_TEXT_H
#define HB_IO_BASE_REAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cell.h"

/* What is wrong with a text. */
typedef enum hb_real_fault {
    HB_REAL_GOOD,
    HB_REAL_NO_NUMBER, /* it does not begin with a number */
    HB_REAL_TOO_LARGE, /* the number is nearer to infinity than to any double */
    HB_REAL_NO_MEMORY
} hb_real_fault;

/* Reads a decimal at *at, [+-]digits[.digits][e[+-]digits] with a digit before the exponent, and moves *at past it; the
 * text ends at `end` and need not end in a zero. Stores the nearest double, of two as near the even one. "nan", "inf"
 * and hexadecimal digits are no numbers. What is too large is read to its end; for other faults *at stays. *value is
 * set only if nothing is wrong. */
hb_real_fault hb_real_parse(const char **at, const char *end, double *value);

/* Room for any double as text, with its zero: "-2.2250738585072014e-308". */
#define HB_REAL_TEXT 32
/* Writes as few significant digits, up to 17, as hb_real_parse reads as the same double, with a point and not a comma:
 * "0.1", "1e-07", "-0"; "nan", "inf" of what is no finite number. */
void hb_real_text(char text[HB_REAL_TEXT], double value);

/* Writes a bound of a range for people: as hb_real_text up to twelve significant digits; what has more, as sums of
 * rounded numbers have, with six, rounded away from the range: up where `value` is the most, down where it is the
 * least. Read again it bounds no less. */
void hb_real_bound_text(char text[HB_REAL_TEXT], double value, bool most);

#endif
