/* A number in an expression. */
#ifndef HB_LANG_PROGRAM_NUMBER_H
#define HB_LANG_PROGRAM_NUMBER_H

#include <stdint.h>

/* A constant for any scheme. Schemes of integers compute with `integer`, exactly; schemes of reals with `real`, and
 * `imaginary` times i. */
typedef struct hb_number {
    int64_t integer;
    double real, imaginary;
} hb_number;

#endif
