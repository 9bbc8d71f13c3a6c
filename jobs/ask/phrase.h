/* Questions that people ask in other words: SQL, plain English, names of functions that other languages have. Rank-
 * local. */
#ifndef HB_ASK_PHRASE_H
#define HB_ASK_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A column that a question can read. */
typedef struct hb_phrase_column {
    const char *name;
    char *written; /* as the language has it: age, h.age, "body weight" */
    bool missing;  /* cells are missing */
} hb_phrase_column;

/* Writes a question that is none of the language, as "select avg(age) from t group by ward", in the words of the
 * language: "groupby(ward, mean(age))". *text, owned, is NULL where the words say too little: it is a proposal, which
 * the caller checks. An order and a limit of the rows of an answer are left out. HB_ENOMEM. */
hb_status hb_phrase_find(const char *said, const hb_phrase_column *columns, size_t count, char **text);

#endif
