/* What a page is put together of: texts, tables, facts. All of it takes values of any type and size. `to` is memory; a
 * failure to write shows there at the end. */
#ifndef HB_PAGE_CELLS_H
#define HB_PAGE_CELLS_H

#include <jansson.h>
#include <stdio.h>

/* How a value is shown. Whatever is not of the type it should be is shown as what it is. */
typedef enum hb_cell_look {
    HB_LOOK_PLAIN,   /* as it is; of a list its elements with commas */
    HB_LOOK_CODE,    /* a text that people or programs wrote, with its line breaks */
    HB_LOOK_BYTES,   /* 1.50 GiB */
    HB_LOOK_SECONDS, /* 4.20 s */
    HB_LOOK_BITS     /* a number with one digit behind the point */
} hb_cell_look;

/* A member of objects, and what it is called on the page. */
typedef struct hb_cell {
    const char *member, *title;
    hb_cell_look look;
} hb_cell;

/* Writes a text of others: what would be markup is not, controls and what turns directions are shown by their numbers
 * (cli/escape.h), and what is beyond some thousand characters is left out. */
void hb_page_text(FILE *to, const char *text);
/* Writes one value; "-" of NULL and null. */
void hb_page_value(FILE *to, const json_t *value, hb_cell_look look);
/* Writes those members of an object that are there and not null, with their titles, as a list of facts; nothing where
 * there is none. */
void hb_page_facts(FILE *to, const json_t *object, const hb_cell *cells, size_t count);
/* Writes a table, a line for each object of a list, of those columns that any of them has, under a heading; nothing
 * where the list is empty or none. */
void hb_page_table(FILE *to, const char *heading, const json_t *list, const hb_cell *cells, size_t count);

#endif
