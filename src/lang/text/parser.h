/* Recursive descent through the words of a text; the grammar stands at the beginning of parser.c. Private to this
 * folder. */
#ifndef HB_LANG_TEXT_PARSER_H
#define HB_LANG_TEXT_PARSER_H

#include "base/hash.h"
#include "lexer.h"
#include "syntax.h"

/* A way through a text, one word ahead, and the items so far. */
typedef struct hb_parser {
    hb_lexer lexer;
    hb_syntax *syntax;
    uint32_t capacity, depth;
    uint32_t loops;       /* that are open */
    uint64_t written;     /* items so far, as many times as they are repeated */
    hb_index_table names; /* items: the first one of each name */
} hb_parser;

/* Return whether the parser stands at a symbol (lexer.h), and at a word that is an operator where one may stand, and a
 * name elsewhere. */
bool hb_parser_at(const hb_parser *p, int symbol);
bool hb_parser_at_word(const hb_parser *p, const char *word);
/* Fails, HB_EUSAGE, at the word that the parser stands at. */
hb_status hb_parser_expected(const hb_parser *p, const char *what);
/* Goes past a symbol; HB_EUSAGE where another word stands. */
hb_status hb_parser_take(hb_parser *p, int symbol, const char *what);
/* Goes one level deeper, at the word that opens it. The limit bounds the stack: each level is a few calls. HB_EUSAGE
 * beyond it; the function that closes the level takes it off `depth`. */
hb_status hb_parser_enter(hb_parser *p);
/* Returns the last item, valid until the next one is appended; there is one. */
hb_item *hb_parser_last(const hb_parser *p);
/* Appends an item. HB_ENOMEM. */
hb_status hb_parser_append(hb_parser *p, hb_item item);
/* Parses the operator at which the parser stands and its right operand, by `operand`; the left one is there already.
 * HB_EUSAGE at the place, HB_ENOMEM. */
hb_status hb_parser_infix(hb_parser *p, hb_item_kind kind, hb_status (*operand)(hb_parser *));
/* Parses the rest of a chain behind its first operand, "word operand word operand ..", as one item of all operands;
 * nothing where the word is missing. HB_EUSAGE at the place, HB_ENOMEM. */
hb_status hb_parser_chain(hb_parser *p, hb_item_kind kind, const char *word, hb_status (*operand)(hb_parser *));
/* Parses the operator at which the parser stands before its operand, by `operand`, one level deeper. HB_EUSAGE at the
 * place, HB_ENOMEM. */
hb_status hb_parser_prefix(hb_parser *p, hb_item_kind kind, hb_status (*operand)(hb_parser *));

/* parse_expression.c. Parses an expression of the grammar, and appends its items. HB_EUSAGE with the place;
 * HB_ENOMEM. */
hb_status hb_parse_expression(hb_parser *p);

#endif
