#include "lexer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoted.h"
#include "table/real_text.h"
#include "unavailable.h"

/* Not <ctype.h>, which asks the locale: names are ASCII everywhere. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Goes past blanks and comments. Outside of parentheses the end of a line is a word of its own. */
static void skip_blanks(hb_lexer *lexer)
{
    const char *text = lexer->text;
    for (;; lexer->next++) {
        const char c = text[lexer->next];
        if (c == '#') {
            /* To the last character of the comment: the end of its line is looked at next. */
            lexer->next += (uint32_t)strcspn(text + lexer->next, "\n");
            lexer->next--;
        } else if (c != ' ' && c != '\t' && c != '\r' && (c != '\n' || lexer->open == 0)) {
            return;
        }
    }
}

static uint32_t past_digits(const char *text, uint32_t at)
{
    while (is_digit(text[at])) {
        at++;
    }
    return at;
}

/* Returns where the number that begins at text[at] ends: digits[.digits][e[+-]digits]. */
static uint32_t past_number(const char *text, uint32_t at)
{
    at = past_digits(text, at);
    if (text[at] == '.' && text[at + 1] != '.') { /* two are a range */
        at = past_digits(text, at + 1);
    }
    if (text[at] == 'e' || text[at] == 'E') {
        const uint32_t digits = at + 1 + (text[at + 1] == '-' || text[at + 1] == '+');
        at = is_digit(text[digits]) ? past_digits(text, digits) : at;
    }
    return at;
}

/* A sign is an operator, so a number is never negative here. */
static hb_status take_number(hb_lexer *lexer, hb_token *token)
{
    const char *text = lexer->text, *from = text + token->from;
    const uint32_t at = token->from + 1, digits = past_digits(text, token->from);
    token->to = past_number(text, token->from);
    token->decimal = token->to > digits;
    if (text[digits] == '.' && text[digits + 1] != '.' && !is_digit(text[digits + 1])) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "a number with nothing behind its point");
    }
    token->imaginary = text[token->to] == 'i' && !is_letter(text[token->to + 1]) && !is_digit(text[token->to + 1]);
    const uint32_t end = token->to + token->imaginary;
    /* Else 2x would be read as two words, and be called a missing operator elsewhere. */
    if (is_letter(text[end])) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "a number and a name with nothing between them; write * for a product");
    }
    const hb_real_fault fault = hb_real_parse(&from, text + token->to, &token->real);
    if (fault != HB_REAL_GOOD) {
        return fault == HB_REAL_NO_MEMORY ? HB_FAIL(HB_ENOMEM, "no memory for a number")
                                          : HB_FAIL_AT(HB_EUSAGE, text, at, "the number is too large");
    }
    errno = 0;
    token->number = token->decimal ? 0 : strtoll(text + token->from, NULL, 10);
    if (errno != 0) { /* among reals it is a number as any */
        token->number = 0;
        token->decimal = true;
    }
    token->to = end;
    return HB_OK;
}

/* Takes a name in quotes, or a text, which may have any characters but a line's end. */
static hb_status take_quoted(hb_lexer *lexer, hb_token *token)
{
    const char *text = lexer->text;
    const uint32_t opening = token->from++;
    size_t length;
    const char quote = text[opening];
    const bool closed = hb_quoted_length(text + token->from, quote, &length);
    token->to = token->from + (uint32_t)length;
    if (!closed) {
        return HB_FAIL_AT(HB_EUSAGE, text, opening + 1, "the quoted %s is not closed by another %c on its line",
                          quote == '"' ? "name" : "text", quote);
    }
    return HB_OK;
}

static bool is_pair(const char *text)
{
    return text[1] == '=' ? strchr("=!<>", text[0]) != NULL : text[0] == '.' && text[1] == '.';
}

/* Refuses a token, with advice for things that people often try. */
static hb_status refuse(const hb_lexer *lexer, const hb_token *token)
{
    const char *text = lexer->text;
    const uint32_t at = token->from + 1;
    const char *advice = hb_unavailable_operator(text + token->from);
    if (advice != NULL) {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "%s", advice);
    }
    if (text[token->from] == '[') {
        return HB_FAIL_AT(HB_EUSAGE, text, at, "a column is picked as a.name, a.\"odd name\" or, counted from 1, a.3");
    }
    if ((unsigned char)text[token->from] >= 0x80) {
        return HB_FAIL_AT(HB_EUSAGE, text, at,
                          "names have letters a to z, digits and _; a column with another one is picked as "
                          "a.\"odd name\"");
    }
    return HB_FAIL_AT(HB_EUSAGE, text, at, "expected a name, a number or one of + - * / @ ^ < > ( ) , . = ; here");
}

hb_status hb_lexer_advance(hb_lexer *lexer)
{
    skip_blanks(lexer);
    const char *text = lexer->text, c = text[lexer->next];
    hb_token token = {.kind = HB_TOKEN_SYMBOL, .symbol = c, .from = lexer->next, .to = lexer->next + 1};
    uint32_t next = token.to;
    if (c == '\0') {
        token.kind = HB_TOKEN_END;
        token.to = next = token.from;
    } else if (c == ';' || c == '\n') {
        token.kind = HB_TOKEN_SEPARATOR;
    } else if (is_digit(c)) {
        token.kind = HB_TOKEN_NUMBER;
        HB_TRY(take_number(lexer, &token));
        next = token.to;
    } else if (is_letter(c)) {
        token.kind = HB_TOKEN_NAME;
        while (is_letter(text[next]) || is_digit(text[next])) {
            next++;
        }
        token.to = next;
    } else if (c == '"' || c == '\'') {
        token.kind = c == '"' ? HB_TOKEN_QUOTED : HB_TOKEN_TEXT;
        HB_TRY(take_quoted(lexer, &token));
        next = token.to + 1;
    } else if (is_pair(text + lexer->next)) {
        token.symbol = HB_SYMBOL_PAIR(c, text[next]);
        token.to = ++next;
    } else if (strchr("+-*/@^(){},:.=<>", c) == NULL) {
        return refuse(lexer, &token);
    }
    /* Counted here, as only the lexer needs it; one that closes nothing is the parser's to refuse. */
    lexer->open += token.kind == HB_TOKEN_SYMBOL && c == '(';
    lexer->open -= token.kind == HB_TOKEN_SYMBOL && c == ')' && lexer->open > 0;
    lexer->next = next;
    lexer->token = token;
    return HB_OK;
}
