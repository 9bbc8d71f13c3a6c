/* The columns of its inputs that an expression reads, as options of command lines list them. Rank-local. */
#ifndef HB_LANG_COMPILE_PICKED_COLUMNS_H
#define HB_LANG_COMPILE_PICKED_COLUMNS_H

#include <string.h>

#include "lang/program/range.h"

/* Sets *word to a column's name as options write it, in `room` where it needs quotes. HB_EUSAGE where it is too
 * long. */
#define HB_COLUMN_WORD (2 * HB_LABEL_MAX + 3)
hb_status hb_columns_word(const char *name, char room[HB_COLUMN_WORD], const char **word);

/* Returns whether a list of columns, NULL or as --columns has it, has this word of hb_columns_word. */
static inline bool hb_columns_have_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at++) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}
/* Appends a name to a list, owned, or NULL while it is empty, unless it is there. HB_EUSAGE, HB_ENOMEM. */
hb_status hb_columns_add_name(char **list, const char *name);
/* Finds the columns of each name, reads[0 .. count), that the expression picks by their names, and those that ranges
 * name. lists [count], NULL before: the list, owned by the caller also after a failure; NULL where the expression
 * takes a table as a whole, or columns by their places. HB_EUSAGE for a text that is no expression; HB_ENOMEM. */
hb_status hb_picked_columns_find(const char *expression, char *const *reads, uint32_t count, const hb_range *ranges,
                                 uint32_t range_count, char **lists);

#endif
