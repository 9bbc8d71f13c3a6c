/* Real numbers as text: decimals are read as the nearest double, and written with the digits needed to read the same
 * double again. Nothing here depends on the process's locale. */
#ifndef HB_TABLE_REAL_TEXT_H
#define HB_TABLE_REAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cell.h"

/* A fault of a text. */
typedef enum hb_real_fault {
    HB_REAL_GOOD,
    HB_REAL_NO_NUMBER, /* it does not begin with a number */
    HB_REAL_TOO_LARGE, /* the number is nearer to infinity than to any double */
    HB_REAL_NO_MEMORY
} hb_real_fault;

/* Reads a decimal at *at, [+-]digits[.digits][e[+-]digits] with a digit before the exponent, and moves *at past it; the
 * text ends at `end` and need not end in a zero. Stores the nearest double, for ties the even one. "nan", "inf" and
 * hexadecimal digits are no numbers. A number that is too large is read to its end; for other faults *at stays. *value
 * is set only without a fault. */
hb_real_fault hb_real_parse(const char **at, const char *end, double *value);

/* Returns whether a decimal that hb_real_parse has read as `value` is a whole number, written without an exponent, that
 * no double is: it was rounded. */
bool hb_real_rounds_integer(const char *at, const char *end, double value);

/* Room for any double as text, with its zero: "-2.2250738585072014e-308". */
#define HB_REAL_TEXT 32
/* Writes the fewest significant digits, up to 17, that hb_real_parse reads as the same double, with a point and not a
 * comma: "0.1", "1e-07", "-0"; "nan", "inf" for other values. */
void hb_real_text(char text[HB_REAL_TEXT], double value);
/* Does the same for a number of a type with a significand of that many bits, 2 to 53, read as the same number of that
 * type. */
void hb_real_text_of(char text[HB_REAL_TEXT], double value, int bits);
/* Returns the nearest number with that many bits, 2 to 53, and any exponent; for ties the even one. */
double hb_real_narrow(double value, int bits);

/* Writes a bound of a range for people: as hb_real_text up to twelve significant digits. A longer one, such as a sum of
 * rounded numbers, gets six digits and is rounded away from the range: up where `value` is the most, down where it is
 * the least. Read again it bounds no less. */
void hb_real_bound_text(char text[HB_REAL_TEXT], double value, bool most);

#endif
