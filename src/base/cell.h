/* The types of cells of tables. */
#ifndef HB_BASE_CELL_H
#define HB_BASE_CELL_H

#include <stdint.h>
#include <string.h>

#include "hostdevice.h"

/* The value of a cell takes one 64-bit word, but for wide ones. */
typedef enum hb_cell_type {
    HB_CELL_INTEGER, /* two's complement in signed columns */
    HB_CELL_REAL,    /* the bits of a double, which is finite */
    HB_CELL_WIDE     /* of plain tables alone: an integer of 128 bits, two's complement in signed columns: two words */
} hb_cell_type;

/* Return the double that a word holds, and the word of a double. */
HB_FN double hb_real_of(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}
HB_FN uint64_t hb_real_word(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

#endif
