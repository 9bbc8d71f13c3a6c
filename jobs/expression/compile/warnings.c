/* What may go wrong with the values of a program that compiles. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression/graph/semantics.h"
#include "expression/program/range.h"
#include "outcome.h"
#include "scheme/codec.h"

#define MOST_WARNINGS 32

static hb_status warn(hb_program *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
static hb_status warn(hb_program *program, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (program->warning_count == MOST_WARNINGS) {
        return HB_OK;
    }
    char **warnings = realloc(program->warnings, (program->warning_count + 1) * sizeof *warnings);
    program->warnings = warnings != NULL ? warnings : program->warnings;
    char *copy = strdup(text);
    if (!warnings || !copy) {
        free(copy);
        return HB_FAIL(HB_ENOMEM, "no memory for the warnings about an expression");
    }
    warnings[program->warning_count++] = copy;
    return HB_OK;
}

/* The columns of an output whose values the scheme does not hold, taken together. */
static hb_status warn_of_output(hb_program *program, const hb_lowering *l, uint32_t output)
{
    const hb_graph *g = &l->graph;
    const hb_output *o = &program->outputs[output];
    const hb_symbol *symbol = hb_lower_find((hb_lowering *)l, o->name);
    hb_interval values = {.known = false};
    uint32_t first = 0, count = 0;
    bool is_signed = false;
    for (uint32_t i = 0; i < symbol->value.columns; i++) {
        const hb_node *node = &g->nodes[l->pool[symbol->value.first + i]];
        if (node->interval.known && !node->interval.real && !o->schema.column[i].ranged) {
            values = hb_interval_join(values, node->interval);
            is_signed |= o->schema.column[i].is_signed;
            first = count++ == 0 ? i : first;
        }
    }
    if (count == 0) {
        return HB_OK;
    }
    char column[64] = "", others[32] = "", can[HB_INTERVAL_TEXT], held[HB_INTERVAL_TEXT], bound[HB_CODEC_TEXT],
         text[900];
    if (o->schema.columns > 1) {
        hb_column_word(column, &o->schema, first);
    }
    if (count > 1) {
        snprintf(others, sizeof others, " and %" PRIu32 " more column%s", count - 1, count == 2 ? "" : "s");
    }
    hb_interval_text(can, values);
    hb_interval_text(held, hb_interval_held(g->spec, is_signed));
    hb_codec_bound_text(bound, g->spec);
    snprintf(
        text, sizeof text,
        "%.64s%s%s may leave the plain range: the values can be %s, and mod %s there are %s; what is outside wraps "
        "around; %s",
        o->name, column, others, can, bound, held, g->semantics->wider(values, is_signed));
    if (program->wraps == NULL && (program->wraps = strdup(text)) == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the warnings about an expression");
    }
    return warn(program, "%s", text);
}

/* One line for all operands about whose values nothing is known. */
static hb_status warn_of_unknown(hb_program *program, const hb_graph *g)
{
    hb_unranged list = {.count = 0};
    for (uint32_t i = 0; i < g->operand_count; i++) {
        const hb_operand *operand = &g->operands[i];
        bool unknown = false, *known = malloc((size_t)operand->schema->columns + 1);
        if (!known) {
            return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
        }
        memset(known, true, (size_t)operand->schema->columns); /* what is not used does not matter */
        for (uint32_t j = 0; j < g->count; j++) {
            const hb_node *node = &g->nodes[j];
            if (node->used && hb_operations[node->op].loads && node->operand == i &&
                node->column < operand->schema->columns) { /* what lies behind them are masks */
                known[node->column] = node->interval.known;
                unknown |= !node->interval.known;
            }
        }
        if (unknown) {
            hb_unranged_add(&list, operand, known);
        }
        free(known);
    }
    if (list.count == 0) {
        return HB_OK;
    }
    char bound[HB_CODEC_TEXT];
    hb_codec_bound_text(bound, g->spec);
    return warn(program,
                "the range of values is not known of %s, so results may wrap around mod %s unseen; to have it checked: "
                "--range %s",
                list.names, bound, list.option);
}

/* One line for two values whose columns have other names. */
static hb_status warn_of_match(hb_program *program, const hb_lowering *l, const hb_match *match)
{
    enum { MOST = 3 };
    char pairs[320] = "", where[48];
    uint32_t count = 0;
    hb_place(where, l->graph.syntax->text, match->item->at);
    if (!hb_columns_show_names(match->x, match->columns) || !hb_columns_show_names(match->y, match->columns)) {
        return warn(program, "columns are matched by position (%s): the two have other names", where);
    }
    for (uint32_t i = 0; i < match->columns && count <= MOST; i++) {
        const char *x = match->x[i].name, *y = match->y[i].name;
        if (strcmp(x, y) != 0) {
            const size_t used = strlen(pairs);
            if (count++ < MOST) {
                snprintf(pairs + used, sizeof pairs - used, "%s'%.40s' with '%.40s'", used == 0 ? "" : ", ", x, y);
            } else {
                strcpy(pairs + used, ", ..."); /* MOST pairs leave room */
            }
        }
    }
    return warn(program, "columns are matched by position (%s): %s", where, pairs);
}

hb_status hb_program_describe_warnings(hb_program *program, const hb_lowering *l)
{
    const hb_graph *g = &l->graph;
    if (!g->semantics->reals) { /* whose ranges are known, or they are refused */
        HB_TRY(warn_of_unknown(program, g));
    }
    for (uint32_t i = 0; i < l->match_count; i++) {
        HB_TRY(warn_of_match(program, l, &l->matches[i]));
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        HB_TRY(warn_of_output(program, l, i));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const hb_item *item = l->symbols[i].item;
        bool needed = l->symbols[i].read || item->again;
        for (uint32_t j = 0; j < program->output_count; j++) {
            needed |= program->outputs[j].at == item->at;
        }
        for (uint32_t j = 0; j < i && item->iterations > 0 && !needed; j++) { /* the next iteration may have read it */
            needed = l->symbols[j].item->at == item->at && l->symbols[j].read;
        }
        if (!needed) {
            char name[40], where[48];
            hb_place(where, g->syntax->text, item->at);
            hb_excerpt(name, sizeof name, g->syntax->text, item->word, item->word + item->word_length);
            HB_TRY(warn(program, "%s (%s) is neither used nor stored", name, where));
        }
    }
    return HB_OK;
}
