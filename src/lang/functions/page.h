/* The page of the functions, made from their rows: `hebatch help functions`, and src/lang/pages/functions.md. */
#ifndef HB_LANG_FUNCTIONS_PAGE_H
#define HB_LANG_FUNCTIONS_PAGE_H

#include <stdio.h>

/* Writes the page, a line for each function in the order of their names: Markdown, UTF-8. Who calls looks for errors of
 * the stream. */
void hb_functions_page(FILE *to);

#endif
