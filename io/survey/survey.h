/* Surveys a CSV before options say how to read it: the kind of cells that each column has. Rank-local. */
#ifndef HB_IO_SURVEY_SURVEY_H
#define HB_IO_SURVEY_SURVEY_H

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "io/table/csv_columns.h"
#include "io/table/reading.h"

/* The kind of all cells of a column, but for missing ones. */
typedef enum hb_survey_kind {
    HB_SURVEY_SAID, /* the options say it */
    HB_SURVEY_INTEGERS,
    HB_SURVEY_DECIMALS, /* some have digits behind the point */
    HB_SURVEY_TRUTHS,
    HB_SURVEY_DATES,
    HB_SURVEY_TIMES, /* dates with times of day, of which some are not midnight */
    HB_SURVEY_TEXTS,
    HB_SURVEY_MIXED /* no reading takes all of them */
} hb_survey_kind;

enum { HB_SURVEY_WORDS = 96, HB_SURVEY_ODD = 288 };
typedef struct hb_survey_column {
    char name[HB_COLUMN_NAME_MAX + 1];
    hb_survey_kind kind;
    bool percent;                      /* its decimals are numbers with a percent sign, all of them */
    bool day;                          /* some cells are written as dates in another form */
    bool mostly_words;                 /* of kind MIXED: most cells begin with letters */
    int digits;                        /* of decimals: most digits behind the point */
    hb_time_unit unit;                 /* of times: the largest in which all are whole */
    uint64_t missing;                  /* cells, those with `words` as well */
    uint64_t named;                    /* of texts: missing cells that a word says to be so, but one of --na, ... */
    char missing_word[HB_CSV_NA_TEXT]; /* ... the first such word */
    uint64_t zeros;                    /* of texts: numbers with zeros in front, which are labels */
    char odd[HB_SURVEY_ODD];           /* of kind MIXED: a cell that differs, "row 3 (line 4) has letters"; or "" */
    const char *why;                   /* the reason in it, of csv_reasons.h; NULL: none is known */
    char odd_text[HB_CSV_WRONG_TEXT];  /* its text, as much as there is room for: its owner alone may see it; or "" */
    char doubt[HB_CSV_PLACE];          /* of its first number whose point may stand between thousands, where nothing
                                       * says how points are meant, "row 1 (line 2)"; else "" */
    hb_spellings spellings;            /* what options have read of its cells, and ... */
    uint64_t na;                       /* ... which texts of --na they have, as hb_column_notes says both */
    uint64_t folded;             /* cells that are read as another spelling of their label; a survey does not ... */
    bool has_labels;             /* ... know it, nor whether the cells are labels: the caller may set both */
    char words[HB_SURVEY_WORDS]; /* texts among numbers that mean missing cells, as --na takes them: unknown,? */
} hb_survey_column;

/* All columns of a table, in its order; behind them the columns that options make of them, of kind SAID. */
typedef struct hb_survey {
    hb_survey_column *column; /* [columns] */
    uint64_t columns;         /* 0: the table has another form, whose cells have types */
    uint64_t rows;            /* of all its files; 0 where it has no columns */
    uint64_t points;          /* numbers, where nothing says how points are meant, that show it: before fractions */
    char decimal;             /* the sign in front of fractions that was found; 0: as the options say */
    char date[HB_DATE_FORM];  /* the order of dates that was found; "": as the options say */
} hb_survey;

/* Looks at a table with options, or at the tables of a pattern; there are no options for missing cells, nor for the
 * columns to read, and options about columns that the table lacks are allowed. Texts among numbers mean missing cells
 * where all of them are words for that. Where cells are written in another form than the options say, and only one form
 * reads more columns and changes none that could be read, the survey is of that form. A point that stands before a
 * fraction in one column tells the meaning of points that may stand between thousands in another. Failures of
 * hb_table_open_as, but none about a single column. The caller clears *survey, also after a failure. */
hb_status hb_table_survey(const char *name, const hb_reading *reading, hb_survey *survey);

/* Wipes texts of cells, too. */
static inline void hb_survey_clear(hb_survey *survey)
{
    if (survey->column != NULL) {
        hb_wipe(survey->column, (size_t)survey->columns * sizeof *survey->column);
    }
    free(survey->column);
    *survey = (hb_survey){0};
}

/* Joins the findings about a column with those about its cells in another file or table: of kind MIXED where no
 * reading takes the cells of both. */
void hb_survey_join(hb_survey_column *to, const hb_survey_column *from);
/* Returns whether a list of words, with commas between them, has this one of `length` bytes. */
static inline bool hb_survey_has_word(const char *list, const char *word, size_t length)
{
    bool found = false;
    while (*list != '\0' && !found) {
        const size_t own = strcspn(list, ",");
        found = own == length && strncmp(list, word, length) == 0;
        list += own + (list[own] == ',');
    }
    return found;
}
/* Returns the column of that name, or NULL. */
static inline const hb_survey_column *hb_survey_find(const hb_survey *survey, const char *name)
{
    uint64_t c = 0;
    while (c < survey->columns && strcmp(survey->column[c].name, name) != 0) {
        c++;
    }
    return c < survey->columns ? &survey->column[c] : NULL;
}

#endif
