/* The page of the language: what people write expressions by, with a line for each function. */
#ifndef HB_LANG_FUNCTIONS_PAGE_H
#define HB_LANG_FUNCTIONS_PAGE_H

#include "base/status.h"

/* Makes the text of lang/text/language.h with the lines of all functions, in the order of their names, in the place of
 * the row of its table that stands for them: Markdown, UTF-8. *out: the caller's to free. HB_ENOMEM. */
hb_status hb_language_page(char **out);

#endif
