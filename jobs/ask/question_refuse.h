/* The names of tables and columns in a question, and their refusals (question_refuse.c). Rank-local. */
#ifndef HB_ASK_QUESTION_REFUSE_H
#define HB_ASK_QUESTION_REFUSE_H

#include "base/quoted.h"
#include "lang/text/syntax.h"
#include "question.h"

/* A question whose names are read. */
typedef struct hb_asked_names {
    hb_question *question;
    const hb_syntax *syntax; /* of a text that was made of the question ... */
    const uint32_t *origin;  /* ... and for each byte of it the byte of the question that it is, or stands before */
    const char **near;       /* [columns of all tables + 1] room for the names that may be meant; owned by the caller,
                              * while the names belong to the tables. A refusal fills it anew */
} hb_asked_names;

/* Returns the column of a table that the word of an item names; NULL: it has none. */
static inline const hb_survey_column *hb_asked_column(const hb_survey *survey, const hb_syntax *s, const hb_item *item)
{
    uint64_t c = 0;
    while (c < survey->columns && !hb_quoted_is(s->text + item->word, item->word_length, survey->column[c].name)) {
        c++;
    }
    return c < survey->columns ? &survey->column[c] : NULL;
}

/* Refuses a word that should be a column of `table`, or, with NULL, of any table. A word that is near to no column may
 * be a text. Always HB_EUSAGE. */
hb_status hb_asked_no_column(hb_asked_names *n, const hb_item *item, const hb_asked_table *table);
/* Refuses a column that stands alone beside several tables, and says which table has it. Always HB_EUSAGE. */
hb_status hb_asked_no_table(hb_asked_names *n, const hb_item *item);
/* Refuses a question that reads no column, and lists the columns that there are. Always HB_EUSAGE. */
hb_status hb_asked_reads_nothing(hb_asked_names *n);

#endif
