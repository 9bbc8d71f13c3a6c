/* Warnings about the values of a program that compiles. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ir/semantics.h"
#include "lang/program/interval_words.h"
#include "lang/program/range.h"
#include "notes.h"
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
    if (program->description.warning_count == MOST_WARNINGS) {
        return HB_OK;
    }
    char **warnings =
        realloc(program->description.warnings, (program->description.warning_count + 1) * sizeof *warnings);
    program->description.warnings = warnings != NULL ? warnings : program->description.warnings;
    char *copy = strdup(text);
    if (!warnings || !copy) {
        free(copy);
        return HB_FAIL(HB_ENOMEM, "no memory for the warnings about an expression");
    }
    warnings[program->description.warning_count++] = copy;
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
    const hb_meaning *meaning = NULL;
    for (uint32_t i = 0; i < symbol->value.columns; i++) {
        const hb_node *node = &g->nodes[l->pool[symbol->value.first + i]];
        if (node->range.interval.known && !node->range.interval.real && !o->schema.column[i].ranged) {
            values = hb_interval_join(values, node->range.interval);
            is_signed |= o->schema.column[i].is_signed;
            first = count++ == 0 ? i : first;
            const hb_meaning *own = &o->schema.column[i].meaning;
            meaning = first == i || (meaning != NULL && hb_meaning_same(meaning, own)) ? own : NULL;
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
    hb_interval_words_counted(can, values, meaning);
    hb_interval_words(held, hb_interval_held(g->spec, is_signed), meaning);
    hb_codec_bound_text(bound, g->spec);
    snprintf(text, sizeof text,
             "%.64s%s%s may leave the plain range: the values can be %s, and mod %s there are %s; others wrap "
             "around; %s",
             o->name, column, others, can, bound, held, g->semantics->wider(values, is_signed));
    if (program->description.wraps == NULL && (program->description.wraps = strdup(text)) == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the warnings about an expression");
    }
    return warn(program, "%s", text);
}

/* Lists the operands about whose values nothing is known, of nodes of which `asked` [g->count] is true. */
static hb_status list_unknown(const hb_graph *g, const bool *asked, hb_unranged *list)
{
    *list = (hb_unranged){.count = 0};
    for (uint32_t i = 0; i < g->operand_count; i++) {
        const hb_operand *operand = &g->operands[i];
        bool unknown = false, *known = malloc((size_t)operand->schema->columns + 1);
        if (!known) {
            return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
        }
        memset(known, true, (size_t)operand->schema->columns); /* unused columns do not matter */
        for (uint32_t j = 0; j < g->count; j++) {
            const hb_node *node = &g->nodes[j];
            const bool column = operand->spread > 0 ? node->op == HB_OP_SPREAD : hb_operations[node->op].loads;
            if (asked[j] && column && node->operand == i &&
                node->column < operand->schema->columns) { /* derived ones lie behind them */
                known[node->column] = node->range.interval.known;
                unknown |= !node->range.interval.known;
            }
        }
        if (unknown) {
            hb_unranged_add(list, operand, known);
        }
        free(known);
    }
    return HB_OK;
}

/* Marks the nodes that an output follows from: operands stand before their users. */
static void mark_sources(const hb_lowering *l, const hb_output *output, bool *asked)
{
    const hb_graph *g = &l->graph;
    const hb_value *value = &hb_lower_find((hb_lowering *)l, output->name)->value;
    memset(asked, false, g->count);
    for (uint32_t i = 0; i < value->columns; i++) {
        asked[l->pool[value->first + i]] = true;
    }
    for (uint32_t i = g->count; i > 0; i--) {
        const hb_node_list made_of = hb_node_operands(g, &g->nodes[i - 1]);
        for (uint32_t j = 0; asked[i - 1] && j < made_of.count; j++) {
            asked[made_of.node[j]] = true;
        }
    }
}

/* Notes the missing --range of the inputs of each output. */
static hb_status note_unranged(hb_program *program, const hb_lowering *l, bool *asked)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        hb_output *output = &program->outputs[i];
        hb_unranged list;
        mark_sources(l, output, asked);
        HB_TRY(list_unknown(&l->graph, asked, &list));
        output->unranged = list.count > 0 ? strdup(list.option) : NULL;
        if (list.count > 0 && output->unranged == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
        }
    }
    return HB_OK;
}

/* One line for all operands that are used. */
static hb_status warn_of_unknown(hb_program *program, const hb_facts *f, bool *asked)
{
    const hb_graph *g = f->graph;
    hb_unranged list;
    for (uint32_t i = 0; i < g->count; i++) {
        asked[i] = f->size[i].used;
    }
    HB_TRY(list_unknown(g, asked, &list));
    if (list.count == 0) {
        return HB_OK;
    }
    char bound[HB_CODEC_TEXT];
    hb_codec_bound_text(bound, g->spec);
    char *option = hb_range_option(NULL, list.option);
    const hb_status st =
        warn(program,
             "the range of values is not known of %s, so results may wrap around mod %s unseen; to have "
             "it checked: %s",
             list.names, bound, option != NULL ? option : "--range");
    free(option);
    return st;
}

/* For integers alone: ranges of reals are known, or they are refused. */
static hb_status describe_unknown(hb_program *program, const hb_lowering *l, const hb_facts *f)
{
    bool *asked = calloc((size_t)l->graph.count + 1, sizeof *asked);
    if (asked == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
    }
    hb_status st = note_unranged(program, l, asked);
    st = st == HB_OK ? warn_of_unknown(program, f, asked) : st;
    free(asked);
    return st;
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

/* Warns of a condition that is always or never true: its author meant another one. */
static hb_status warn_of_settled(hb_program *program, const hb_lowering *l, uint32_t i)
{
    char text[HB_SETTLED_TEXT], where[48];
    hb_place(where, l->graph.syntax->text, l->notes.settled[i].item->at);
    hb_lower_settled_text(text, l, i);
    return warn(program, "%s (%s), as far as ranges are known", text, where);
}

static hb_status warn_of_ones(hb_program *program, const hb_lowering *l, uint32_t i)
{
    const hb_item *item = l->notes.ones[i];
    char text[64], where[48];
    hb_place(where, l->graph.syntax->text, item->at);
    hb_excerpt(text, sizeof text, l->graph.syntax->text, item->from, item->to);
    return warn(program, "%s (%s) counts the ones of numbers 0 and 1, and of other numbers it would count the rows",
                text, where);
}

/* Warns where bits are lost that more levels of an input would keep. */
static hb_status warn_of_lowest(hb_program *program, const hb_graph *g)
{
    const hb_operand *low = NULL;
    for (uint32_t i = 0; hb_graph_bootstraps_lowest(g) && i < g->operand_count; i++) {
        const hb_operand *x = &g->operands[i];
        low = x->encrypted && (low == NULL || x->limbs < low->limbs) ? x : low;
    }
    if (low == NULL) {
        return HB_OK;
    }
    return warn(
        program,
        "values are bootstrapped from the lowest level and so have fewer bits, as %.40s has %u of %u limbs: inputs "
        "encrypted with more --levels, or stored with --compact off, keep more",
        low->name, low->limbs, hb_params_fresh_limbs(g->params));
}

hb_status hb_program_describe_warnings(hb_program *program, const hb_lowering *l, const hb_facts *f)
{
    const hb_graph *g = &l->graph;
    HB_TRY(warn_of_lowest(program, g));
    HB_TRY(g->semantics->reals ? HB_OK : describe_unknown(program, l, f));
    for (uint32_t i = 0; i < hb_lower_types(l)->match_count; i++) {
        HB_TRY(warn_of_match(program, l, &hb_lower_types(l)->matches[i]));
    }
    for (uint32_t i = 0; i < l->notes.settled_count; i++) {
        HB_TRY(warn_of_settled(program, l, i));
    }
    for (uint32_t i = 0; i < l->notes.ones_count; i++) {
        HB_TRY(warn_of_ones(program, l, i));
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        HB_TRY(warn_of_output(program, l, i));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const hb_item *item = l->symbols[i].item;
        const hb_iteration iteration = l->symbols[i].iteration;
        bool needed = l->symbols[i].read || iteration.again;
        for (uint32_t j = 0; j < program->output_count; j++) {
            needed |= program->outputs[j].at == item->at;
        }
        for (uint32_t j = 0; j < i && iteration.of > 0 && !needed; j++) { /* the next iteration may have read it */
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
