/* The tables that a program looks coefficients up in, each different one once: instructions have their numbers. */
#ifndef HB_LANG_PROGRAM_TABLES_H
#define HB_LANG_PROGRAM_TABLES_H

#include "rlwe/bootstrap.h"

/* A growing list; zeroed at first. */
typedef struct hb_tables {
    hb_bootstrap_table *table; /* [count], owned, and so are their entries */
    uint32_t count;
} hb_tables;

/* Sets *number to that of a table with these entries, which are copied where there is none. HB_ENOMEM. Clearing wipes
 * entries, and allows a zeroed list. */
hb_status hb_tables_add(hb_tables *list, const hb_bootstrap_table *table, uint32_t *number);
void hb_tables_clear(hb_tables *list);

#endif
