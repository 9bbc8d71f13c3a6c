#include "float_decimal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/seed.h"
#include "real_text.h"

/* Whether a quotient of such integers, to the nearest double and then to `bits`, is the nearest of `bits` (Figueroa,
 * When is double rounding innocuous, SIGNUM 1995): both have to be numbers of so many bits. 10^d is 5^d times a power
 * of two. */
static bool scale_fits(uint64_t scale, const hb_float_form *form)
{
    return form->bits >= DBL_MANT_DIG ||
           (2 * form->bits + 2 <= DBL_MANT_DIG && scale >> form->digits >> form->bits == 0);
}

/* Where decimals of so many digits are farther apart than floating-point numbers, each is another one of those, so one
 * that is read as `size` is the decimal that is looked for, whether it is written with fewer digits or not. */
static bool find_fast(double size, const hb_float_form *form, uint64_t *magnitude)
{
    const uint64_t scale = hb_scale_of_digits(form->digits);
    int exponent; /* size is in [2^(exponent - 1), 2^exponent) */
    (void)frexp(size, &exponent);
    if (!scale_fits(scale, form) || ldexp((double)scale, exponent - form->bits) > 1) {
        return false;
    }
    const double near = nearbyint(size * (double)scale); /* at most 2^53; at most one off */
    for (int off = -1; off <= 1; off++) {
        const double candidate = near + off;
        if (candidate >= 0 && hb_real_narrow(candidate / (double)scale, form->bits) == size) {
            *magnitude = (uint64_t)candidate;
            return true;
        }
    }
    return false;
}

/* Whether a decimal, magnitude / 10^digits, is this number of its type. */
static bool is_same(uint64_t magnitude, const hb_float_form *form, double size)
{
    char text[HB_REAL_TEXT];
    double value;
    const char *at = text;
    const int length = snprintf(text, sizeof text, "%" PRIu64 "e-%d", magnitude, form->digits);
    const bool same =
        hb_real_parse(&at, text + length, &value) == HB_REAL_GOOD && hb_real_narrow(value, form->bits) == size;
    hb_wipe(text, sizeof text); /* plaintext */
    return same;
}

hb_decimal_fault hb_decimal_of_float(double value, const hb_float_form *form, uint64_t *magnitude, bool *negative,
                                     int *needed)
{
    const double size = fabs(value);
    if (needed == NULL && (size == 0 || find_fast(size, form, magnitude))) {
        *magnitude = size == 0 ? 0 : *magnitude;
        *negative = value < 0;
        return HB_DECIMAL_GOOD;
    }
    char text[HB_REAL_TEXT];
    int behind = 0;
    hb_real_text_of(text, value, form->bits);
    hb_decimal_fault fault = hb_decimal_parse(text, strlen(text), form->digits, magnitude, negative, &behind);
    if (fault == HB_DECIMAL_GOOD && size > 0 &&
        (is_same(*magnitude + 1, form, size) || is_same(*magnitude - 1, form, size))) {
        fault = HB_DECIMAL_UNSURE;
    } else if (fault == HB_DECIMAL_TOO_FINE && form->rounds) {
        fault = hb_decimal_round(text, strlen(text), form->digits, HB_DECIMAL_NEAREST, magnitude, negative);
    }
    if (needed != NULL) {
        *needed = behind;
    }
    hb_wipe(text, sizeof text); /* plaintext */
    return fault;
}
