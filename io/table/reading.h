/* How to read a plain table: which columns, the meaning of their cells, and the treatment of missing cells. Options
 * name columns, in the words of command lines. */
#ifndef HB_IO_TABLE_READING_H
#define HB_IO_TABLE_READING_H

#include "base/digest.h"
#include "base/quoted.h"
#include "dialect.h"
#include "table/derivation.h"
#include "table/schema.h"

/* The treatment of missing cells. */
typedef enum hb_missing {
    HB_MISSING_REFUSE,
    HB_MISSING_DROP,  /* with the whole row */
    HB_MISSING_VALUE, /* they are read as another text */
    HB_MISSING_MASK   /* they are read as the fill (hb_table_set_fills), and another column tells which they are */
} hb_missing;

/* The kind of a text's first line. */
typedef enum hb_first_line {
    HB_FIRST_LINE_NAMES, /* the names of the columns; a line of numbers is refused, unless options name such columns */
    HB_FIRST_LINE_SAID,  /* names, whatever they are */
    HB_FIRST_LINE_ROW    /* a row: columns are called column1 and on */
} hb_first_line;

/* The options for one column. */
typedef struct hb_column_reading {
    char *name;           /* owned */
    bool selected;        /* it was named among the columns to read */
    bool implied;         /* not given by the user: a table need not have such a column */
    bool has_meaning;     /* its meaning is given; else it is found: numbers, dates, true or false */
    bool is_alike;        /* its meaning is that of a dataset's column */
    bool percent;         /* its numbers have percent signs, and are hundredths */
    bool folds;           /* labels that differ by capitals and blanks alone are one */
    bool collects_labels; /* a category whose labels are all texts of the column */
    hb_meaning meaning;   /* decimals are read exactly, and refused where the scale does not hold them */
    uint64_t digit_base;  /* it is split into digits to this base, each a column; 0: it is not */
    uint64_t digits;      /* number of digits; 0: as many as the largest number has */
    bool has_missing;     /* the treatment of its missing cells is given: */
    hb_missing missing;
    bool masked;                  /* it has a mask, whatever its missing cells are read as */
    char *replacement;            /* HB_MISSING_VALUE: a text that a cell of the column may have; else NULL. Owned */
    const hb_derivation *derives; /* a column is derived from it, and it is read for that alone; else NULL. Borrowed */
    bool has_decimal;             /* the sign in front of its fractions is given: */
    char decimal;                 /* a point or a comma, as that of hb_dialect */
    bool has_times;               /* the times of day that it has are given: */
    hb_times times;
    char *na;        /* further texts that mean its missing cells, as those of hb_dialect; NULL: none. Owned */
    size_t na_bytes; /* of all of them */
} hb_column_reading;

/* The options of a command line; NULL, or without texts: none. */
typedef struct hb_reading_words {
    const char *columns;           /* a,b,"odd, name" */
    const char *scale;             /* c=100,d=10 */
    const char *date;              /* a,b */
    const char *missing;           /* refuse, drop, mask, VALUE, or COLUMN=... with one of these, separated by commas */
    const char *const *categories; /* [category_count] sex, sex=f,m or "odd name"=f,"m, n" */
    uint32_t category_count;
    const char *const *digits; /* [digit_count] id=256, id=256,4 */
    uint32_t digit_count;
    const char *const *derive; /* [derive_count] decade=bin(age, 0..9, 10..19), age65=age >= 65 */
    uint32_t derive_count;
    const char *header;      /* names or none */
    const char *delimiter;   /* one sign, or comma, semicolon, tab, pipe */
    const char *decimal;     /* point or comma, or COLUMN=... with one of these, .. */
    const char *date_format; /* d.m.y, m/d/y, .. */
    const char *const *na;   /* [na_count] ?,unknown,"not known", or COLUMN= and those of a column, .. */
    uint32_t na_count;
    const char *fold;        /* all, or a,b */
    const char *percent;     /* a,b */
    const char *time_of_day; /* refuse, drop, seconds, minutes, hours, or COLUMN=... with one of these, .. */
    const char *charset;     /* utf-8, latin-1, windows-1252 or utf-16 */
    bool round, follow_files;
} hb_reading_words;

/* Returns the texts in a word of --na: those behind COLUMN=, or, of all columns, the whole word. */
static inline const char *hb_na_texts(const char *word)
{
    size_t length = 0;
    const bool quoted = word[0] == '"' && hb_quoted_length(word + 1, '"', &length);
    const char *behind = quoted ? word + length + 2 : word + strcspn(word, ",=");
    return *behind == '=' ? behind + 1 : word;
}
/* Returns the only word of --na where it is of all columns, and a list can go on behind it; else NULL. */
static inline const char *hb_na_of_all(const char *const *na, uint32_t count)
{
    return count == 1 && hb_na_texts(na[0]) == na[0] ? na[0] : NULL;
}

struct hb_csv_column;

/* Ranks that open the same table with the same options, each of which looks at a part of a CSV. The functions are
 * collective, and return the same status on all ranks. */
typedef struct hb_reading_ranks {
    uint64_t rank, count;
    hb_status (*agree)(void *context, hb_status mine);
    hb_status (*tell)(void *context, void *data, size_t bytes, uint64_t root); /* all ranks what one has */
    void *context;
} hb_reading_ranks;

/* Gets all columns of a CSV after one look at its cells, in the place of deciding how they are read: the table that is
 * opened then has no values. NULL: they are decided. */
typedef struct hb_reading_survey {
    hb_status (*take)(void *context, const hb_schema *schema, const struct hb_csv_column *columns);
    void *context;
} hb_reading_survey;

/* All options. Zeroed: none, so every column is read, and missing cells are refused. */
typedef struct hb_reading {
    hb_reading_words said;     /* what was parsed: advice repeats it. Borrowed, as long as a table is opened with it */
    bool may_mask;             /* advice proposes masks for missing cells: the table is encrypted as a new dataset */
    hb_column_reading *column; /* [count]; owned */
    size_t count;
    bool selects; /* only selected columns are read, in the table's order; of a table that has none of them, all */
    bool columns_optional; /* of several tables: one may lack columns with options */
    bool
        no_mask; /* --missing mask was said for a dataset that exists: columns without a mask there refuse such cells */
    bool few_masks;      /* a column without missing cells gets no mask, although its missing cells would */
    bool needs_all;      /* selected columns are needed: advice leaves none out */
    bool unread_allowed; /* columns that are not selected may have a meaning, which is not used */
    bool folds;          /* those of all categories are */
    hb_missing missing;  /* of columns without a treatment of their own */
    char *replacement;   /* owned */
    char delimiter;      /* 0: found in the line of names */
    hb_first_line header;
    hb_dialect dialect;
    hb_derivations derived; /* derived columns; owned */
    bool fixed;             /* columns and meanings are those of a dataset: no others can be chosen */
    bool grows;             /* labels may be added after those of its categories */
    const char *table_name; /* the table's name in expressions; NULL: none. Borrowed */
    bool follows_files;     /* data of HDF5 tables may be in other files than the named one */
    /* Asked while waiting for a process that reads a table: a failure ends the reading with it. Any thread may call it;
     * NULL: not asked. */
    hb_status (*stopped)(void);
    hb_reading_survey survey;
    const hb_reading_ranks *ranks; /* NULL: this one reads alone. Borrowed while a table is opened */
} hb_reading;

/* Parses the options; names and labels with other characters stand in double quotes, in which quotes are doubled. The
 * caller clears *out, also after a failure. HB_EUSAGE with the fault; HB_ENOMEM. */
hb_status hb_reading_parse(const hb_reading_words *words, hb_reading *out);
/* Sets *out to the options for a column of that name, which it adds where there are none. They are owned by the reading
 * and valid until the next ones are added. HB_EUSAGE for too many columns; HB_ENOMEM. */
hb_status hb_reading_called(hb_reading *reading, const char *name, hb_column_reading **out);
/* Adds options to read the columns of a schema, a plain table's (hb_schema_unpair), with their meanings; the reading is
 * fixed from then on. A given meaning stays. Columns without names are called column1 and on, and a table may have
 * other names. Columns of the schema with a mask get one. HB_EUSAGE where the options ask for a mask that the schema
 * does not have; HB_ENOMEM. */
hb_status hb_reading_like(hb_reading *reading, const hb_schema *schema);
void hb_reading_clear(hb_reading *reading);
/* Returns the name of a table's column, counted from 0: its own, or column1 and so on, written into `room`, where it
 * has none. */
#define HB_READING_NAME 32
const char *hb_reading_name(const hb_schema *schema, uint64_t column, char room[HB_READING_NAME]);
/* Returns the options for a column of that name, owned by the reading, or NULL. */
const hb_column_reading *hb_reading_of(const hb_reading *reading, const char *name);
/* The treatment of missing cells of one column. A view. */
typedef struct hb_missing_reading {
    hb_missing missing;
    bool masked;             /* the column has a mask, also where no cell is missing */
    const char *replacement; /* HB_MISSING_VALUE: as of hb_column_reading */
} hb_missing_reading;
/* Returns the treatment for a column with the options `how`, or NULL. */
hb_missing_reading hb_reading_missing(const hb_reading *reading, const hb_column_reading *how);
/* Returns whether labels of a column with the options `how`, or NULL, are folded. */
static inline bool hb_reading_folds(const hb_reading *reading, const hb_column_reading *how)
{
    return reading->folds || (how != NULL && how->folds);
}
/* Returns whether --na says that a text means a missing cell, in all columns or in that of this name. */
static inline bool hb_reading_says_na(const hb_reading *reading, const char *name, const char *text)
{
    const hb_column_reading *how = hb_reading_of(reading, name);
    const hb_dialect own = {.missing = how != NULL ? how->na : NULL, .missing_bytes = how != NULL ? how->na_bytes : 0};
    return hb_dialect_is_said(&reading->dialect, text, strlen(text)) || hb_dialect_is_said(&own, text, strlen(text));
}
/* Returns whether any option changes the columns or cells that are read. */
bool hb_reading_says(const hb_reading *reading);
/* Refuses options for columns that the table does not have. HB_EUSAGE. `names` [count] are those of all its columns. */
hb_status hb_reading_check(const hb_reading *reading, const char *path, const char *const *names, uint64_t count);
/* Refuses options of several tables for a column of that name, which none of them has. HB_EUSAGE. */
hb_status hb_reading_refuse_column(const char *name);
/* Computes a digest of all options. */
void hb_reading_digest(const hb_reading *reading, uint8_t digest[HB_DIGEST_BYTES]);
#endif
