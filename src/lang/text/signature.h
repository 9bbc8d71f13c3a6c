/* Signatures of the functions of the language: the form of a call and its arguments. The rows belong to the functions
 * (lang/functions); the parser gets a list of them. */
#ifndef HB_LANG_TEXT_SIGNATURE_H
#define HB_LANG_TEXT_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hb_signature {
    const char *name;
    const char *form;     /* how it is written, for messages and the page of the language */
    const char *says;     /* one or two sentences about its result, for the page: Markdown of one line */
    uint32_t least, most; /* arguments */
    const char *alone;    /* advice of the message where it has one argument alone; NULL: none */
    const char *reals;    /* not NULL: schemes of integers do not have it, and this is said then */
    bool reserved;        /* no result may have its name; results older than a function keep theirs */
    bool interval;        /* behind its argument two ends of an interval may stand */
    bool members;         /* from its second argument on it takes ranges, texts and entries besides expressions */
    bool aggregate;       /* of all rows: its first argument may be `x where condition` */
    bool groups;          /* aggregates among its arguments are of each group: they are only noted (hb_item.grouped) */
    bool parentheses;     /* several values in parentheses are it, too */
    bool matches;         /* the columns of its arguments are matched as those of an operator */
    bool matrix;          /* its result is a matrix within each sample, of the columns of its first argument */
    bool row;             /* its result is one column, of all that a row has */
    bool complex;         /* it takes complex numbers apart */
    uint32_t table;       /* the argument, from 1, that may be a plain table of a shape of its own; 0: none */
} hb_signature;

#endif
