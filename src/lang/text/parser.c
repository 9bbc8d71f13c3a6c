/* Recursive descent:
 *   text       = [statement] { (";" | line end) [statement] }
 *   statement  = name "=" expression | "repeat" number "{" text "}"
 *   argument   = expression [ "where" expression ]
 *   expression = both { "or" both }
 *   both       = negation { "and" negation }
 *   negation   = "not" negation | comparison
 *   comparison = sum [ ("==" | "!=" | "<" | ">" | "<=" | ">=") sum
 *                     | ["not"] "in" "(" range { "," range } ")" | ["not"] "between" sum "and" sum ]
 *   member     = range [ ":" expression ]
 *   range      = sum [ ".." sum ]
 *   sum        = term { ("+" | "-") term }
 *   term       = signed { ("*" | "/" | "@") signed }
 *   signed     = "-" signed | power
 *   power      = picked [ "^" (number | "(" expression ")") ]
 *   picked     = primary { "." (name | quoted | number) }
 *   primary    = number | text | name | name "(" [ argument { "," argument } ] ")"
 *              | "(" expression { "," expression } ")"
 * Words such as "and" are names where one is expected. Which functions take members is said of each (signature.h). */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

#define IN_QUOTES "; a column with more in its name than letters, digits and _ is picked in quotes, as a.\"odd name\""

bool hb_parser_at(const hb_parser *p, int symbol)
{
    return p->lexer.token.kind == HB_TOKEN_SYMBOL && p->lexer.token.symbol == symbol;
}

/* Whether a column that was picked without quotes may go on with the word that the parser stands at. */
static bool may_go_on(const hb_parser *p)
{
    const hb_token *token = &p->lexer.token;
    const hb_item *last = p->syntax->count > 0 ? hb_parser_last(p) : NULL;
    last -= last != NULL && last->kind == HB_ITEM_ASSIGN; /* which stands behind its value */
    if (last == NULL || last->kind != HB_ITEM_PICK || last->word_length == 0) {
        return false;
    }
    const uint32_t end = last->word + last->word_length;
    const bool word = token->kind == HB_TOKEN_NAME || token->kind == HB_TOKEN_NUMBER || hb_parser_at(p, '(');
    const bool next = end + strspn(p->lexer.text + end, " \t") == token->from;
    return (word && next) || p->lexer.text[end] == '.';
}

/* Returns advice about a word in the place of an operator or an operand, for things that people often try; else "". */
static const char *advice_on(const hb_parser *p, const char *what)
{
    const hb_token *token = &p->lexer.token;
    const bool operand = strncmp(what, "a name", strlen("a name")) == 0;
    if (operand && token->kind == HB_TOKEN_QUOTED) {
        return "; a text stands in single quotes";
    }
    if (operand && hb_parser_at(p, '*')) {
        const uint32_t from = token->from;
        return from > 0 && p->lexer.text[from - 1] == '(' ? "; count() counts the rows" : "; powers are written x^2";
    }
    const bool column = strncmp(what, "the name of a column", strlen("the name of a column")) == 0;
    if (column && may_go_on(p)) {
        return IN_QUOTES;
    }
    if (strncmp(what, "an operator", strlen("an operator")) != 0) {
        return "";
    }
    if (hb_parser_at(p, '=')) {
        return "; values are compared by ==";
    }
    if (hb_parser_at_word(p, "where")) {
        return "; write where inside an aggregate, as in sum(x where c), or fetch(x where c, 20) for "
               "the rows themselves";
    }
    if (hb_parser_at_word(p, "group")) {
        return "; groups are made by groupby(a.key, sum(a.x))";
    }
    return may_go_on(p) ? IN_QUOTES : "";
}

/* Fails at the word that the parser stands at. */
hb_status hb_parser_expected(const hb_parser *p, const char *what)
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
    return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, token->from + 1, "expected %s, found %s%s", what, found,
                      advice_on(p, what));
}

/* A word that is an operator where one may stand, and a name elsewhere. */
bool hb_parser_at_word(const hb_parser *p, const char *word)
{
    const hb_token *token = &p->lexer.token;
    return token->kind == HB_TOKEN_NAME && token->to - token->from == strlen(word) &&
           memcmp(p->lexer.text + token->from, word, strlen(word)) == 0;
}

hb_status hb_parser_take(hb_parser *p, int symbol, const char *what)
{
    return hb_parser_at(p, symbol) ? hb_lexer_advance(&p->lexer) : hb_parser_expected(p, what);
}

hb_item *hb_parser_last(const hb_parser *p)
{
    return &p->syntax->items[p->syntax->count - 1];
}

/* A name that is looked for. */
typedef struct name_search {
    const hb_syntax *syntax;
    const hb_item *item;
} name_search;

static bool is_name(const void *context, uint32_t index)
{
    const name_search *s = context;
    const hb_item *x = &s->syntax->items[index];
    return x->word_length == s->item->word_length &&
           memcmp(s->syntax->text + x->word, s->syntax->text + s->item->word, x->word_length) == 0;
}

/* Numbers the name of an item that is appended next: equal words have one number. */
static void number_name(hb_parser *p, hb_item *item)
{
    hb_syntax *s = p->syntax;
    const name_search search = {s, item};
    uint64_t hash = 0;
    for (uint32_t i = 0; i < item->word_length; i++) {
        hash = hb_hash_word(hash, (unsigned char)s->text[item->word + i]);
    }
    uint32_t *place = hb_index_table_find(&p->names, hash, is_name, &search);
    if (*place == HB_NO_INDEX) {
        *place = s->count;
        item->name = s->names++;
    } else {
        item->name = s->items[*place].name;
    }
}

hb_status hb_parser_append(hb_parser *p, hb_item item)
{
    hb_syntax *s = p->syntax;
    if (s->count == p->capacity) {
        const uint32_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity;
        hb_item *items = realloc(s->items, capacity * sizeof *items);
        if (!items) {
            return HB_FAIL(HB_ENOMEM, "no memory for an expression");
        }
        s->items = items;
        p->capacity = capacity;
    }
    item.size = 1;
    for (uint32_t operands = hb_item_operands(&item); operands > 0; operands--) {
        item.size += s->items[s->count - item.size].size;
    }
    if (item.kind == HB_ITEM_NAME || item.kind == HB_ITEM_ASSIGN) {
        number_name(p, &item);
    }
    s->items[s->count++] = item;
    p->written += item.kind != HB_ITEM_REPEAT;
    return HB_OK;
}

/* Goes one level deeper, at the token that opens it. The limit bounds the stack: each level is a few calls. */
hb_status hb_parser_enter(hb_parser *p)
{
    if (++p->depth > HB_SYNTAX_MAX_DEPTH) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, p->lexer.token.from + 1,
                          "more than %d parentheses, calls, signs and loops within each other; name parts of it",
                          HB_SYNTAX_MAX_DEPTH);
    }
    return HB_OK;
}

/* Parses the operator at which the parser stands and its right operand, by `operand`; the left one is there already. */
hb_status hb_parser_infix(hb_parser *p, hb_item_kind kind, hb_status (*operand)(hb_parser *))
{
    hb_item item = {.kind = kind, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(operand(p));
    item.to = hb_parser_last(p)->to;
    return hb_parser_append(p, item);
}

hb_status hb_parser_chain(hb_parser *p, hb_item_kind kind, const char *word, hb_status (*operand)(hb_parser *))
{
    hb_item item = {.kind = kind, .arguments = 1, .at = p->lexer.token.from + 1, .from = hb_parser_last(p)->from};
    for (; hb_parser_at_word(p, word); item.arguments++) {
        HB_TRY(hb_lexer_advance(&p->lexer));
        HB_TRY(operand(p));
        item.to = hb_parser_last(p)->to;
    }
    return item.arguments > 1 ? hb_parser_append(p, item) : HB_OK;
}

hb_status hb_parser_prefix(hb_parser *p, hb_item_kind kind, hb_status (*operand)(hb_parser *))
{
    hb_item item = {.kind = kind, .at = p->lexer.token.from + 1, .from = p->lexer.token.from};
    HB_TRY(hb_parser_enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(operand(p));
    p->depth--;
    item.to = hb_parser_last(p)->to;
    return hb_parser_append(p, item);
}

/* Returns whether the parser stands where a statement ends: a } ends the last one of a loop. */
static bool at_end(const hb_parser *p)
{
    const hb_token_kind kind = p->lexer.token.kind;
    return kind == HB_TOKEN_END || kind == HB_TOKEN_SEPARATOR || (p->loops > 0 && hb_parser_at(p, '}'));
}

/* Refuses a statement that begins with a value, at `token`: its result has no name. */
static hb_status unnamed(const hb_parser *p, hb_token token)
{
    char call[48];
    const char *text = p->lexer.text;
    hb_excerpt(call, sizeof call, text, token.from, token.from + (uint32_t)strcspn(text + token.from, ";\n"));
    return HB_FAIL_AT(HB_EUSAGE, text, token.from + 1, "the result has no name: write y = %s", call);
}

/* Whether the parser stands behind the first name of a value: at an operator, or where a column is picked. */
static bool goes_on(const hb_parser *p)
{
    static const char operators[] = "+-*/@^<>.";
    for (const char *symbol = operators; *symbol != '\0'; symbol++) {
        if (hb_parser_at(p, *symbol)) {
            return true;
        }
    }
    return false;
}

/* Parses one assignment, up to the separator before the next. */
static hb_status assignment(hb_parser *p, hb_token token)
{
    hb_item item = {.kind = HB_ITEM_ASSIGN,
                    .word = token.from,
                    .word_length = token.to - token.from,
                    .at = token.from + 1,
                    .from = token.from};
    /* Such a name in front of a parenthesis would be the function. */
    for (const hb_signature *const *call = p->syntax->functions; *call != NULL; call++) {
        if (hb_item_is(p->syntax, &item, (*call)->name) && hb_parser_at(p, '(')) {
            return unnamed(p, token);
        }
        if ((*call)->reserved && hb_item_is(p->syntax, &item, (*call)->name)) {
            return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item.at, "%s is a function; choose another name for the result",
                              (*call)->name);
        }
    }
    if (hb_parser_at(p, '(')) {
        return hb_fail_function(p->syntax, &item);
    }
    if (goes_on(p)) {
        return unnamed(p, token);
    }
    HB_TRY(hb_parser_take(p, '=', "= (a statement is name = expression)"));
    HB_TRY(hb_parse_expression(p));
    /* The assignment stands behind its value, as every operation stands behind its operands. */
    item.to = hb_parser_last(p)->to;
    HB_TRY(hb_parser_append(p, item));
    return at_end(p) ? HB_OK : hb_parser_expected(p, "an operator or the end");
}

static hb_status statements(hb_parser *p);

/* Parses a loop, at whose number of iterations the parser stands; `token` is its first word. */
static hb_status loop(hb_parser *p, hb_token token)
{
    const hb_token number = p->lexer.token;
    const uint32_t before = p->syntax->count;
    if (number.decimal || number.imaginary || number.number < 1 || number.number > HB_SYNTAX_MAX_ITEMS) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, number.from + 1, "a loop is repeated 1 to %u times",
                          HB_SYNTAX_MAX_ITEMS);
    }
    const hb_item item = {.kind = HB_ITEM_REPEAT, .number = number.number, .at = token.from + 1, .from = token.from};
    const uint64_t written = p->written;
    HB_TRY(hb_parser_enter(p));
    HB_TRY(hb_lexer_advance(&p->lexer));
    HB_TRY(hb_parser_take(p, '{', "{ (a loop is repeat 10 { name = expression })"));
    HB_TRY(hb_parser_append(p, item));
    p->loops++;
    HB_TRY(statements(p));
    p->loops--;
    if (!hb_parser_at(p, '}')) {
        return hb_parser_expected(p, "} at the end of the loop");
    }
    if (p->syntax->count == before + 1) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item.at, "there is nothing in this loop");
    }
    p->written = written + (p->written - written) * (uint64_t)number.number;
    if (p->written > HB_SYNTAX_MAX_ITEMS) {
        return HB_FAIL_AT(HB_EUSAGE, p->lexer.text, item.at,
                          "loops written out come to more than %u operations and names", HB_SYNTAX_MAX_ITEMS);
    }
    p->syntax->items[before].end = p->syntax->count;
    p->syntax->items[before].to = p->lexer.token.to;
    p->syntax->loops = true;
    p->depth--;
    HB_TRY(hb_lexer_advance(&p->lexer));
    return at_end(p) ? HB_OK : hb_parser_expected(p, "the end of the statement behind a loop");
}

/* A loop begins with a name that others may have as well: a number stands behind it, where = does of a result. */
static hb_status statement(hb_parser *p)
{
    const hb_token token = p->lexer.token;
    const hb_item word = {.word = token.from, .word_length = token.to - token.from};
    if (token.kind != HB_TOKEN_NAME) {
        return hb_parser_expected(p, "a statement, name = expression");
    }
    HB_TRY(hb_lexer_advance(&p->lexer));
    return p->lexer.token.kind == HB_TOKEN_NUMBER && hb_item_is(p->syntax, &word, "repeat") ? loop(p, token)
                                                                                            : assignment(p, token);
}

/* Parses statements up to the end, of the text or of a loop. Empty ones are allowed: lines without words, a ; at the
 * end. */
static hb_status statements(hb_parser *p)
{
    while (p->lexer.token.kind != HB_TOKEN_END && !(p->loops > 0 && hb_parser_at(p, '}'))) {
        HB_TRY(p->lexer.token.kind == HB_TOKEN_SEPARATOR ? hb_lexer_advance(&p->lexer) : statement(p));
    }
    return HB_OK;
}

hb_status hb_syntax_parse(hb_syntax *syntax, const char *text, const hb_signature *const *functions)
{
    *syntax = (hb_syntax){.text = text, .functions = functions};
    if (strlen(text) > HB_SYNTAX_MAX_TEXT) {
        return HB_FAIL(HB_EUSAGE, "the expression has more than %u bytes", HB_SYNTAX_MAX_TEXT);
    }
    hb_parser p = {.lexer = {.text = text}, .syntax = syntax};
    hb_status st;
    HB_GOTO(hb_index_table_init(&p.names, strlen(text) / 2 + 1)); /* something stands between two names */
    HB_GOTO(hb_lexer_advance(&p.lexer));
    st = statements(&p);
done:
    hb_index_table_clear(&p.names);
    HB_TRY(st);
    return syntax->count > 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "the expression is empty; it is made of name = expression");
}
