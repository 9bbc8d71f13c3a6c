/* Expressions as graphs, over tables of the test's own: nothing is encrypted, and nothing is emitted. */
#ifndef HB_TESTS_LOWERED_H
#define HB_TESTS_LOWERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/functions/list.h"
#include "lang/ir/semantics.h"
#include "lang/lower/lower.h"
#include "scheme/params.h"
#include "scheme/quality.h"

enum { LOWERED_TABLES = 5, LOWERED_COLUMNS = 12 };

typedef struct lowered {
    hb_params *params;
    hb_operand operand[LOWERED_TABLES];
    hb_schema schema[LOWERED_TABLES];
    hb_column column[LOWERED_TABLES][LOWERED_COLUMNS];
    hb_interval range[LOWERED_TABLES][LOWERED_COLUMNS];
    uint32_t tables;
    uint64_t block; /* slots of a row, of rows within slots */
    hb_syntax syntax;
    hb_lowering lowering; /* of the last text */
} lowered;

static inline void lowered_open(lowered *l, const char *preset)
{
    hb_params_spec spec;
    memset(l, 0, sizeof *l);
    l->block = 1;
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &l->params), HB_OK);
}

/* Adds a table without columns; returns its number. */
static inline uint32_t lowered_table(lowered *l, const char *name, uint64_t rows, bool encrypted)
{
    const uint32_t i = l->tables++;
    assert_true(i < LOWERED_TABLES);
    l->schema[i] = (hb_schema){.rows = rows, .rank = 2, .width = 8, .named = true, .column = l->column[i]};
    l->operand[i] = (hb_operand){.name = name,
                                 .schema = &l->schema[i],
                                 .encrypted = encrypted,
                                 .limbs = encrypted ? l->params->fresh_limbs : 0,
                                 .quality = hb_quality_fresh(l->params, true, HB_BINOMIAL),
                                 .column_ranges = l->range[i]};
    return i;
}

/* Adds a column to a table; `values` is the range of the stored cells. */
static inline void lowered_column(lowered *l, uint32_t table, const char *name, hb_meaning meaning, hb_interval values)
{
    const uint64_t i = l->schema[table].columns++;
    const bool reals = hb_semantics_of(l->params->spec.scheme)->reals;
    assert_true(i < LOWERED_COLUMNS);
    l->column[table][i] = (hb_column){.name = (char *)name,
                                      .meaning = meaning,
                                      .cells = reals ? HB_CELL_REAL : HB_CELL_INTEGER,
                                      .is_signed = values.known && !values.real && values.least < 0};
    l->range[table][i] = values;
}

static inline void lowered_forget(lowered *l)
{
    hb_lower_clear(&l->lowering);
    hb_syntax_clear(&l->syntax);
    l->syntax = (hb_syntax){0};
}

/* Lowers a text, in the place of the last one. */
static inline hb_status lowered_text(lowered *l, const char *text)
{
    lowered_forget(l);
    hb_clear_error();
    HB_TRY(hb_syntax_parse(&l->syntax, text, hb_lang_functions));
    l->lowering.graph = (hb_graph){.syntax = &l->syntax,
                                   .params = l->params,
                                   .spec = &l->params->spec,
                                   .operands = l->operand,
                                   .operand_count = l->tables,
                                   .block = l->block,
                                   .semantics = hb_semantics_of(l->params->spec.scheme)};
    l->lowering.approximations.bits = HB_LOWERING_BITS;
    HB_TRY(hb_lower_check(&l->lowering));
    return hb_lower(&l->lowering);
}

static inline void lowered_works(lowered *l, const char *text)
{
    if (lowered_text(l, text) != HB_OK) {
        fail_msg("%s: %s", text, hb_last_error()->text);
    }
}

/* A text is refused, for a reason that has these words. */
static inline void lowered_refused(lowered *l, const char *text, const char *part)
{
    if (lowered_text(l, text) == HB_OK) {
        fail_msg("%s: not refused", text);
    }
    if (strstr(hb_last_error()->text, part) == NULL) {
        fail_msg("%s: '%s' is not in '%s'", text, part, hb_last_error()->text);
    }
}

static inline const hb_value *lowered_value(lowered *l, const char *name)
{
    const hb_symbol *symbol = hb_lower_find(&l->lowering, name);
    assert_non_null(symbol);
    return &symbol->value;
}

/* The node of a column of a result, at rest. */
static inline uint32_t lowered_node(lowered *l, const char *name, uint32_t column)
{
    const hb_value *value = lowered_value(l, name);
    assert_true(value->whole == NULL && column < value->columns);
    uint32_t node = l->lowering.pool[value->first + column];
    if (l->lowering.graph.semantics->scales) {
        l->lowering.graph.position.item = &l->syntax.items[l->syntax.count - 1];
        assert_int_equal(hb_graph_gather(&l->lowering.graph, node, &node), HB_OK);
    }
    return node;
}

static inline void lowered_close(lowered *l)
{
    lowered_forget(l);
    hb_params_close(l->params);
}

#endif
