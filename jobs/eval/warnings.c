/* What may go wrong with the values of a program that compiles. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"

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

static bool leaves(const hb_graph *g, const hb_node *node, bool is_signed)
{
    return node->interval.known && !hb_interval_within(node->interval, hb_interval_plain(g->t, is_signed));
}

/* The oldest node that `node` is made of and whose values leave the plain range. */
static hb_status first_to_leave(const hb_graph *g, uint32_t node, uint32_t *out)
{
    bool *below = calloc(g->count, sizeof *below);
    if (!below) {
        return HB_FAIL(HB_ENOMEM, "no memory for the ranges of an expression");
    }
    *out = node;
    below[node] = true;
    for (uint32_t i = node + 1; i-- > 0;) {
        const hb_node *x = &g->nodes[i];
        if (!below[i]) {
            continue;
        }
        *out = leaves(g, x, x->interval.least < 0) ? i : *out;
        if (x->a != HB_NO_NODE) {
            below[x->a] = true;
        }
        if (x->b != HB_NO_NODE) {
            below[x->b] = true;
        }
    }
    free(below);
    return HB_OK;
}

static hb_status warn_of_output(hb_program *program, const hb_lowering *l, uint32_t output)
{
    const hb_graph *g = &l->graph;
    const hb_output *o = &program->outputs[output];
    const hb_symbol *symbol = hb_lower_find((hb_lowering *)l, o->name);
    for (uint32_t i = 0; i < symbol->value.columns; i++) {
        uint32_t at = l->pool[symbol->value.first + i];
        const bool is_signed = o->schema.column[i].is_signed;
        if (leaves(g, &g->nodes[at], is_signed)) {
            HB_TRY(first_to_leave(g, at, &at));
            const hb_node *node = &g->nodes[at];
            const hb_interval plain = hb_interval_plain(g->t, node->interval.least < 0);
            char what[64], where[48];
            hb_place(where, g->syntax->text, node->at);
            hb_excerpt(what, sizeof what, g->syntax->text, node->from, node->to);
            return warn(program,
                        "%s may leave the plain range: %s (%s) can be %" PRId64 " .. %" PRId64 ", and mod t = %" PRIu64
                        " there are %" PRId64 " .. %" PRId64 "; what is larger wraps around",
                        o->name, what, where, node->interval.least, node->interval.most, g->t, plain.least, plain.most);
        }
    }
    return HB_OK;
}

/* One line for all operands about whose values nothing is known. */
static hb_status warn_of_unknown(hb_program *program, const hb_graph *g)
{
    char names[128] = "";
    const char *one = NULL;
    for (uint32_t i = 0; i < g->operand_count; i++) {
        bool unknown = false;
        for (uint32_t j = 0; j < g->count && !unknown; j++) {
            const hb_node *node = &g->nodes[j];
            unknown = node->used && (node->op == HB_OP_LOAD || node->op == HB_OP_LOAD_PLAIN) && node->operand == i &&
                      !node->interval.known;
        }
        if (unknown) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%.32s", one == NULL ? "" : ", ", g->operands[i].name);
            one = one == NULL ? g->operands[i].name : one;
        }
    }
    return one == NULL ? HB_OK
                       : warn(program,
                              "the range of values is not known of %s, so results may wrap around mod t = %" PRIu64
                              " unseen; to have it checked: --range %.32s=LEAST..MOST",
                              names, g->t, one);
}

hb_status hb_program_describe_warnings(hb_program *program, const hb_lowering *l)
{
    const hb_graph *g = &l->graph;
    HB_TRY(warn_of_unknown(program, g));
    for (uint32_t i = 0; i < program->output_count; i++) {
        HB_TRY(warn_of_output(program, l, i));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const hb_item *item = l->symbols[i].item;
        bool needed = l->symbols[i].read;
        for (uint32_t j = 0; j < program->output_count; j++) {
            needed |= program->outputs[j].at == item->at;
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
