/* The pieces of a page: texts, tables, facts. All functions accept values of any type and size. `to` writes to memory;
 * a failure to write shows when it is closed. */
#ifndef HB_PAGE_CELLS_H
#define HB_PAGE_CELLS_H

#include <jansson.h>
#include <stdio.h>

/* The form in which a value is shown. A value of an unexpected type is shown as it is. */
typedef enum hb_page_look {
    HB_LOOK_PLAIN,   /* as it is; a list as its elements with commas */
    HB_LOOK_CODE,    /* a text written by people or programs, with its line breaks */
    HB_LOOK_BYTES,   /* 1.50 GiB */
    HB_LOOK_SECONDS, /* 4.20 s */
    HB_LOOK_HASH,    /* the first 12 digits of a checksum or an id, and all of it as a title */
    HB_LOOK_BITS,    /* a number with one digit behind the point, rounded down */
    HB_LOOK_ERROR    /* a bound of errors, rounded up */
} hb_page_look;

/* A member of objects, and its title on the page. */
typedef struct hb_page_cell {
    const char *member, *title;
    hb_page_look look;
} hb_page_cell;

/* Writes a foreign text: markup is escaped, controls and characters that change direction are shown by their numbers
 * (cli/escape.h), and text beyond some thousand characters is left out. */
void hb_page_text(FILE *to, const char *text);
/* Writes one value; "-" for NULL and null. */
void hb_page_value(FILE *to, const json_t *value, hb_page_look look);
/* Writes the listed members of an object that exist and are not null, with their titles, as a list of facts; nothing
 * where there are none. */
void hb_page_facts(FILE *to, const json_t *object, const hb_page_cell *cells, size_t count);
/* Writes a table under a heading (NULL: none): a line for each object of a list, with the columns that some object has;
 * nothing where the list is empty or missing. */
void hb_page_table(FILE *to, const char *heading, const json_t *list, const hb_page_cell *cells, size_t count);

/* The members of reports that have bits by a bound, from the most certain on. */
enum { HB_PAGE_CERTAINTIES = 4 };
extern const char *const hb_page_certainties[HB_PAGE_CERTAINTIES];
/* Returns which of them an object has as a number, the most certain one; 0 where it has none. */
size_t hb_page_certainty(const json_t *bits);

#endif
