/* Operands, and columns of values. */
#include <stdlib.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "lang/ir/function.h"
#include "lang/ir/scales.h"
#include "lang/ir/semantics.h"
#include "lang/program/range.h"
#include "lowering.h"
#include "plain.h"
#include "scheme/codec.h"
#include "scheme/spread.h"

/* The first encrypted operand with the program's rows, which are more than one or were more than one before rows were
 * left out; NULL: none. */
static const hb_operand *first_of(const hb_lowering *l)
{
    const hb_operand *first = hb_types_longer(hb_lower_types(l));
    for (uint32_t i = 0; i < l->graph.operand_count && (first == NULL || first->schema->rows == 1); i++) {
        const hb_operand *operand = &l->graph.operands[i];
        const bool rows = operand->encrypted && !hb_lower_types(l)->weights[i];
        first = rows && (first == NULL || operand->schema->left_out.rows > 0) ? operand : first;
    }
    return first;
}

void hb_lower_set_rows(hb_lowering *l)
{
    const hb_operand *first = first_of(l);
    l->graph.rows = first != NULL ? first->schema->rows : 0;
}

/* The facts that all encrypted operands have in common. */
static hb_status check_encrypted(hb_lowering *l, const hb_item *item, const hb_operand *operand)
{
    hb_graph *g = &l->graph;
    const hb_schema *schema = operand->schema;
    if (operand->order == HB_PACK_ROWS && schema->columns > 1 && operand->block == 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "%.40s was encrypted row by row, without blocks, and cannot be computed with; encrypt it "
                          "with packing by columns%s",
                          operand->name, g->semantics->reals ? ", or by rows in blocks" : "");
    }
    const uint64_t block = operand->block > 0 ? operand->block : 1, common = hb_graph_packed(g) ? g->block : 1;
    if (block != common) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                          "rows of %.40s are in blocks of %llu slot%s, and those of others in blocks of %llu; encrypt "
                          "all with --pack rows --block %llu, or all with --pack columns",
                          operand->name, (unsigned long long)block, block == 1 ? "" : "s", (unsigned long long)common,
                          (unsigned long long)(block > common ? block : common));
    }
    if (g->first == NULL) {
        const bool own = schema->rows != 1 || schema->left_out.rows > 0;
        g->first = own && !hb_lower_is_encrypted_weights(l, operand) ? operand : first_of(l);
        g->first = g->first != NULL ? g->first : operand;
        g->rows = g->first->schema->rows;
        g->encoding = g->first->encoding;
    }
    if (schema->rows != g->rows && !hb_types_serves_all(hb_lower_types(l), operand) &&
        !hb_lower_is_encrypted_weights(l, operand)) {
        return hb_fail_rows(g->syntax->text, item->at, (hb_rows_of){operand->name, schema->rows},
                            (hb_rows_of){g->first->name, g->rows});
    }
    if (!hb_lower_is_encrypted_weights(l, operand)) {
        HB_TRY(hb_lower_require_same_rows(l, item, operand, g->first));
    }
    if (operand->encoding != g->encoding) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "%.40s is encoded in %s, and %.40s in %s",
                          operand->name, hb_encoding_words[operand->encoding], g->first->name,
                          hb_encoding_words[g->encoding]);
    }
    return HB_OK;
}

hb_status hb_lower_operand(hb_lowering *l, const hb_item *item, hb_value *out)
{
    const hb_type *type = l->type;
    const bool packed = hb_graph_packed(&l->graph);
    if (hb_type_encrypted(type)) {
        HB_TRY(check_encrypted(l, item, type->whole));
    }
    *out = (hb_value){.kind = type->kind,
                      .columns = packed ? 1 : type->columns,
                      .width = packed ? type->columns : 0,
                      .whole = type->whole,
                      .names = type->names,
                      .means = type->means};
    return HB_OK;
}

/* For one column, or, of rows within slots, of all of them. */
static hb_interval values_of(const hb_graph *g, const hb_operand *operand, uint32_t column)
{
    hb_interval values = hb_operand_column(g, operand, column);
    for (uint64_t c = 1; hb_graph_packed(g) && c < operand->schema->columns && values.known; c++) {
        const hb_interval other = hb_operand_column(g, operand, (uint32_t)c);
        values = other.known ? hb_interval_join(values, other) : other;
    }
    return values;
}

/* Likewise which halves hold values: of columns with different ones both. */
static hb_status halves_of(const hb_graph *g, const hb_operand *operand, uint32_t column, hb_halves *halves)
{
    const hb_schema *schema = operand->schema;
    *halves = schema->column[column].halves;
    for (uint64_t c = 0; hb_graph_packed(g) && c < schema->columns; c++) {
        if (schema->column[c].halves == HB_HALVES_PAIR) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "%.40s has pairs of columns, which are computed with where each column has ciphertexts "
                              "of its own; encrypt it with --pack columns",
                              operand->name);
        }
        *halves = schema->column[c].halves != HB_HALVES_REAL ? HB_HALVES_COMPLEX : *halves;
    }
    return HB_OK;
}

hb_status hb_lower_require_rows(const hb_lowering *l, uint32_t plain)
{
    const hb_graph *g = &l->graph;
    const hb_operand *operand = &g->operands[g->nodes[plain].operand];
    if (operand->schema->rows != 1 && hb_plain_node_rows(g, plain) == 1) {
        return HB_OK; /* a total, which stands in every row */
    }
    const hb_operand *first = g->first != NULL ? g->first : first_of(l); /* count() may stand before all datasets */
    return first != NULL ? hb_lower_require_same_rows(l, l->graph.position.item, operand, first) : HB_OK;
}

/* A plain table of one row stands in every row; one that is left of more is of the datasets' row alone. */
static hb_status require_one_row(const hb_lowering *l, const hb_operand *operand)
{
    const hb_operand *first = operand->schema->rows == 1 && operand->schema->left_out.rows > 0 ? first_of(l) : NULL;
    return first != NULL ? hb_lower_require_same_rows(l, l->graph.position.item, operand, first) : HB_OK;
}

/* total: by totals' instructions, once. */
static hb_status load_node(hb_lowering *l, const hb_operand *operand, uint32_t column, bool total, uint32_t *out)
{
    hb_graph *g = &l->graph;
    if (operand->constants) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s is a table of constants: it stands on the left of @, or is added", operand->name);
    }
    HB_TRY(operand->encrypted ? HB_OK : require_one_row(l, operand));
    const hb_interval values = hb_interval_as_read(g, operand, values_of(g, operand, column));
    hb_halves halves;
    HB_TRY(halves_of(g, operand, column, &halves));
    const hb_node node = {.op = operand->encrypted ? HB_OP_LOAD : HB_OP_LOAD_PLAIN,
                          .a = HB_NO_NODE,
                          .b = HB_NO_NODE,
                          .operand = (uint32_t)(operand - g->operands),
                          .column = column,
                          .shape.plain = !operand->encrypted,
                          .shape.total = total,
                          .shape.padding_zero = !operand->dirty_padding || !hb_graph_partial(g),
                          .shape.tail_zero = !operand->dirty_padding || operand->filled ||
                                             operand->schema->columns == g->block || !hb_graph_packed(g),
                          .shape.width = hb_graph_packed(g) ? (uint32_t)operand->schema->columns : 1,
                          .shape.scaled = hb_operand_scale_reading(g, operand).product,
                          .shape.is_signed = operand->schema->column[column].is_signed,
                          .shape.limbs = operand->limbs + (g->boundless ? HB_BOUNDLESS_LIMBS : 0),
                          .shape.image = hb_graph_packed(g) ? hb_named_image(operand->schema) : (hb_block_image){0},
                          .shape.halves = halves,
                          .shape.pair = halves == HB_HALVES_PAIR ? &operand->schema->column[column] : NULL,
                          .range.interval =
                              !g->semantics->reals ? values : hb_halves_range(halves, hb_interval_to_reals(values))};
    g->approximates |= operand->approximate > 0;
    HB_TRY(hb_graph_node(g, &node, out));
    return hb_graph_from_reading(g, operand, out);
}

/* Returns the range of a row in one ciphertext before it is taken apart. A slot of reals is at most the sum of the
 * coefficients, of which there are up to 2^k, each a number over 2^k. Nothing is known of integers. */
static hb_interval values_before_spread(const hb_graph *g, const hb_operand *operand)
{
    double most = 0;
    for (uint64_t c = 0; g->semantics->reals && c < operand->schema->columns; c++) {
        const hb_interval values = hb_interval_to_reals(hb_operand_column(g, operand, (uint32_t)c));
        most = values.known ? fmax(most, hb_interval_magnitude(values)) : HUGE_VAL;
    }
    return g->semantics->reals && isfinite(most) ? hb_interval_of_reals(-most, most) : (hb_interval){.known = false};
}

/* The ciphertext that holds a column of a row in few ciphertexts, and the column of it. */
static hb_status load_spread(hb_lowering *l, const hb_operand *operand, uint32_t column, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const bool reals = g->semantics->reals;
    if (hb_graph_packed(g)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s is a row in one ciphertext, which is spread into columns, and others have rows within "
                          "slots: encrypt it with --fill instead of --spread",
                          operand->name);
    }
    const hb_node node = {.op = HB_OP_LOAD,
                          .a = HB_NO_NODE,
                          .b = HB_NO_NODE,
                          .operand = (uint32_t)(operand - g->operands),
                          .column = column / (uint32_t)hb_spread_capacity(g->spec, operand->spread_first),
                          .shape.total = true,
                          .shape.padding_zero = !hb_graph_partial(g),
                          .shape.tail_zero = true,
                          .shape.width = 1,
                          .shape.is_signed = operand->schema->column[column].is_signed,
                          .shape.limbs = operand->limbs + (g->boundless ? HB_BOUNDLESS_LIMBS : 0),
                          .shape.halves = reals ? HB_HALVES_COMPLEX : HB_HALVES_REAL,
                          .range.interval = values_before_spread(g, operand)};
    g->approximates |= operand->approximate > 0;
    HB_TRY(hb_graph_node(g, &node, out));
    return hb_graph_spread(g, *out, node.operand, column, out);
}

hb_status hb_lower_encrypted_weight(hb_lowering *l, const hb_operand *operand, uint32_t row, uint32_t column,
                                    uint32_t *out)
{
    const bool dirty = operand->dirty_padding || operand->schema->rows > 1;
    bool masked;
    if (operand->spread > 0) {
        return load_spread(l, operand, column, out);
    }
    HB_TRY(load_node(l, operand, column, true, out));
    if (operand->filled) {
        return HB_OK;
    }
    HB_TRY(hb_graph_fill_rows(&l->graph, row, dirty, !l->shortest, out, &masked));
    l->masked |= masked;
    return HB_OK;
}

/* A row that is spread is a total also where all tables have one row. */
static hb_status load_column(hb_lowering *l, const hb_operand *operand, uint32_t column, uint32_t *out)
{
    if (hb_types_serves_all(hb_lower_types(l), operand)) {
        return hb_lower_encrypted_weight(l, operand, 0, column, out);
    }
    if (operand->spread == 0) {
        return load_node(l, operand, column, false, out);
    }
    HB_TRY(load_spread(l, operand, column, out));
    return hb_graph_in_rows(&l->graph, *out, out);
}

hb_status hb_lower_load(hb_lowering *l, hb_value *value)
{
    const hb_operand *operand = value->whole;
    if (operand == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_lower_columns(l, value->columns, value));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, value->columns); i++) {
        HB_TRY(load_column(l, operand, i, &l->pool[value->first + i]));
    }
    value->whole = NULL;
    return HB_OK;
}

/* For rows within slots: a product with a matrix that takes the column to the first slot of its block. */
static hb_status pick_within(hb_lowering *l, uint32_t column, hb_value *value)
{
    hb_graph *g = &l->graph;
    if (!hb_value_encrypted(value)) {
        HB_TRY(hb_lower_load(l, value));
        return hb_lower_plain_repeat(l, column, &(hb_node_shape){.width = 1}, value);
    }
    HB_TRY(hb_lower_load(l, value));
    const uint32_t node = l->pool[value->first];
    value->width = 1;
    HB_TRY(hb_lower_columns(l, 1, value));
    return hb_graph_column(g, node, column, &l->pool[value->first]);
}

/* Makes the value the digits that the type says. */
static hb_status pick_digits(hb_lowering *l, const hb_type *type, hb_value *value)
{
    hb_graph *g = &l->graph;
    hb_value out = {.kind = HB_TYPE_DIGITS, .number = type->number, .means = type->means};
    HB_TRY(hb_lower_columns(l, type->columns, &out));
    for (uint32_t i = 0; hb_graph_at_column(g, i, type->columns); i++) {
        uint32_t node = 0;
        if (value->whole != NULL) {
            HB_TRY(load_column(l, value->whole, type->picked + i, &node));
        } else {
            node = l->pool[value->first + type->picked + i];
        }
        hb_graph_narrow(g, node, hb_interval_of(0, type->number.integer - 1)); /* as the dataset says */
        l->pool[out.first + i] = node;
    }
    *value = out;
    return HB_OK;
}

hb_status hb_lower_pick(hb_lowering *l, hb_value *value)
{
    const hb_type *type = l->type;
    if (l->graph.params == NULL) {
        return HB_OK; /* its columns do not matter: keys are the same for all */
    }
    if (type->kind == HB_TYPE_DIGITS) {
        return pick_digits(l, type, value);
    }
    value->names = type->names;
    value->means = type->means;
    if (value->width > 0) {
        return pick_within(l, type->picked, value);
    }
    const hb_operand *operand = value->whole;
    if (operand == NULL) {
        value->first += type->picked;
        value->columns = 1;
        return HB_OK;
    }
    value->whole = NULL;
    HB_TRY(hb_lower_columns(l, 1, value));
    hb_graph_at_column(&l->graph, 0, 1);
    return load_column(l, operand, type->picked, &l->pool[value->first]);
}

/* A node that is the larger the more of these masks a row is in: the sum of all. */
static hb_status sum_masks(hb_lowering *l, const hb_column_gaps *gaps, uint32_t *out)
{
    hb_graph *g = &l->graph;
    for (uint32_t i = 0; i < gaps->count; i++) {
        const hb_operand *operand = &g->operands[gaps->gap[i].operand];
        uint32_t node;
        HB_TRY(load_column(l, operand, gaps->gap[i].column, &node));
        if (i > 0) {
            HB_TRY(hb_graph_add(g, *out, node, &node));
        }
        *out = node;
    }
    return HB_OK;
}

hb_status hb_lower_add_masks(hb_lowering *l, hb_value *value)
{
    const hb_value shown = *value;
    const hb_type *type = value->type;
    hb_value masks = {.columns = 0};
    if (type == NULL || !hb_type_has_gaps(type)) {
        return HB_OK;
    }
    HB_TRY(hb_lower_columns(l, 2 * shown.columns, value));
    memcpy(l->pool + value->first, l->pool + shown.first, shown.columns * sizeof *l->pool);
    masks.first = value->first + shown.columns;
    for (uint32_t c = 0; c < shown.columns; c++) {
        uint32_t node = HB_NO_NODE;
        if (hb_type_mask(type, c) != masks.columns) {
            continue; /* it has none, or that of a column before it */
        }
        const hb_column_gaps gaps = hb_type_gaps(type, c);
        HB_TRY(sum_masks(l, &gaps, &node));
        l->pool[masks.first + masks.columns++] = node;
    }
    value->columns = shown.columns + masks.columns;
    value->masks = masks.columns;
    return HB_OK;
}

/* The largest mask of reals by which rows are selected: its error grows with the values of the polynomial. */
#define MOST_FULL_OF_REALS 8

/* p (p - 1) .. (p - full + 1) / full! of a mask p of reals: 1 where p is full, and 0 below. */
static hb_status is_full_of_reals(hb_graph *g, const hb_operand *operand, uint32_t node, int64_t full, uint32_t *out)
{
    uint32_t product = node;
    double factorial = (double)full;
    if (full > MOST_FULL_OF_REALS) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%.40s is a result of several columns with missing cells, and rows are not selected by it: "
                          "compute both in one command",
                          operand->name);
    }
    for (int64_t i = 1; i < full; i++) {
        uint32_t less;
        HB_TRY(hb_graph_add_constant(g, node, (hb_number){.integer = -i, .real = (double)-i}, &less));
        HB_TRY(hb_graph_multiply(g, product, less, &product));
        factorial *= (double)i;
    }
    HB_TRY(hb_graph_scale(g, product, (hb_number){.real = 1 / factorial}, out));
    hb_graph_narrow(g, *out, hb_interval_of_reals(-0.5, 1.5));
    return HB_OK;
}

/* 1 in rows where a mask is full, else 0: a mask of a result is a sum of masks. */
static hb_status load_mask(hb_lowering *l, const hb_gap *gap, uint32_t *out)
{
    hb_graph *g = &l->graph;
    const hb_operand *operand = &g->operands[gap->operand];
    const int64_t full = (int64_t)operand->schema->column[gap->column].full;
    uint32_t node;
    HB_TRY(load_column(l, operand, gap->column, &node));
    hb_graph_narrow(g, node,
                    g->semantics->reals ? hb_interval_of_reals(-0.5, (double)full + 0.5) : hb_interval_of(0, full));
    *out = node;
    if (full <= 1) {
        return HB_OK;
    }
    const hb_predicate is_full = {.kind = HB_PREDICATE_EQUAL, .number = full};
    return g->semantics->reals ? is_full_of_reals(g, operand, node, full, out)
                               : hb_graph_predicate(g, &l->predicates, node, &is_full, out);
}

hb_status hb_lower_present(hb_lowering *l, const hb_column_gaps *gaps, uint32_t *out)
{
    HB_ASSERT(gaps->count > 0);
    HB_TRY(load_mask(l, &gaps->gap[0], out));
    for (uint32_t i = 1; i < gaps->count; i++) {
        uint32_t mask;
        HB_TRY(load_mask(l, &gaps->gap[i], &mask));
        HB_TRY(hb_graph_multiply(&l->graph, *out, mask, out));
    }
    return HB_OK;
}

/* x - fill + fill*mask of a column: x where it is there, else 0. */
static hb_status without_fill(hb_lowering *l, const hb_value *x, uint32_t c, const hb_column_gaps *gaps, uint32_t *node)
{
    hb_graph *g = &l->graph;
    hb_value fill, checked;
    uint32_t present, less;
    /* Decimals may have a larger scale than their column by now. */
    const int64_t times = (int64_t)(hb_meaning_scale(hb_value_meaning(x, c)) / gaps->fill_scale);
    const hb_number by = {.integer = times, .real = (double)times};
    HB_TRY(hb_lower_numbers(l, HB_ITEM_MULTIPLY, gaps->fill, by, &fill));
    HB_TRY(hb_lower_number(l, fill.number, &checked));
    const hb_number number = checked.number, negative = {-number.integer, -number.real, 0};
    HB_TRY(hb_lower_present(l, gaps, &present));
    HB_TRY(hb_graph_scale(g, present, number, &present));
    HB_TRY(hb_graph_add_constant(g, *node, negative, &less));
    return hb_graph_add(g, less, present, node);
}

/* Makes a column 0 in rows where it is missing. */
static hb_status zero_column(hb_lowering *l, const hb_value *x, uint32_t c, uint32_t *node)
{
    hb_graph *g = &l->graph;
    const hb_column_gaps gaps = hb_type_gaps(x->type, c);
    const hb_interval values = g->nodes[*node].range.interval;
    uint32_t present;
    if (gaps.count == 0 || gaps.zero) {
        return HB_OK;
    }
    if (hb_gaps_filled(&gaps)) {
        HB_TRY(without_fill(l, x, c, &gaps, node));
    } else {
        HB_TRY(hb_lower_present(l, &gaps, &present));
        HB_TRY(hb_graph_multiply(g, *node, present, node));
    }
    if (values.known && !values.real) {
        hb_graph_narrow(g, *node, hb_interval_with_zero(values));
    }
    return HB_OK;
}

hb_status hb_lower_zeroed(hb_lowering *l, hb_value *x)
{
    hb_value made = *x;
    bool all = true;
    HB_TRY(hb_lower_load(l, x));
    for (uint32_t c = 0; hb_value_encrypted(x) && x->type->gaps != NULL && c < x->columns; c++) {
        all = all && hb_type_gaps(x->type, c).zero;
    }
    if (all) {
        return HB_OK;
    }
    made = *x;
    HB_TRY(hb_lower_columns(l, x->columns, &made));
    for (uint32_t c = 0; hb_graph_at_column(&l->graph, c, x->columns); c++) {
        uint32_t node = l->pool[x->first + c];
        HB_TRY(zero_column(l, x, c, &node));
        l->pool[made.first + c] = node;
    }
    *x = made;
    return HB_OK;
}

hb_status hb_lower_zero_fills(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count)
{
    const hb_item_kind kind = item->kind;
    const bool arithmetic = kind == HB_ITEM_ADD || kind == HB_ITEM_SUBTRACT || kind == HB_ITEM_NEGATE ||
                            kind == HB_ITEM_MULTIPLY || kind == HB_ITEM_DIVIDE || kind == HB_ITEM_POWER;
    for (uint32_t i = 0; arithmetic && hb_type_has_gaps(l->type) && i < count; i++) {
        bool any = false;
        for (uint32_t c = 0; hb_value_encrypted(&values[i]) && c < l->type->columns; c++) {
            const hb_column_gaps gaps = hb_type_gaps(values[i].type, c);
            any = any || (hb_type_gaps(l->type, c).zero && hb_gaps_filled(&gaps));
        }
        if (any) {
            HB_TRY(hb_lower_zeroed(l, &values[i]));
        }
    }
    return HB_OK;
}
