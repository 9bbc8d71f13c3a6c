/* A question as people ask it: results without a name and columns without their table get one, as the language has it.
 * Rank-local. */
#ifndef HB_ASK_QUESTION_H
#define HB_ASK_QUESTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/survey/survey.h"

/* A table of a question. */
typedef struct hb_asked_table {
    char *name, *path; /* owned; name: that of the command line, or one that nothing else has */
    hb_survey survey;  /* owned */
    bool plain;        /* eval reads it as it is: it stands before an @, or is looked up in */
    bool whole;        /* all its columns are read */
    bool read;         /* the question reads it */
    bool *picked;      /* [columns of the survey] the question reads it; owned */
    bool *source;      /* [columns of the survey] --derive makes a picked one of it; NULL: unknown; owned */
} hb_asked_table;

/* Whether the question has a column of the survey; and whether that is read, for itself or to make others. */
static inline bool hb_asked_is_picked(const hb_asked_table *table, uint64_t column)
{
    return table->read && (table->whole || table->picked[column]);
}
static inline bool hb_asked_is_read(const hb_asked_table *table, uint64_t column)
{
    return table->read && (table->whole || table->picked[column] || (table->source != NULL && table->source[column]));
}

typedef struct hb_question {
    hb_asked_table *table; /* [tables]; owned */
    uint32_t tables;
    bool lone;        /* the one table has no name on the command line */
    bool corrected;   /* the refusal of a column says the whole question with another one */
    bool unread;      /* it is refused as it does not read one of its tables */
    char *join;       /* the call that would read that table; NULL: none is known; owned */
    bool reals;       /* it has a function of reals or a division, which integers have not */
    char *text;       /* in the words of the language; owned */
    uint32_t *origin; /* [bytes of the text + 1] the byte of the question that each stands for; owned */
    char **results;   /* [result_count] names that nothing later reads; owned */
    uint32_t result_count;
} hb_question;

/* Reads a question about the tables of a command line, NAME=FILE or, of one table, FILE: looks at their columns, with
 * the options for reading them, and sets all members. HB_EUSAGE, with the place, for a text that is no expression, for
 * columns and tables that do not exist, with the nearest that do, and for words that are no tables; HB_ENOMEM; failures
 * of hb_table_survey. The caller clears *question, also after a failure. */
hb_status hb_question_read(hb_question *question, const char *said, const hb_reading *reading, char *const *words,
                           size_t count);
/* tables.c: takes the names and paths of the tables, NAME=FILE or, of one, FILE. HB_EUSAGE, HB_ENOMEM. */
hb_status hb_question_take_tables(hb_question *question, char *const *words, size_t count);
static inline void hb_question_clear(hb_question *question)
{
    for (uint32_t i = 0; question->table != NULL && i < question->tables; i++) {
        free(question->table[i].name);
        free(question->table[i].path);
        free(question->table[i].picked);
        free(question->table[i].source);
        hb_survey_clear(&question->table[i].survey);
    }
    for (uint32_t i = 0; question->results != NULL && i < question->result_count; i++) {
        free(question->results[i]);
    }
    free(question->table);
    free(question->results);
    free(question->join);
    free(question->text);
    free(question->origin);
    *question = (hb_question){0};
}

#endif
