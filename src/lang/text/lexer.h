/* The words of an expression. */
#ifndef HB_LANG_TEXT_LEXER_H
#define HB_LANG_TEXT_LEXER_H

#include <stdbool.h>

#include "place.h"

/* The kind of a word. */
typedef enum hb_token_kind {
    HB_TOKEN_END,
    HB_TOKEN_SEPARATOR, /* ; or the end of a line outside parentheses */
    HB_TOKEN_NUMBER,
    HB_TOKEN_NAME,
    HB_TOKEN_QUOTED, /* a name; from and to are of the text between the quotes */
    HB_TOKEN_TEXT,   /* the same, in single quotes */
    HB_TOKEN_SYMBOL
} hb_token_kind;

/* Symbols of two characters. */
#define HB_SYMBOL_PAIR(first, second) ((first) << 8 | (second))

/* One word, and where it is. */
typedef struct hb_token {
    hb_token_kind kind;
    int symbol;        /* of a symbol: one of + - * / @ ^ ( ) { } , : . = < >, or HB_SYMBOL_PAIR of .. == != <= >= */
    uint32_t from, to; /* bytes text[from .. to) */
    bool decimal;      /* of a number: it has a point or an exponent, and is no integer of the language */
    int64_t number;    /* of a number, >= 0; 0 of a decimal */
    double real;       /* the double nearest to a number */
    bool imaginary;    /* of a number: an i behind it says that it is times i */
} hb_token;

/* A way through a text. It begins zeroed with `text` set, and hb_lexer_advance takes it to the first word. */
typedef struct hb_lexer {
    const char *text; /* borrowed */
    uint32_t next;    /* byte after `token` */
    uint32_t open;    /* parentheses that are not closed: in them a line break separates nothing */
    hb_token token;   /* the word to look at */
} hb_lexer;

/* Goes to the next word, past blanks and comments. Returns HB_EUSAGE with the place of text that is no word of the
 * language. */
hb_status hb_lexer_advance(hb_lexer *lexer);

#endif
