/* An expression as a tree, in one list: operands stand before their operation (postfix order), so that most readers are
 * one loop. Each item knows how many items its tree has, and so its operands are found from it. A loop of the language
 * is one item in front of its body (HB_ITEM_REPEAT), which stands there once: walk.h goes through it as often as it is
 * repeated. */
#ifndef HB_LANG_TEXT_SYNTAX_H
#define HB_LANG_TEXT_SYNTAX_H

#include <stdbool.h>

#include "place.h"
#include "signature.h"

/* Limits against hostile input: bytes of an expression; parentheses, calls, signs and loops within each other; items,
 * as many times as they are repeated. */
#define HB_SYNTAX_MAX_TEXT 65536u /* 2^16 */
#define HB_SYNTAX_MAX_DEPTH 200
#define HB_SYNTAX_MAX_ITEMS 1000000u /* 10^6 */

/* The kind of an item, and which of its members say more. */
typedef enum hb_item_kind {
    HB_ITEM_NUMBER, /* number */
    HB_ITEM_NAME,   /* word */
    HB_ITEM_TEXT,   /* word: between single quotes; a side of a comparison or of `in` */
    HB_ITEM_PICK,   /* of one value: its column `word`, or column `number` where word_length is 0 */
    HB_ITEM_NEGATE, /* of one value */
    HB_ITEM_ADD,    /* of two values, as the eleven below */
    HB_ITEM_SUBTRACT,
    HB_ITEM_MULTIPLY,
    HB_ITEM_DIVIDE,
    HB_ITEM_POWER,
    HB_ITEM_MATRIX, /* the rows of a table of weights times columns */
    HB_ITEM_LESS,   /* comparisons are 1 where they are true, else 0 */
    HB_ITEM_GREATER,
    HB_ITEM_LESS_EQUAL,
    HB_ITEM_GREATER_EQUAL,
    HB_ITEM_EQUAL,
    HB_ITEM_NOT_EQUAL,
    HB_ITEM_AND, /* of `arguments`: all that stand between `and`s; likewise */
    HB_ITEM_OR,
    HB_ITEM_NOT,     /* of one value */
    HB_ITEM_BETWEEN, /* of three: the first from the second to the third, both included */
    HB_ITEM_IN,      /* of `arguments`: the first, and the members it is looked for among */
    HB_ITEM_MISSING, /* of one value: it is missing */
    HB_ITEM_WHERE,   /* of two: the first where the second is 1, inside of an aggregate */
    HB_ITEM_RANGE,   /* of two, its ends, both included; a member */
    HB_ITEM_ENTRY,   /* of two: a key, which may be a range, and the value that belongs to it; a member */
    HB_ITEM_CALL,    /* function, of `arguments` values */
    HB_ITEM_ASSIGN,  /* word = the one value there is */
    HB_ITEM_REPEAT   /* the items behind it and before item `end`, `number` times; takes and leaves no value */
} hb_item_kind;

/* One item of the list. */
typedef struct hb_item {
    hb_item_kind kind;
    const hb_signature *call; /* of a call: the function */
    uint32_t arguments;
    int64_t number;             /* of a number that is no decimal, and of a column picked by its place */
    double real;                /* of a number */
    bool decimal;               /* of a number: it is no integer */
    bool imaginary;             /* of a number: it is times i */
    uint32_t word, word_length; /* text[word .. word + word_length), without quotes */
    uint32_t name;              /* of a name and of an assignment: the number of its word among all names, from 0 */
    uint32_t at;                /* its own place, not that of its operands */
    uint32_t from, to;          /* text[from .. to): all of it, operands included */
    uint32_t size;              /* items of its tree: itself and its operands with theirs, which end right before it */
    uint32_t end;               /* of a loop: the item behind its body */
    bool weights;               /* a name that stands on the left of @ */
    bool grouped; /* an aggregate of groups, an argument of the call that makes them; of cols, their keys */
} hb_item;

/* An expression that was parsed. */
typedef struct hb_syntax {
    const char *text;                     /* borrowed, as is ... */
    const hb_signature *const *functions; /* ... the list of all that there are, NULL-terminated */
    hb_item *items;                       /* owned */
    uint32_t count;
    uint32_t names; /* different words of names and assignments */
    bool loops;     /* there are some */
} hb_syntax;

/* Parses a text with calls of these functions, a NULL-terminated list; both are borrowed. Returns HB_EUSAGE with the
 * place where the text is no expression; HB_ENOMEM. The caller clears *syntax, also after a failure. */
hb_status hb_syntax_parse(hb_syntax *syntax, const char *text, const hb_signature *const *functions);
void hb_syntax_clear(hb_syntax *syntax);

/* Returns how many values an item takes, which stand before it. */
uint32_t hb_item_operands(const hb_item *item);
/* Sets operands [hb_item_operands] to the items that make these values, in their order. */
static inline void hb_item_find_operands(const hb_item *item, const hb_item **operands)
{
    uint32_t back = 1;
    for (uint32_t i = hb_item_operands(item); i-- > 0; back += operands[i]->size) {
        operands[i] = item - back;
    }
}
/* Returns the item that makes operand i of an item. */
static inline const hb_item *hb_item_operand(const hb_item *item, uint32_t i)
{
    const hb_item *operand = item - 1;
    for (uint32_t behind = hb_item_operands(item) - 1; behind > i; behind--) {
        operand -= operand->size;
    }
    return operand;
}
/* Returns whether the word of an item is `name`. */
bool hb_item_is(const hb_syntax *syntax, const hb_item *item, const char *name);
/* Returns HB_EUSAGE at the item: `what`, its word, and the nearest of `names` (NULL-terminated, may be empty) if one is
 * near. */
hb_status hb_fail_unknown(const hb_syntax *syntax, const hb_item *item, const char *what, const char *const *names);
/* Returns HB_EUSAGE at the item, whose word is no function: with advice for functions that people often try, else with
 * the nearest function; HB_ENOMEM. */
hb_status hb_fail_function(const hb_syntax *syntax, const hb_item *item);

/* Returns the comparison of the two sides in the other order. */
hb_item_kind hb_comparison_turned(hb_item_kind kind);

#endif
