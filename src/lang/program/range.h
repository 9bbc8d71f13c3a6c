/* Ranges of values that are declared for operands, and how their columns are called in messages. */
#ifndef HB_LANG_PROGRAM_RANGE_H
#define HB_LANG_PROGRAM_RANGE_H

#include "program.h"

typedef struct hb_range {
    char *name;          /* owned: of an operand ... */
    char *column;        /* ... its column of that name, owned; NULL: ... */
    uint64_t number;     /* ... its column of that number, from 1; 0: all columns that no other range is about */
    int64_t least, most; /* where both are integers; else 0 */
    hb_interval values;  /* the same; of reals where one is no integer */
    bool dates;          /* they were said as dates, and are days since 1970-01-01 */
    bool times, zoned;   /* they were said as times, of UTC or without a zone, and are seconds since then */
} hb_range;

/* "a=0..150" or "a=0..150,p.age=0..120,p.\"odd name\"=-3..3,p.3=0..1.5,p.day=2024-01-01..2024-12-31", dates of columns
 * alone. HB_EUSAGE with the word for anything else, for least > most, for a name that is there twice. *ranges:
 * allocated, free with hb_ranges_free; unchanged after a failure. */
hb_status hb_ranges_parse(const char *text, hb_range **ranges, uint32_t *count);
/* The same of the columns of one table, "0..150", "age=0..120,3=-5..5,\"odd name\"=0..1", all of whose ranges then have
 * the name HB_RANGE_TABLE. */
#define HB_RANGE_TABLE "the table"
hb_status hb_ranges_parse_columns(const char *text, hb_range **ranges, uint32_t *count);
void hb_ranges_free(hb_range *ranges, uint32_t count);
/* The left side of one of those: name, column and number of *range, which the caller clears with hb_ranges_free also
 * after a failure. False for anything else. */
bool hb_range_parse_name(const char *text, hb_range *range);

/* Return the range that a column of integers is known to have, and give it one; of values modulo several plain moduli
 * it stands in its wide ends. */
hb_interval hb_column_interval(const hb_column *column);
void hb_column_set_interval(hb_column *column, hb_interval values);
/* Returns the range that a column of a dataset, of integers or reals, is known to have. */
hb_interval hb_column_stored(const hb_column *column);
/* Returns the value of missing cells of a column that has a fill. */
hb_interval hb_column_fill(const hb_column *column);
/* Returns the values that a column of integers can have by its kind, in any table: places of labels, truth values,
 * digits to their base. Unknown for other columns. */
hb_interval hb_column_domain(const hb_column *column);

/* Returns the range of a value of these halves that lies in `values`: of its modulus, where it has both. */
hb_interval hb_halves_range(hb_halves halves, hb_interval values);

/* Applies the ranges to this operand. columns [operand->schema->columns]: cleared, filled with the ranges of single
 * columns, and borrowed by the operand. HB_EUSAGE for a column that it does not have, and for one named twice. */
hb_status hb_ranges_apply(const hb_range *ranges, uint32_t count, hb_operand *operand, hb_interval *columns);
/* HB_EUSAGE naming a range with ends that are no integers where the scheme's values are. */
hb_status hb_ranges_check_scheme(const hb_range *ranges, uint32_t count, hb_scheme scheme);
/* Appends operands with the declared ranges of assigned names (hb_operand: believed), behind *operand_count others: at
 * most as many as there are ranges, which suit the scheme (hb_ranges_check_scheme). assigns: NULL-terminated. */
void hb_ranges_believed(const hb_range *ranges, uint32_t count, char *const *assigns, hb_scheme scheme,
                        hb_operand *operands, uint32_t *operand_count);
/* The name of a range that none of the operands has; NULL: there is none. */
const char *hb_ranges_stranger(const hb_range *ranges, uint32_t count, const hb_operand *operands,
                               uint32_t operand_count);

/* Writes the text behind an operand's name that picks a column: ".age", ".\"odd name\"", ".3"; "" of a column without a
 * name that is the only one. */
void hb_column_word(char out[64], const hb_schema *schema, uint64_t column);

/* Operands and columns about which nothing is known, for people: "a, p.age" and "a=LEAST..MOST,p.age=LEAST..MOST". */
typedef struct hb_unranged {
    char names[128], option[256];
    uint32_t count;
} hb_unranged;
/* Adds the columns of an operand without a known range. known [schema->columns]: true for a column whose range is
 * known, or is not needed. */
void hb_unranged_add(hb_unranged *list, const hb_operand *operand, const bool *known);
/* Returns --range as a shell takes it, with the ranges that were given, or NULL, and others. Owned; NULL: no memory. */
char *hb_range_option(const char *given, const char *others);

#endif
