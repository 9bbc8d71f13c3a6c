/* Recursive descent:
 *   text       = [statement] { (";" | line end) [statement] }
 *   statement  = name "=" expression | "repeat" number "{" text "}"
 *   expression = sum [ ("<" | ">" | "<=" | ">=") sum ]
 *   sum        = term { ("+" | "-") term }
 *   term       = signed { ("*" | "/" | "@") signed }
 *   signed     = "-" signed | power
 *   power      = picked [ "^" (number | "(" expression ")") ]
 *   picked     = primary { "." (name | quoted | number) }
 *   primary    = number | name | name "(" expression { "," expression } ")" | "(" expression ")" */
#include "syntax.h"

#include <stdlib.h>
#include <string.h>

#include "lexer.h"

/* Arguments that each function takes, how it is written in messages, whether its name may not be that of a result -
 * those that came later are not taken from who has such results -, and whether only reals have it. Functions that are
 * approximated take the ends of their interval too. */
static const struct {
    uint32_t least, most;
    const char *form;
    bool reserved, reals;
} functions[HB_CALLS] = {
    [HB_CALL_SQUARE] = {.least = 1, .most = 1, .form = "square(x)", .reserved = true},
    [HB_CALL_ROTATE] = {.least = 2, .most = 2, .form = "rotate(x, k)", .reserved = true},
    [HB_CALL_SWAP] = {.least = 1, .most = 1, .form = "swap(x)", .reserved = true},
    [HB_CALL_SUM] = {.least = 1, .most = 1, .form = "sum(x)", .reserved = true},
    [HB_CALL_DOT] = {.least = 2, .most = 2, .form = "dot(x, y)", .reserved = true},
    [HB_CALL_POLY] = {.least = 2, .most = UINT32_MAX, .form = "poly(x, c0, c1, ...)", .reserved = true},
    [HB_CALL_ROWSUM] = {.least = 1, .most = 1, .form = "rowsum(x)", .reserved = true},
    [HB_CALL_MODSWITCH] = {.least = 1, .most = 1, .form = "modswitch(x)", .reserved = true},
    [HB_CALL_MEAN] = {.least = 1, .most = 1, .form = "mean(x)", .reals = true},
    [HB_CALL_CONJ] = {.least = 1, .most = 1, .form = "conj(x)"},
    [HB_CALL_RE] = {.least = 1, .most = 1, .form = "re(x)"},
    [HB_CALL_IM] = {.least = 1, .most = 1, .form = "im(x)"},
    [HB_CALL_ABS2] = {.least = 1, .most = 1, .form = "abs2(x)"},
    [HB_CALL_CHEB] = {.least = 4, .most = UINT32_MAX, .form = "cheb(x, low, high, c0, c1, ...)", .reals = true},
    [HB_CALL_SIGMOID] = {.least = 1, .most = 3, .form = "sigmoid(x) or sigmoid(x, low, high)", .reals = true},
    [HB_CALL_TANH] = {.least = 1, .most = 3, .form = "tanh(x) or tanh(x, low, high)", .reals = true},
    [HB_CALL_EXP] = {.least = 1, .most = 3, .form = "exp(x) or exp(x, low, high)", .reals = true},
    [HB_CALL_LOG] = {.least = 1, .most = 3, .form = "log(x) or log(x, low, high)", .reals = true},
    [HB_CALL_INV] = {.least = 1, .most = 3, .form = "inv(x) or inv(x, low, high)", .reals = true},
    [HB_CALL_SQRT] = {.least = 1, .most = 3, .form = "sqrt(x) or sqrt(x, low, high)", .reals = true},
    [HB_CALL_ERF] = {.least = 1, .most = 3, .form = "erf(x) or erf(x, low, high)", .reals = true},
    [HB_CALL_GELU] = {.least = 1, .most = 3, .form = "gelu(x) or gelu(x, low, high)", .reals = true},
    [HB_CALL_SILU] = {.least = 1, .most = 3, .form = "silu(x) or silu(x, low, high)", .reals = true},
    [HB_CALL_SIGN] = {.least = 1, .most = 3, .form = "sign(x) or sign(x, low, high)", .reals = true},
    [HB_CALL_STEP] = {.least = 1, .most = 3, .form = "step(x) or step(x, low, high)", .reals = true},
    [HB_CALL_RELU] = {.least = 1, .most = 3, .form = "relu(x) or relu(x, low, high)", .reals = true},
    [HB_CALL_ABS] = {.least = 1, .most = 3, .form = "abs(x) or abs(x, low, high)", .reals = true},
    [HB_CALL_MAX] = {.least = 2, .most = 2, .form = "max(x, y)", .reals = true},
    [HB_CALL_MIN] = {.least = 2, .most = 2, .form = "min(x, y)", .reals = true},
    [HB_CALL_SOFTMAX] = {.least = 1, .most = 1, .form = "softmax(x)", .reals = true},
};

bool hb_call_of_reals(hb_call call)
{
    return functions[call].reals;
}

/* A way through a text, one word ahead, and the items so far. */
typedef struct parser {
    hb_lexer lexer;
    hb_syntax *syntax;
    uint32_t capacity, depth;
    uint32_t loops;       /* that are open */
    uint32_t turn, turns; /* of the outermost one */
    uint32_t again;       /* loops that are not in their last iteration */
} parser;

static hb_status expression(parser *p);

static bool at_symbol(const parser *p, char symbol)
{
    return p->lexer.token.kind == HB_TOKEN_SYMBOL && p->lexer.token.symbol == symbol;
}

/* Fails at the word that the parser stands at. */
static hb_status expected(const parser *p, const char *what)
{
    const hb_token *token = &p->lexer.token;
    char found[32] = "the end";
    if (token->kind == HB_TOKEN_SEPARATOR) {
        strcpy(found, "the end of the statement");
    } else if (token->kind != HB_TOKEN_END) {
        found[0] = '\'';
        hb_excerpt(found + 1, sizeof found - 2, p->lexer.text, token->from, token->to);
        strcat(found, "'");
    }
    return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, token->from + 1, "expected %s, found %s", what, found);
}

static hb_status take(parser *p, char symbol, const char *what)
{
    return at_symbol(p, symbol) ? hb_lexer_advance(&p->lexer) : expected(p, what);
}

static hb_item *last_item(const parser *p)
{
    return &p->syntax->items[p->syntax->count - 1];
}

static hb_status append(parser *p, hb_item item)
{
    hb_syntax *s = p->syntax;
    item.turn = p->turn;
    item.turns = p->turns;
    item.again = p->again > 0;
    if (s->count == HB_SYNTAX_MAX_ITEMS) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item.at,
                          "loops written out come to more than %u operations and names", HB_SYNTAX_MAX_ITEMS);
    }
    if (s->count == p->capacity) {
        const uint32_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity;
        hb_item *items = realloc(s->items, capacity * sizeof *items);
        if (!items) {
            return HB_FAIL(HB_ENOMEM, "no memory for an expression");
        }
        s->items = items;
        p->capacity = capacity;
    }
    s->items[s->count++] = item;
    return HB_OK;
}

/* Goes one level deeper, at the token that opens it. The limit bounds the stack: each level is a few calls. */
static hb_status enter(parser *p)
{
    if (++p->depth > HB_SYNTAX_MAX_DEPTH) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, p->lexer.token.from + 1,
                          "more than %d parentheses, calls, signs and loops within each other; name parts of it",
                          HB_SYNTAX_MAX_DEPTH);
    }
    return HB_OK;
}

/* Parses an expression in parentheses. The text of the last item then reaches from the one parenthesis to the other. */
static hb_status parenthesized(parser *p)
{
    const uint32_t from = p->lexer.token.from;
    HB_TRY(enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(expression(p));
    last_item(p)->from = from;
    last_item(p)->to = p->lexer.token.to;
    p->depth--;
    return take(p, ')', "an operator or )");
}

/* Parses the arguments of a function, at whose opening parenthesis the parser stands; `item` has its name. */
static hb_status call(parser *p, hb_item item)
{
    HB_TRY(enter(p));
    item.kind = HB_ITEM_CALL;
    while (item.call < HB_CALLS && !hb_item_is(p->syntax, &item, hb_call_names[item.call])) {
        /* Names are few, and only looked for here. */
        item.call++;
    }
    if (item.call == HB_CALLS) {
        return hb_fail_function(p->syntax, &item);
    }
    /* A function has one argument at least. */
    do {
        HB_TRY(hb_lexer_advance(&p->lexer));
        HB_TRY(expression(p));
        item.arguments++;
    } while (at_symbol(p, ','));
    item.to = p->lexer.token.to;
    HB_TRY(take(p, ')', "an operator, a comma or )"));
    const bool half = functions[item.call].most == 3 && item.arguments == 2; /* one end of an interval */
    if (item.arguments < functions[item.call].least || item.arguments > functions[item.call].most || half) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item.at, "it is %s, and here are %u arguments",
                          functions[item.call].form, item.arguments);
    }
    p->depth--;
    return append(p, item);
}

/* Parses a number, a name, a call, or an expression in parentheses. */
static hb_status primary(parser *p)
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
    if (at_symbol(p, '(')) {
        return parenthesized(p);
    }
    if (token.kind != HB_TOKEN_NUMBER && token.kind != HB_TOKEN_NAME) {
        return expected(p, "a name, a number, - or (");
    }
    item.kind = token.kind == HB_TOKEN_NUMBER ? HB_ITEM_NUMBER : HB_ITEM_NAME;
    HB_TRY(hb_lexer_advance(&p->lexer));
    return item.kind == HB_ITEM_NAME && at_symbol(p, '(') ? call(p, item) : append(p, item);
}

/* Parses what may have columns picked from it, as in a.b. */
static hb_status picked(parser *p)
{
    HB_TRY(primary(p));
    while (at_symbol(p, '.')) {
        /* What is picked from is the last item: postfix order. */
        hb_item item = {.kind = HB_ITEM_PICK, .from = last_item(p)->from};
        HB_TRY(hb_lexer_advance(&p->lexer));
        const hb_token token = p->lexer.token;
        if (token.kind == HB_TOKEN_NUMBER && token.number > 0 && !token.imaginary) { /* a decimal's is 0 */
            item.number = token.number;
        } else if (token.kind == HB_TOKEN_NAME || (token.kind == HB_TOKEN_QUOTED && token.to > token.from)) {
            item.word_length = token.to - token.from;
        } else {
            return expected(p, "the name of a column, or its number from 1");
        }
        item.word = token.from;
        item.at = token.from + 1;
        item.to = token.to + (token.kind == HB_TOKEN_QUOTED);
        HB_TRY(hb_lexer_advance(&p->lexer));
        HB_TRY(append(p, item));
    }
    return HB_OK;
}

/* A power of a power needs parentheses, as readers differ on which comes first. */
static hb_status power(parser *p)
{
    HB_TRY(picked(p));
    if (!at_symbol(p, '^')) {
        return HB_OK;
    }
    hb_item item = {.kind = HB_ITEM_POWER, .at = p->lexer.token.from + 1, .from = last_item(p)->from};
    HB_TRY(hb_lexer_advance(&p->lexer));
    if (p->lexer.token.kind != HB_TOKEN_NUMBER && !at_symbol(p, '(')) {
        return expected(p, "a constant exponent, 1 or more");
    }
    /* Any expression in parentheses; whether it is constant is seen later, with its value. */
    HB_TRY(primary(p));
    item.to = last_item(p)->to;
    HB_TRY(append(p, item));
    return at_symbol(p, '^') ? expected(p, "parentheses around one of the two powers") : HB_OK;
}

/* Parses signs: each is an item of its own, so that -x^2 is -(x^2). */
static hb_status signed_power(parser *p)
{
    if (!at_symbol(p, '-')) {
        return power(p);
    }
    hb_item item = {.kind = HB_ITEM_NEGATE, .at = p->lexer.token.from + 1, .from = p->lexer.token.from};
    /* Signs recurse as parentheses do. */
    HB_TRY(enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(signed_power(p));
    p->depth--;
    item.to = last_item(p)->to;
    return append(p, item);
}

/* Parses the operator at which the parser stands and its right operand, by `operand`; the left one is there already. */
static hb_status infix(parser *p, hb_item_kind kind, hb_status (*operand)(parser *))
{
    hb_item item = {.kind = kind, .at = p->lexer.token.from + 1, .from = last_item(p)->from};
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(operand(p));
    item.to = last_item(p)->to;
    return append(p, item);
}

static hb_status term(parser *p)
{
    HB_TRY(signed_power(p));
    while (at_symbol(p, '*') || at_symbol(p, '/') || at_symbol(p, '@')) {
        const hb_item_kind kind = at_symbol(p, '*') ? HB_ITEM_MULTIPLY : HB_ITEM_DIVIDE;
        HB_TRY(infix(p, at_symbol(p, '@') ? HB_ITEM_MATRIX : kind, signed_power));
    }
    return HB_OK;
}

static hb_status sum(parser *p)
{
    HB_TRY(term(p));
    while (at_symbol(p, '+') || at_symbol(p, '-')) {
        HB_TRY(infix(p, at_symbol(p, '+') ? HB_ITEM_ADD : HB_ITEM_SUBTRACT, term));
    }
    return HB_OK;
}

static bool at_comparison(const parser *p)
{
    return at_symbol(p, '<') || at_symbol(p, '>');
}

/* a < b < c is no chain here, and what people mean by it is none of (a < b) < c. */
static hb_status expression(parser *p)
{
    HB_TRY(sum(p));
    if (!at_comparison(p)) {
        return HB_OK;
    }
    HB_TRY(infix(p, at_symbol(p, '<') ? HB_ITEM_LESS : HB_ITEM_GREATER, sum));
    return at_comparison(p) ? expected(p, "one comparison at a time; (a < b)*(b < c) is both") : HB_OK;
}

/* Returns whether the parser stands where a statement ends: a } ends the last one of a loop. */
static bool at_end(const parser *p)
{
    const hb_token_kind kind = p->lexer.token.kind;
    return kind == HB_TOKEN_END || kind == HB_TOKEN_SEPARATOR || (p->loops > 0 && at_symbol(p, '}'));
}

/* Parses one assignment, up to what separates it from the next. */
static hb_status assignment(parser *p, hb_token token)
{
    hb_item item = {.kind = HB_ITEM_ASSIGN,
                    .word = token.from,
                    .word_length = token.to - token.from,
                    .at = token.from + 1,
                    .from = token.from};
    /* Such a name in front of a parenthesis would be the function. */
    for (uint32_t i = 0; i < HB_CALLS; i++) {
        if (functions[i].reserved && hb_item_is(p->syntax, &item, hb_call_names[i])) {
            return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item.at, "%s is a function; choose another name for the result",
                              hb_call_names[i]);
        }
    }
    HB_TRY(take(p, '=', "= (a statement is name = expression)"));
    HB_TRY(expression(p));
    /* The assignment stands behind its value, as every operation stands behind its operands. */
    item.to = last_item(p)->to;
    HB_TRY(append(p, item));
    return at_end(p) ? HB_OK : expected(p, "an operator or the end");
}

static hb_status statements(parser *p);

/* Parses a loop, at whose number of iterations the parser stands; `token` is its first word. The body is read once for
 * every iteration. */
static hb_status loop(parser *p, hb_token token)
{
    const hb_token number = p->lexer.token;
    const uint32_t before = p->syntax->count;
    if (number.decimal || number.imaginary || number.number < 1 || number.number > HB_SYNTAX_MAX_ITEMS) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, number.from + 1, "a loop is repeated 1 to %u times",
                          HB_SYNTAX_MAX_ITEMS);
    }
    HB_TRY(enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(take(p, '{', "{ (a loop is repeat 10 { name = expression })"));
    const hb_lexer body = p->lexer;
    const bool outermost = p->loops++ == 0;
    for (uint32_t i = 0; i < (uint32_t)number.number; i++) {
        p->lexer = body;
        p->turn = outermost ? i + 1 : p->turn;
        p->turns = outermost ? (uint32_t)number.number : p->turns;
        const bool last = i + 1 == (uint32_t)number.number;
        p->again += !last;
        HB_TRY(statements(p));
        p->again -= !last;
        if (!at_symbol(p, '}')) {
            return expected(p, "} at the end of the loop");
        }
        if (p->syntax->count == before) {
            return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, token.from + 1, "there is nothing in this loop");
        }
    }
    p->loops--;
    p->syntax->loops = true;
    p->turn = outermost ? 0 : p->turn;
    p->turns = outermost ? 0 : p->turns;
    p->depth--;
    HB_TRY(hb_lexer_advance(&p->lexer));
    return at_end(p) ? HB_OK : expected(p, "the end of the statement behind a loop");
}

/* A loop begins with a name that others may have as well: a number stands behind it, where = does of a result. */
static hb_status statement(parser *p)
{
    const hb_token token = p->lexer.token;
    const hb_item word = {.word = token.from, .word_length = token.to - token.from};
    if (token.kind != HB_TOKEN_NAME) {
        return expected(p, "a statement, name = expression");
    }
    HB_TRY(hb_lexer_advance(&p->lexer));
    return p->lexer.token.kind == HB_TOKEN_NUMBER && hb_item_is(p->syntax, &word, "repeat") ? loop(p, token)
                                                                                            : assignment(p, token);
}

/* Parses statements up to the end, of the text or of a loop. Empty ones are allowed: lines without words, a ; at the
 * end. */
static hb_status statements(parser *p)
{
    while (p->lexer.token.kind != HB_TOKEN_END && !(p->loops > 0 && at_symbol(p, '}'))) {
        HB_TRY(p->lexer.token.kind == HB_TOKEN_SEPARATOR ? hb_lexer_advance(&p->lexer) : statement(p));
    }
    return HB_OK;
}

hb_status hb_syntax_parse(hb_syntax *syntax, const char *text)
{
    *syntax = (hb_syntax){.text = text};
    if (strlen(text) > HB_SYNTAX_MAX_TEXT) {
        return HB_FAIL(HB_EUSAGE, "the expression has more than %u bytes", HB_SYNTAX_MAX_TEXT);
    }
    parser p = {.lexer = {.text = text}, .syntax = syntax};
    HB_TRY(hb_lexer_advance(&p.lexer));
    HB_TRY(statements(&p));
    return syntax->count > 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "the expression is empty; it is made of name = expression");
}
