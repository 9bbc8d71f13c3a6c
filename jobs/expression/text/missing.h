/* What people write that the language does not have, and what they can do instead. The language has what BFV has
 * (bfv_missing.c): a scheme with more of it is known only once datasets are open, after the text is read. What schemes
 * of reals have besides, `mean`, is in the list for the others. */
#ifndef HB_EXPRESSION_TEXT_MISSING_H
#define HB_EXPRESSION_TEXT_MISSING_H

#include <stddef.h>

typedef struct hb_missing {
    const char *name, *advice;
} hb_missing;

/* Returns the functions that there are not, one by one; NULL after the last. */
const hb_missing *hb_missing_function(size_t i);
/* Returns the advice about an operator that stands at `text`; NULL: people mean nothing by it. */
const char *hb_missing_operator(const char *text);

#endif
