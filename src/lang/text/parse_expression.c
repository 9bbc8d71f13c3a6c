/* The grammar of one expression (parser.c): numbers, names, calls and arithmetic, from primary to sum; comparisons and
 * logic, from range to expression; a member of a group. */
#include "parser.h"

/* --- from primary to sum */

static hb_status parse_member(hb_parser *p);

/* The function that several values in parentheses are; NULL: there is none. */
static const hb_signature *of_parentheses(const hb_parser *p)
{
    const hb_signature *const *call = p->syntax->functions;
    while (*call != NULL && !(*call)->parentheses) {
        call++;
    }
    return *call;
}

/* Parses an expression in parentheses, or several, which are columns: (a, b) is cols(a, b). The text of the last item
 * then reaches from the one parenthesis to the other. */
static hb_status parenthesized(hb_parser *p)
{
    const uint32_t from = p->lexer.token.from;
    hb_item item = {.kind = HB_ITEM_CALL, .call = of_parentheses(p), .arguments = 1, .at = from + 1, .from = from};
    HB_TRY(hb_parser_enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(hb_parse_expression(p));
    for (; item.call != NULL && hb_parser_at(p, ','); item.arguments++) {
        HB_TRY(hb_lexer_advance(&p->lexer));
        HB_TRY(hb_parse_expression(p));
    }
    HB_TRY(item.arguments > 1 ? hb_parser_append(p, item) : HB_OK);
    hb_parser_last(p)->from = from;
    hb_parser_last(p)->to = p->lexer.token.to;
    p->depth--;
    return hb_parser_take(p, ')', "an operator or )");
}

/* Parses an expression or `x where condition`. */
static hb_status selected(hb_parser *p)
{
    HB_TRY(hb_parse_expression(p));
    return hb_parser_at_word(p, "where") ? hb_parser_infix(p, HB_ITEM_WHERE, hb_parse_expression) : HB_OK;
}

/* Finds the function that an item names. */
static hb_status find_call(const hb_parser *p, hb_item *item)
{
    const hb_signature *const *call = p->syntax->functions;
    while (*call != NULL && !hb_item_is(p->syntax, item, (*call)->name)) { /* they are few, and only looked for here */
        call++;
    }
    item->call = *call;
    return item->call != NULL ? HB_OK : hb_fail_function(p->syntax, item);
}

/* Notes that several keys, the last value, are no columns of a result, as some may be plain. */
static void note_keys(hb_syntax *s)
{
    hb_item *last = &s->items[s->count - 1];
    if (last->kind == HB_ITEM_WHERE) { /* a condition that selects rows stands behind the keys */
        last -= 1 + last[-1].size;
    }
    if (last->kind == HB_ITEM_CALL && last->call->parentheses) {
        last->grouped = true;
    }
}

/* Parses the next argument of a function. */
static hb_status argument(hb_parser *p, const hb_item *item)
{
    const hb_signature *call = item->call;
    const uint32_t before = p->syntax->count;
    if (item->arguments == 0) {
        HB_TRY(call->aggregate || call->groups ? selected(p) : hb_parse_expression(p));
        if (call->groups) {
            note_keys(p->syntax);
        }
        return HB_OK;
    }
    HB_TRY(call->members ? parse_member(p) : hb_parse_expression(p));
    hb_item *last = hb_parser_last(p);
    /* In a call that is one item the name stands alone, with nothing done to what it returns. */
    if (call->groups && p->syntax->count > before && last->kind == HB_ITEM_CALL && last->call->aggregate) {
        last->grouped = true;
    }
    return HB_OK;
}

static hb_status check_arguments(const hb_parser *p, const hb_item *item)
{
    const hb_signature *call = item->call;
    const bool one = item->arguments == 1, half = call->interval && item->arguments == 2; /* one end of an interval */
    if (item->arguments == 0 && call->least > 0) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item->at, "it is %s, and nothing stands in the parentheses here",
                          call->form);
    }
    if (item->arguments < call->least || item->arguments > call->most || half) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item->at, "it is %s, and here %s %u argument%s%s%s", call->form,
                          one ? "is" : "are", item->arguments, one ? "" : "s", one && call->alone != NULL ? ": " : "",
                          one && call->alone != NULL ? call->alone : "");
    }
    return HB_OK;
}

/* Parses the arguments of a function, at whose opening parenthesis the parser stands; `item` has its name. */
static hb_status call(hb_parser *p, hb_item item)
{
    HB_TRY(hb_parser_enter(p));
    item.kind = HB_ITEM_CALL;
    HB_TRY(find_call(p, &item));
    HB_TRY(hb_lexer_advance(&p->lexer));
    bool more = !hb_parser_at(p, ')');
    while (more) {
        HB_TRY(argument(p, &item));
        item.arguments++;
        more = hb_parser_at(p, ',');
        HB_TRY(more ? hb_lexer_advance(&p->lexer) : HB_OK);
    }
    item.to = p->lexer.token.to;
    HB_TRY(hb_parser_take(p, ')', "an operator, a comma or )"));
    HB_TRY(check_arguments(p, &item));
    p->depth--;
    return hb_parser_append(p, item);
}

/* Parses a number, a name, a text, a call, or an expression in parentheses. */
static hb_status primary(hb_parser *p)
{
    const hb_token token = p->lexer.token;
    hb_item item = {.number = token.number,
                    .real = token.real,
                    .decimal = token.decimal,
                    .imaginary = token.imaginary,
                    .word = token.from,
                    .word_length = token.to - token.from,
                    .at = token.from + 1,
                    .from = token.from,
                    .to = token.to};
    if (hb_parser_at(p, '(')) {
        return parenthesized(p);
    }
    if (token.kind == HB_TOKEN_TEXT) { /* its quotes are not part of the token */
        item.kind = HB_ITEM_TEXT;
        item.at = token.from;
        item.from--;
        item.to++;
        HB_TRY(hb_lexer_advance(&p->lexer));
        return hb_parser_append(p, item);
    }
    if (token.kind != HB_TOKEN_NUMBER && token.kind != HB_TOKEN_NAME) {
        return hb_parser_expected(p, "a name, a number, - or (");
    }
    item.kind = token.kind == HB_TOKEN_NUMBER ? HB_ITEM_NUMBER : HB_ITEM_NAME;
    HB_TRY(hb_lexer_advance(&p->lexer));
    return item.kind == HB_ITEM_NAME && hb_parser_at(p, '(') ? call(p, item) : hb_parser_append(p, item);
}

/* Parses a value and the columns picked from it, as in a.b. */
static hb_status picked(hb_parser *p)
{
    HB_TRY(primary(p));
    while (hb_parser_at(p, '.')) {
        /* The item that is picked from is the last one: postfix order. */
        hb_item item = {.kind = HB_ITEM_PICK, .from = hb_parser_last(p)->from};
        HB_TRY(hb_lexer_advance(&p->lexer));
        const hb_token token = p->lexer.token;
        if (token.kind == HB_TOKEN_NUMBER && token.number > 0 && !token.imaginary) { /* a decimal's is 0 */
            item.number = token.number;
        } else if (token.kind == HB_TOKEN_NAME || (token.kind == HB_TOKEN_QUOTED && token.to > token.from)) {
            item.word_length = token.to - token.from;
        } else {
            return hb_parser_expected(p, "the name of a column, or its number from 1");
        }
        item.word = token.from;
        item.at = token.from + 1;
        item.to = token.to + (token.kind == HB_TOKEN_QUOTED);
        HB_TRY(hb_lexer_advance(&p->lexer));
        HB_TRY(hb_parser_append(p, item));
    }
    return HB_OK;
}

/* A power of a power needs parentheses, as readers differ on which comes first. */
static hb_status power(hb_parser *p)
{
    HB_TRY(picked(p));
    if (!hb_parser_at(p, '^')) {
        return HB_OK;
    }
    hb_item item = {.kind = HB_ITEM_POWER, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    HB_TRY(hb_lexer_advance(&p->lexer));
    if (p->lexer.token.kind != HB_TOKEN_NUMBER && !hb_parser_at(p, '(')) {
        return hb_parser_expected(p, "a constant exponent, 1 or more");
    }
    /* Any expression in parentheses; whether it is constant is seen later, with its value. */
    HB_TRY(primary(p));
    item.to = hb_parser_last(p)->to;
    HB_TRY(hb_parser_append(p, item));
    return hb_parser_at(p, '^') ? hb_parser_expected(p, "parentheses around one of the two powers") : HB_OK;
}

/* Parses signs: each is an item of its own, so that -x^2 is -(x^2). */
static hb_status signed_power(hb_parser *p)
{
    if (!hb_parser_at(p, '-')) {
        return power(p);
    }
    return hb_parser_prefix(p, HB_ITEM_NEGATE, signed_power); /* signs recurse as parentheses do */
}

static hb_status term(hb_parser *p)
{
    HB_TRY(signed_power(p));
    while (hb_parser_at(p, '*') || hb_parser_at(p, '/') || hb_parser_at(p, '@')) {
        const hb_item_kind kind = hb_parser_at(p, '*') ? HB_ITEM_MULTIPLY : HB_ITEM_DIVIDE;
        hb_item *left = hb_parser_last(p);
        left->weights = hb_parser_at(p, '@') && left->kind == HB_ITEM_NAME;
        HB_TRY(hb_parser_infix(p, hb_parser_at(p, '@') ? HB_ITEM_MATRIX : kind, signed_power));
    }
    return HB_OK;
}

static hb_status parse_sum(hb_parser *p)
{
    HB_TRY(term(p));
    while (hb_parser_at(p, '+') || hb_parser_at(p, '-')) {
        HB_TRY(hb_parser_infix(p, hb_parser_at(p, '+') ? HB_ITEM_ADD : HB_ITEM_SUBTRACT, term));
    }
    return HB_OK;
}

/* --- from range to expression */

static hb_status range(hb_parser *p)
{
    HB_TRY(parse_sum(p));
    return hb_parser_at(p, HB_SYMBOL_PAIR('.', '.')) ? hb_parser_infix(p, HB_ITEM_RANGE, parse_sum) : HB_OK;
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
        return hb_parser_expected(p, "( and a list, as in x in (1, 3, 5..9)");
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
    HB_TRY(parse_sum(p));
    if (!hb_parser_at_word(p, "and")) {
        return hb_parser_expected(p, "and, as in x between 3 and 7");
    }
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(parse_sum(p));
    item.to = hb_parser_last(p)->to;
    return hb_parser_append(p, item);
}

/* Parses `is missing`, or `is not missing`, behind a value. */
static hb_status missing(hb_parser *p)
{
    hb_item item = {.kind = HB_ITEM_MISSING, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    HB_TRY(hb_lexer_advance(&p->lexer));
    const bool negated = hb_parser_at_word(p, "not");
    if (negated) {
        HB_TRY(hb_lexer_advance(&p->lexer));
    }
    if (!hb_parser_at_word(p, "missing")) {
        return hb_parser_expected(p, "missing, as in x is missing, x is not missing");
    }
    item.to = p->lexer.token.to;
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(hb_parser_append(p, item));
    item.kind = HB_ITEM_NOT;
    return negated ? hb_parser_append(p, item) : HB_OK;
}

/* Parses the rest behind the left side of a comparison, which may be empty. a < b < c is refused: people mean a chain
 * by it, not (a < b) < c. */
static hb_status behind_side(hb_parser *p)
{
    if (comparison_here(p) != HB_ITEM_ASSIGN) {
        HB_TRY(hb_parser_infix(p, comparison_here(p), parse_sum));
        return comparison_here(p) == HB_ITEM_ASSIGN
                   ? HB_OK
                   : hb_parser_expected(p, "one comparison at a time; a < b and b < c is both");
    }
    if (hb_parser_at_word(p, "is")) {
        return missing(p);
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
        HB_TRY(parse_sum(p));
        return behind_side(p);
    }
    return hb_parser_prefix(p, HB_ITEM_NOT, negation);
}

/* Parse the rest behind the first operand of `and`, and of `or`. */
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
static hb_status parse_member(hb_parser *p)
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
