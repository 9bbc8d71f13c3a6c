/* The page of the functions, made from their rows: `hebatch help functions`, and src/lang/pages/functions.md. */
#ifndef HB_LANG_FUNCTIONS_PAGE_H
#define HB_LANG_FUNCTIONS_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the page, an item of a list for each function in the order of their names: Markdown, UTF-8. `name`: the item
 * of this function alone; NULL: all. Returns false where there is none of that name. The caller looks for errors of the
 * stream. */
bool hb_functions_page(const char *name, FILE *to);

#endif
