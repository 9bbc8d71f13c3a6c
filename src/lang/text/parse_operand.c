/* Numbers, names, calls and arithmetic: from primary to sum of the grammar (parser.c). */
#include "parser.h"

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

/* Parses what may be `x where condition`. */
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
    if (last->kind == HB_ITEM_WHERE) { /* behind the keys stands what selects rows */
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
    HB_TRY(call->members ? hb_parse_member(p) : hb_parse_expression(p));
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
    bool more = !(hb_parser_at(p, ')') && item.call->least == 0);
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

/* Parses what may have columns picked from it, as in a.b. */
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

hb_status hb_parse_sum(hb_parser *p)
{
    HB_TRY(term(p));
    while (hb_parser_at(p, '+') || hb_parser_at(p, '-')) {
        HB_TRY(hb_parser_infix(p, hb_parser_at(p, '+') ? HB_ITEM_ADD : HB_ITEM_SUBTRACT, term));
    }
    return HB_OK;
}
