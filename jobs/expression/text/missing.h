/* What people write that the language does not have, or BFV has not, and what they can do instead (bfv_missing.c). What
 * no scheme has is refused as the text is read; what schemes of reals have besides is in the lists for the others, and
 * refused once it is known that the scheme is one of those. */
#ifndef HB_EXPRESSION_TEXT_MISSING_H
#define HB_EXPRESSION_TEXT_MISSING_H

#include <stddef.h>

typedef struct hb_missing {
    const char *name, *advice;
} hb_missing;

/* Returns the functions that there are not, one by one; NULL after the last. */
const hb_missing *hb_missing_function(size_t i);
/* Returns the advice about an operator that stands at `text`, where it is refused; NULL: people mean nothing by it. */
const char *hb_missing_operator(const char *text);

#endif
