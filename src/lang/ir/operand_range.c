/* The range of a column of an operand, and the refusal where there is none. */
#include "graph.h"
#include "lang/program/range.h"
#include "semantics.h"

/* The declared range; without one the range of the type where the scheme holds all of it. Values out of that were
 * refused at encryption, so any other value is possible. */
static hb_interval find(const hb_graph *g, const hb_operand *operand, uint32_t column)
{
    const bool is_signed = operand->schema->column[column].is_signed;
    hb_interval type = {0};
    if (operand->schema->column[column].full > 0) { /* no range is declared for a mask */
        return hb_column_domain(&operand->schema->column[column]);
    }
    if (operand->column_ranges != NULL && operand->column_ranges[column].known) {
        return operand->column_ranges[column];
    }
    if (operand->ranged) {
        return hb_operand_declared(operand);
    }
    if (g->semantics->reals) {
        return type; /* doubles bound nothing */
    }
    const hb_interval domain = hb_column_domain(&operand->schema->column[column]);
    if (domain.known) { /* encrypt refuses all others */
        return domain;
    }
    if (operand->schema->width < 8 && !operand->loose) {
        const int64_t values = (int64_t)1 << 8 * operand->schema->width;
        type = is_signed ? hb_interval_of(-values / 2, values / 2 - 1) : hb_interval_of(0, values - 1);
    }
    type.known = hb_interval_within(type, hb_interval_held(g->spec, is_signed));
    return type;
}

hb_interval hb_operand_column(const hb_graph *g, const hb_operand *operand, uint32_t column)
{
    HB_ASSERT(column < operand->schema->columns);
    const hb_column *of = &operand->schema->column[column];
    const hb_interval values = find(g, operand, column), stored = hb_column_stored(of);
    if (of->mask == 0 || !values.known) {
        return values;
    }
    if (of->has_fill) { /* a range that is declared with an expression may lack it */
        return hb_interval_join(values, hb_column_fill(of));
    }
    /* The range of a computed column holds in rows where it is missing, too. */
    return hb_interval_within(stored, values) ? values : hb_interval_with_zero(values);
}

hb_status hb_graph_fail_unranged(const hb_graph *g, uint32_t a)
{
    const hb_node *node = &g->nodes[a];
    char word[64] = "";
    if (!hb_operations[node->op].loads) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the range of the values is not known, and a condition needs it; "
                          "give the range of their columns: --range NAME.COLUMN=LEAST..MOST");
    }
    const hb_operand *operand = &g->operands[node->operand];
    hb_column_word(word, operand->schema, node->column);
    return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                      "the range of %.40s%s is not known, and a condition needs it: give "
                      "it: --range '%.40s%s=LEAST..MOST'",
                      operand->name, word, operand->name, word);
}
