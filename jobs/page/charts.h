/* Charts of a page, as SVG within it: how time was spent, and how many bits are left. They accept values of any type
 * and size. */
#ifndef HB_PAGE_CHARTS_H
#define HB_PAGE_CHARTS_H

#include <jansson.h>
#include <stdio.h>

/* Writes how time was spent: bars of a report's "times" with a list of their parts and shares, and, folded, a bar for
 * each rank of its "by_rank" with host, units, bytes and time. Nothing where there are none. */
void hb_page_times(FILE *to, const json_t *times, const json_t *by_rank);
/* Writes a line for each statement of a report's "steps": the least bits, however certain, that any of its values has
 * had so far. `results`: the bits of statements, with the places where they begin. Nothing where there are fewer than
 * two steps. */
void hb_page_steps(FILE *to, const char *heading, const json_t *results, const json_t *steps);

#endif
