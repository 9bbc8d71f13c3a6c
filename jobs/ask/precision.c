/* How exact the results of a job are, said to people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/outward.h"
#include "cli/console.h"
#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/place.h"
#include "lang/text/syntax.h"

/* Writes the error of so many bits, rounded up to two digits, as people write it. */
static void put_error(char *out, size_t bytes, const json_t *bits, const char *none)
{
    enum { MOST_DIGITS = 9 };
    const double error = json_is_number(bits) ? hb_significant_up(exp2(-json_number_value(bits)), 2) : INFINITY;
    const int digits = error < 1 ? (int)ceil(-log10(error)) + 1 : error < 10 ? 1 : 0;
    if (!isfinite(error)) {
        snprintf(out, bytes, "%s", none);
    } else if (digits > MOST_DIGITS || error >= 1e15) {
        snprintf(out, bytes, "%.1e", error);
    } else {
        snprintf(out, bytes, "%.*f", digits, error);
    }
}

/* Whether an item, with all that it is made of, is computed on integers: linear forms of columns are exact there. */
static bool is_of_integers(const hb_item *item)
{
    bool of_integers = true;
    for (const hb_item *part = item - item->size + 1; part <= item; part++) {
        of_integers = of_integers && !(part->kind == HB_ITEM_CALL && part->call->reals != NULL) &&
                      part->kind != HB_ITEM_DIVIDE && !(part->kind == HB_ITEM_NUMBER && part->imaginary);
    }
    return of_integers;
}

/* Writes an item as the question has it. */
static void take_words(const hb_asked_job *job, const hb_item *item, char *to, size_t bytes)
{
    const uint32_t *origin = job->question.origin;
    hb_excerpt(to, bytes, job->options->question, origin[item->from], origin[item->to - 1] + 1);
}

/* Writes the exact form of a comparison of reals: without the sigmoid, or alone in a question of integers. */
static bool find_exact_form(const hb_asked_job *job, const hb_item *item, char *form, size_t bytes)
{
    const bool ordered = item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_GREATER_EQUAL;
    const hb_item *left = ordered ? hb_item_operand(item, 0) : NULL, *right = ordered ? hb_item_operand(item, 1) : NULL;
    static const char *const signs[] = {
        [HB_ITEM_LESS] = "<", [HB_ITEM_GREATER] = ">", [HB_ITEM_LESS_EQUAL] = "<=", [HB_ITEM_GREATER_EQUAL] = ">="};
    if (!ordered) {
        return false;
    }
    if (is_of_integers(left) && is_of_integers(right)) {
        take_words(job, item, form, bytes);
        return true;
    }
    const bool half = right->kind == HB_ITEM_NUMBER && strtod(job->question.text + right->from, NULL) == 0.5;
    if (left->kind != HB_ITEM_CALL || strcmp(left->call->name, "sigmoid") != 0 || left->arguments != 1 || !half ||
        !is_of_integers(hb_item_operand(left, 0))) {
        return false;
    }
    const hb_item *of = hb_item_operand(left, 0);
    take_words(job, of, form, bytes - 8);
    snprintf(form + strlen(form), bytes - strlen(form), " %s 0", signs[item->kind]);
    return true;
}

/* Names the comparisons of a question of reals that integers decide exactly. */
static void say_exact_forms(const hb_asked_job *job)
{
    hb_syntax syntax = {0};
    char form[200];
    if (hb_syntax_parse(&syntax, job->question.text, hb_lang_functions) == HB_OK) {
        for (uint32_t i = 0; i < syntax.count; i++) {
            if (find_exact_form(job, &syntax.items[i], form, sizeof form)) {
                hb_console_log(job->group, job->common,
                               "exact: a question with %s, and without divisions and functions of reals, decides every "
                               "row",
                               form);
            }
        }
    }
    hb_syntax_clear(&syntax);
    hb_clear_error();
}

void hb_asked_say_precision(const hb_asked_job *job)
{
    bool undecided_rows = false;
    for (uint32_t i = 0; i < job->plan.decrypts; i++) {
        const hb_asked_command *result = &job->plan.decrypt[i];
        char proven[48], expected[48], undecided[96] = "";
        if (result->precision == NULL) {
            continue;
        }
        if (result->gap > 0) {
            snprintf(undecided, sizeof undecided,
                     " but for rows whose value is within %.2g of a threshold, which are not decided",
                     hb_significant_up(result->gap, 2));
        }
        put_error(proven, sizeof proven, json_object_get(result->precision, "proven"), "nothing");
        put_error(expected, sizeof expected, json_object_get(result->precision, "expected"), "nothing");
        const bool alone = job->plan.decrypts == 1;
        hb_console_log(job->group, job->common, "%s is approximate: %sright to %s proven, %s expected%s",
                       alone ? "the answer" : result->name,
                       result->parts ? "the sums and counts of which it is made are " : "", proven, expected,
                       undecided);
        undecided_rows = undecided_rows || result->gap > 0;
    }
    if (undecided_rows) {
        say_exact_forms(job);
    }
}
