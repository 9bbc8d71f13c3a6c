/* Columns of plain tables row by row. */
#ifndef HB_LANG_FUNCTIONS_PLAIN_PRIVATE_H
#define HB_LANG_FUNCTIONS_PLAIN_PRIVATE_H

#include "plain.h"

/* A number, or a column of a table, or a mask: the first one that it has. */
typedef struct hb_plain_side {
    bool number;
    hb_plain_cell constant;
    const hb_plain_cell *cells;
    const hb_masks *masks;
    uint32_t mask;
    uint64_t rows;    /* 1: it serves all */
    uint32_t operand; /* of a column */
} hb_plain_side;

/* Finds the column that a node loads. As hb_lower_plain_test. */
hb_status hb_plain_side_of(hb_lowering *l, uint32_t node, hb_plain_side *out);
/* Returns its cell in a row: a mask's is 0 or 1. */
hb_plain_cell hb_plain_side_cell(const hb_plain_side *side, uint64_t row, bool reals);
/* Finds how many rows both have. HB_EUSAGE where that is not the same. */
hb_status hb_plain_sides_rows(const hb_lowering *l, const hb_plain_side *x, const hb_plain_side *y, uint64_t *rows);
/* Makes the node that loads the mask of a code of a list. HB_ENOMEM. */
hb_status hb_plain_mask_node(hb_lowering *l, uint32_t operand, uint32_t list, uint16_t code, uint32_t *out);

#endif
