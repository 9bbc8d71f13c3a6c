#include "recompute_words.h"

#include <stdlib.h>
#include <string.h>

#include "lang/text/binding.h"

enum { SAID = 1 }; /* the expression is an operand of eval */

void hb_recompute_options(hb_option rows[HB_RECOMPUTE_OPTIONS], hb_recompute_words *words)
{
    const hb_option own[] = {
        {"recompute", 0, HB_OPTION_TEXT, &words->expression, "EXPR",
         "of a part: NAME=FILE inputs make the same again; or the JOB.json of eval"},
        {"keys", 0, HB_OPTION_TEXT, &words->keys, "DIR", "of --recompute: the keys that eval took"},
        {"range", 0, HB_OPTION_TEXT, &words->range, "NAME=LO..HI,...", "of --recompute: as eval had it"},
        {"noise", 0, HB_OPTION_TEXT, &words->noise, "BOUND", "of --recompute: as eval had it (default: worst)"},
        {"compact", 0, HB_OPTION_TEXT, &words->compact, "BITS",
         "of --recompute: as eval had it (default: as the dataset has it, 10 or off)"}};
    _Static_assert(sizeof own / sizeof *own == HB_RECOMPUTE_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

/* Whether an option stands on the line, and is no variable. */
static bool is_said(const char *value, const char *variable)
{
    return value != NULL && value != getenv(variable);
}

hb_status hb_recompute_check(const hb_recompute_words *words)
{
    const bool said = is_said(words->keys, "HEBATCH_KEYS") || is_said(words->range, "HEBATCH_RANGE") ||
                      is_said(words->noise, "HEBATCH_NOISE") || is_said(words->compact, "HEBATCH_COMPACT");
    return said && words->expression == NULL
               ? HB_FAIL(HB_EUSAGE, "--keys, --range, --noise and --compact are of --recompute: give --recompute "
                                    "'EXPRESSION', or leave them out")
               : HB_OK;
}

static bool is_binding(const char *word)
{
    hb_binding binding;
    const bool is = hb_binding_parse(word, &binding) == HB_OK;
    hb_binding_clear(&binding);
    return is;
}

hb_status hb_recompute_sort_operands(char **operands, size_t count, size_t *bindings)
{
    *bindings = 0;
    for (size_t i = 0; i < count; i++) {
        char *const word = operands[i];
        if (is_binding(word)) {
            memmove(operands + *bindings + 1, operands + *bindings, (i - *bindings) * sizeof *operands);
            operands[(*bindings)++] = word;
        }
    }
    return count - *bindings == 2 ? HB_OK
                                  : HB_FAIL(HB_EUSAGE,
                                            "--recompute takes NAME=FILE of inputs, and IN.heb OUT.part: %zu words of "
                                            "these two are there",
                                            count - *bindings);
}

hb_status hb_recompute_line(const hb_recompute_words *words, char *const *operands, size_t bindings, hb_words *line)
{
    hb_option rows[HB_RECOMPUTE_OPTIONS];
    hb_recompute_words own = *words;
    hb_recompute_options(rows, &own);
    HB_TRY(hb_words_add(line, "eval"));
    HB_TRY(hb_words_add_rows(line, rows + SAID, HB_RECOMPUTE_OPTIONS - SAID));
    HB_TRY(hb_words_add(line, "--"));
    HB_TRY(hb_words_add(line, words->expression));
    for (size_t i = 0; i < bindings; i++) {
        HB_TRY(hb_words_add(line, operands[i]));
    }
    return HB_OK;
}
