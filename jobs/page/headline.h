/* The head of a job on a page: its result in plain words, and four numbers. */
#ifndef HB_PAGE_HEADLINE_H
#define HB_PAGE_HEADLINE_H

#include <jansson.h>
#include <stdio.h>

/* Writes a sentence about a report, such as "Counts by condition from 5000 rows, computed without the secret key in 7
 * min 23 s on one core; exact; 8 results of 126 MiB.", and tiles with its time, memory, size and bits. Members of any
 * type and size are accepted; a number that is missing is shown as "-". */
void hb_page_head(FILE *to, const json_t *report);

#endif
