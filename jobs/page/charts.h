/* Charts of a page, as SVG within it: how time was spent, and how many bits are left. They accept values of any type
 * and size. */
#ifndef HB_PAGE_CHARTS_H
#define HB_PAGE_CHARTS_H

#include <jansson.h>
#include <stdio.h>

/* Writes a heading, a bar of the named seconds of an object side by side, and a list of them with their shares; nothing
 * where there are none. "total" is no part. */
void hb_page_seconds(FILE *to, const char *heading, const json_t *seconds);
/* Writes a bar for each rank of a report's "by_rank" with the busy time of its threads, all to one scale, and beside it
 * host, units, bytes and time; nothing where there are no ranks. */
void hb_page_ranks(FILE *to, const json_t *by_rank);
/* Writes curves of the bits of a report's "steps" in their order: proven or assumed, and expected; nothing where there
 * are fewer than two. */
void hb_page_steps(FILE *to, const char *heading, const json_t *steps);

#endif
