/* Comparisons, and what is made of them: from range to expression of the grammar (parser.c). */
#include "parser.h"

static hb_status range(hb_parser *p)
{
    HB_TRY(hb_parse_sum(p));
    return hb_parser_at(p, HB_SYMBOL_PAIR('.', '.')) ? hb_parser_infix(p, HB_ITEM_RANGE, hb_parse_sum) : HB_OK;
}

/* The comparison at which the parser stands; HB_ITEM_ASSIGN: it stands at none. */
static hb_item_kind comparison_here(const hb_parser *p)
{
    static const struct {
        int symbol;
        hb_item_kind kind;
    } comparisons[] = {{'<', HB_ITEM_LESS},
                       {'>', HB_ITEM_GREATER},
                       {HB_SYMBOL_PAIR('<', '='), HB_ITEM_LESS_EQUAL},
                       {HB_SYMBOL_PAIR('>', '='), HB_ITEM_GREATER_EQUAL},
                       {HB_SYMBOL_PAIR('=', '='), HB_ITEM_EQUAL},
                       {HB_SYMBOL_PAIR('!', '='), HB_ITEM_NOT_EQUAL}};
    size_t i = 0;
    while (i < sizeof comparisons / sizeof *comparisons && !hb_parser_at(p, comparisons[i].symbol)) {
        i++;
    }
    return i < sizeof comparisons / sizeof *comparisons ? comparisons[i].kind : HB_ITEM_ASSIGN;
}

/* Parses the members in parentheses that the value before is looked for among. */
static hb_status among(hb_parser *p)
{
    hb_item item = {.kind = HB_ITEM_IN, .arguments = 1, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    HB_TRY(hb_parser_enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    if (!hb_parser_at(p, '(')) {
        return hb_parser_expected(p, "( of what it is in, as in x in (1, 3, 5..9)");
    }
    do {
        HB_TRY(hb_lexer_advance(&p->lexer));
        HB_TRY(range(p));
        item.arguments++;
    } while (hb_parser_at(p, ','));
    item.to = p->lexer.token.to;
    HB_TRY(hb_parser_take(p, ')', "an operator, a comma, .. or )"));
    p->depth--;
    return hb_parser_append(p, item);
}

/* Parses the two ends that the value before is looked for between. */
static hb_status between(hb_parser *p)
{
    hb_item item = {.kind = HB_ITEM_BETWEEN, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(hb_parse_sum(p));
    if (!hb_parser_at_word(p, "and")) {
        return hb_parser_expected(p, "and, as in x between 3 and 7");
    }
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(hb_parse_sum(p));
    item.to = hb_parser_last(p)->to;
    return hb_parser_append(p, item);
}

/* Parses what stands behind the left side of a comparison, which may be nothing. a < b < c is no chain here, and what
 * people mean by it is none of (a < b) < c. */
static hb_status behind_side(hb_parser *p)
{
    if (comparison_here(p) != HB_ITEM_ASSIGN) {
        HB_TRY(hb_parser_infix(p, comparison_here(p), hb_parse_sum));
        return comparison_here(p) == HB_ITEM_ASSIGN
                   ? HB_OK
                   : hb_parser_expected(p, "one comparison at a time; a < b and b < c is both");
    }
    hb_item negation = {.kind = HB_ITEM_NOT, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    const bool negated = hb_parser_at_word(p, "not");
    if (negated) {
        HB_TRY(hb_lexer_advance(&p->lexer));
    }
    if (hb_parser_at_word(p, "in")) {
        HB_TRY(among(p));
    } else if (hb_parser_at_word(p, "between")) {
        HB_TRY(between(p));
    } else {
        return negated ? hb_parser_expected(p, "in or between behind not") : HB_OK;
    }
    negation.to = hb_parser_last(p)->to;
    return negated ? hb_parser_append(p, negation) : HB_OK;
}

/* Returns whether the parser stands at `not` as an operator: a side that it negates stands behind it, as in not -x < 1.
 * A difference whose first side is named `not` has to be in parentheses, as (not) - x. */
static hb_status at_negation(const hb_parser *p, bool *found)
{
    *found = false;
    if (hb_parser_at_word(p, "not")) {
        hb_lexer behind = p->lexer;
        HB_TRY(hb_lexer_advance(&behind));
        const hb_token *next = &behind.token;
        *found = next->kind == HB_TOKEN_NAME || next->kind == HB_TOKEN_NUMBER || next->kind == HB_TOKEN_TEXT ||
                 (next->kind == HB_TOKEN_SYMBOL && (next->symbol == '(' || next->symbol == '-'));
    }
    return HB_OK;
}

static hb_status negation(hb_parser *p)
{
    bool found;
    HB_TRY(at_negation(p, &found));
    if (!found) {
        HB_TRY(hb_parse_sum(p));
        return behind_side(p);
    }
    return hb_parser_prefix(p, HB_ITEM_NOT, negation);
}

/* Parse what stands behind the first operand of `and`, and of `or`. */
static hb_status behind_negation(hb_parser *p)
{
    return hb_parser_chain(p, HB_ITEM_AND, "and", negation);
}

static hb_status both(hb_parser *p)
{
    HB_TRY(negation(p));
    return behind_negation(p);
}

static hb_status behind_both(hb_parser *p)
{
    return hb_parser_chain(p, HB_ITEM_OR, "or", both);
}

hb_status hb_parse_expression(hb_parser *p)
{
    HB_TRY(both(p));
    return behind_both(p);
}

/* An expression begins with a side as ranges and keys do, unless it begins with `not`. */
hb_status hb_parse_member(hb_parser *p)
{
    bool negated;
    HB_TRY(at_negation(p, &negated));
    if (negated) {
        return hb_parse_expression(p);
    }
    HB_TRY(range(p));
    if (hb_parser_at(p, ':')) {
        return hb_parser_infix(p, HB_ITEM_ENTRY, hb_parse_expression);
    }
    const hb_item_kind kind = hb_parser_last(p)->kind;
    const bool ends = hb_parser_at(p, ',') || hb_parser_at(p, ')');
    if (kind == HB_ITEM_RANGE || (kind == HB_ITEM_TEXT && ends)) {
        return HB_OK;
    }
    HB_TRY(behind_side(p));
    HB_TRY(behind_negation(p));
    return behind_both(p);
}
