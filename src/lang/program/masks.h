/* Rows that conditions on plain tables select, and groups by their columns: found in the clear, and multiplied with as
 * columns of 0 and 1. Rows have codes, so that the masks of many groups take two bytes a row together. */
#ifndef HB_LANG_PROGRAM_MASKS_H
#define HB_LANG_PROGRAM_MASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* A mask is 1 in rows with its code, else 0. */
typedef struct hb_mask {
    uint32_t list;
    uint16_t code;
    uint64_t count; /* rows of the list that have it */
} hb_mask;

typedef struct hb_mask_codes {
    uint16_t *code;   /* [rows], owned, and so are ... */
    uint64_t *counts; /* ... rows of each code, [2^16] */
    uint64_t rows;    /* 1: the row of a table that serves all */
} hb_mask_codes;

/* Growing lists, each list of codes and each mask once; zeroed at first. */
typedef struct hb_masks {
    hb_mask_codes *lists; /* [list_count], owned, and so are ... */
    hb_mask *masks;       /* [count] ... these */
    uint32_t list_count, count;
} hb_masks;

/* Takes codes [rows], from malloc, also after a failure; *list is their number, or that of the same ones. HB_ENOMEM. */
hb_status hb_masks_add_codes(hb_masks *masks, uint16_t *code, uint64_t rows, uint32_t *list);
/* Sets *mask to the number of the rows of a list that have a code. HB_ENOMEM. */
hb_status hb_masks_find(hb_masks *masks, uint32_t list, uint16_t code, uint32_t *mask);
/* Returns whether a mask has a row. */
bool hb_masks_have(const hb_masks *masks, uint32_t mask, uint64_t row);
/* Writes `one` for rows first .. first + count that a mask has, 0 for others: values [count]. */
void hb_masks_fill(const hb_masks *masks, uint32_t mask, uint64_t first, uint64_t count, uint64_t one,
                   uint64_t *values);
/* Makes a deep copy. HB_ENOMEM. */
hb_status hb_masks_copy(const hb_masks *from, hb_masks *out);
/* Wipes, and allows zeroed lists. */
void hb_masks_clear(hb_masks *masks);

#endif
