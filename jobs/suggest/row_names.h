/* Names of an expression whose datasets have one row, which stands in the place of every row of others. */
#ifndef HB_SUGGEST_ROW_NAMES_H
#define HB_SUGGEST_ROW_NAMES_H

#include "lang/text/binding.h"

/* Lists with commas between the names, "w,c"; NULL: none. */
typedef struct hb_row_names {
    const char *one_row; /* of one row, or of encrypted weights; NULL: names whose table has one row */
    const char *filled;  /* whose row is made to stand in every row (encrypt --fill) */
    const char *spread;  /* whose row stands in one ciphertext (encrypt --spread) */
} hb_row_names;

/* HB_EUSAGE, naming the option, unless the lists have names of reads [count] alone. */
static inline hb_status hb_row_names_check(const hb_row_names *names, char *const *reads, uint32_t count)
{
    HB_TRY(hb_name_list_check(names->one_row, reads, count, "--one-row"));
    HB_TRY(hb_name_list_check(names->filled, reads, count, "--fill"));
    return hb_name_list_check(names->spread, reads, count, "--spread");
}
/* Return whether a name stands in one of the lists, and whether in one of the last two. */
static inline bool hb_row_names_fill(const hb_row_names *names, const char *name)
{
    return hb_name_listed(names->filled, name) || hb_name_listed(names->spread, name);
}
static inline bool hb_row_names_have(const hb_row_names *names, const char *name)
{
    return hb_name_listed(names->one_row, name) || hb_row_names_fill(names, name);
}
/* Returns the option of the list that has the name. */
static inline const char *hb_row_names_option(const hb_row_names *names, const char *name)
{
    return hb_name_listed(names->spread, name)   ? "--spread"
           : hb_name_listed(names->filled, name) ? "--fill"
                                                 : "--one-row";
}

#endif
