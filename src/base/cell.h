/* What a cell of a table is. */
#ifndef HB_BASE_CELL_H
#define HB_BASE_CELL_H

/* The value of a cell takes one 64-bit word. */
typedef enum hb_cell_type {
    HB_CELL_INTEGER, /* two's complement in signed columns */
    HB_CELL_REAL     /* the bits of a double, which is finite */
} hb_cell_type;

#endif
