/* Functions and operators that people write but the language, or BFV, does not have, each with advice about another way
 * (unavailable.c). They are looked for among names that no function has: once a function has the name, its entry is not
 * read any more. Functions of schemes of reals have such advice in their rows (hb_signature.reals). */
#ifndef HB_LANG_TEXT_UNAVAILABLE_H
#define HB_LANG_TEXT_UNAVAILABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Names with the same advice, of which there are fewer than HB_UNAVAILABLE_NAMES; NULL after the last. */
enum { HB_UNAVAILABLE_NAMES = 12 };
typedef struct hb_unavailable {
    const char *names[HB_UNAVAILABLE_NAMES];
    const char *advice;
    bool derived; /* --derive makes a column of it */
} hb_unavailable;

/* Returns the i-th row of unavailable functions; NULL after the last. */
const hb_unavailable *hb_unavailable_functions(size_t i);
/* Returns the advice about an operator that stands at `text`, where it is refused; NULL where nothing there is an
 * unavailable operator. */
const char *hb_unavailable_operator(const char *text);

#endif
