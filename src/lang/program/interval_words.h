/* Ranges of columns in the words of their meaning: labels, dates and decimals as the user wrote them, not the stored
 * integers. */
#ifndef HB_LANG_PROGRAM_INTERVAL_WORDS_H
#define HB_LANG_PROGRAM_INTERVAL_WORDS_H

#include "interval.h"
#include "table/meaning.h"

/* Writes a known interval as "-0.3 .. 4.5", "'2024-01-01' .. '2024-03-01'" or "'ICU' .. 'ER'", and as hb_interval_text
 * does where the meaning has no words for an end, or is NULL. One value is written alone. */
void hb_interval_words(char out[HB_INTERVAL_TEXT], hb_interval a, const hb_meaning *meaning);
/* The same where it matters how many values there are: "-0.3 .. 4.5 with 1 digit behind the point". */
void hb_interval_words_counted(char out[HB_INTERVAL_TEXT], hb_interval a, const hb_meaning *meaning);
/* Writes it as --range has it: "-0.3..4.5", "2024-01-01..2024-03-01"; labels and truth values have numbers there. */
void hb_interval_meant_option(char out[HB_INTERVAL_OPTION], hb_interval a, const hb_meaning *meaning);

#endif
