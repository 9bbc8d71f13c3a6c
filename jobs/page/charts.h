/* Pictures of a page, as SVG within it: where time went, and what is left of bits. They take values of any type and
 * size. */
#ifndef HB_PAGE_CHARTS_H
#define HB_PAGE_CHARTS_H

#include <jansson.h>
#include <stdio.h>

/* Writes a heading, a bar of the seconds by name in an object, beside one another, and a list of them with their
 * shares; nothing where there are none. "total" is no part. */
void hb_page_seconds(FILE *to, const char *heading, const json_t *seconds);
/* Writes a bar for each rank of a report's "by_rank", of what its threads were busy with, all to one scale, and beside
 * it its host, units, bytes and time; nothing where there are no ranks. */
void hb_page_ranks(FILE *to, const json_t *by_rank);
/* Writes curves of the bits of a report's "steps", one after another: proven, or assumed, and expected; nothing where
 * there are fewer than two. */
void hb_page_steps(FILE *to, const char *heading, const json_t *steps);

#endif
