/* How a plain table is to be read: which columns, what their cells stand for, what becomes of cells that are missing.
 * What is said of columns is said by name, in the words of command lines. */
#ifndef HB_IO_TABLE_READING_H
#define HB_IO_TABLE_READING_H

#include "base/digest.h"
#include "io/base/schema.h"

/* What becomes of cells that are missing. */
typedef enum hb_missing {
    HB_MISSING_REFUSE,
    HB_MISSING_DROP, /* of the whole row */
    HB_MISSING_VALUE /* they are read as another text */
} hb_missing;

/* What is said of one column. */
typedef struct hb_column_reading {
    char *name;           /* owned */
    bool selected;        /* it was named among the columns to read */
    bool has_meaning;     /* its meaning is said; else it is found: numbers, dates, true or false */
    bool collects_labels; /* a category whose labels are those that the column has */
    hb_meaning meaning;   /* decimals are read exactly, and refused where the scale does not keep them */
    uint64_t digit_base;  /* it is read as digits to this base, each a column; 0: as it is */
    uint64_t digits;      /* so many; 0: as many as the largest number has */
    bool has_missing;     /* it is said what becomes of its missing cells: */
    hb_missing missing;
    char *replacement; /* HB_MISSING_VALUE: a text as another cell of the column may be; else NULL. Owned */
} hb_column_reading;

/* All that is said; what is all zero is nothing: every column is read, and what is missing is refused. */
typedef struct hb_reading {
    hb_column_reading *column; /* [count]; owned */
    size_t count;
    bool selects;          /* only selected columns are read, in the table's order; of a table that has none, all */
    bool columns_optional; /* of several tables: one may lack columns of which something is said */
    hb_missing missing;    /* of columns that do not say it themselves */
    char *replacement;     /* owned */
    char delimiter;        /* 0: found in the line of names */
} hb_reading;

/* What a command line says; NULL, or without texts: nothing. */
typedef struct hb_reading_words {
    const char *columns;           /* a,b,"odd, name" */
    const char *scale;             /* c=100,d=10 */
    const char *date;              /* a,b */
    const char *missing;           /* refuse, drop, VALUE, or COLUMN=... of them, with commas between */
    const char *const *categories; /* [category_count] sex, sex=f,m or "odd name"=f,"m, n" */
    uint32_t category_count;
    const char *const *digits; /* [digit_count] id=256, id=256,4 */
    uint32_t digit_count;
    const char *delimiter; /* one sign, or comma, semicolon, tab, pipe */
} hb_reading_words;

/* Understands the words of a command line; names and labels with other signs stand in double quotes, in which quotes
 * are doubled. The caller clears *out, also after a failure. HB_EUSAGE with what is wrong; HB_ENOMEM. */
hb_status hb_reading_parse(const hb_reading_words *words, hb_reading *out);
/* Says to read the columns of a schema, a plain table's (hb_schema_unpair), with their meanings. What is said already
 * stays. Of columns without names nothing is said. HB_ENOMEM. */
hb_status hb_reading_like(hb_reading *reading, const hb_schema *schema);
void hb_reading_clear(hb_reading *reading);
/* Returns what is said of a column of that name, which is the reading's, or NULL. */
const hb_column_reading *hb_reading_of(const hb_reading *reading, const char *name);
/* Returns whether anything is said that changes what is read. */
bool hb_reading_says(const hb_reading *reading);
/* Refuses what is said of columns that the table does not have. HB_EUSAGE. `names` [count] are those of all its
 * columns. */
hb_status hb_reading_check(const hb_reading *reading, const char *path, const char *const *names, uint64_t count);
/* Identifies all that is said. */
void hb_reading_digest(const hb_reading *reading, uint8_t digest[HB_DIGEST_BYTES]);
/* Returns whether a text stands for a cell that is missing: nothing, NA, N/A, NaN or null, in any letters. */
bool hb_text_is_missing(const char *text, size_t length);

#endif
