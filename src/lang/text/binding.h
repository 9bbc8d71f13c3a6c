/* Names of an expression, and the files that the words "name=path" beside it bind to them. Rank-local. */
#ifndef HB_LANG_TEXT_BINDING_H
#define HB_LANG_TEXT_BINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The list of a job file that has the binding. For a binding of the command line, the expression decides. */
typedef enum hb_binding_side { HB_BINDING_EITHER, HB_BINDING_INPUT, HB_BINDING_OUTPUT } hb_binding_side;

/* A name and the path of the file that it means. */
typedef struct hb_binding {
    char *name, *path; /* owned */
    hb_binding_side side;
} hb_binding;

/* Returns whether this is a name of the expression language: letters, digits and _, no digit first. */
bool hb_name_valid(const char *name);
/* Returns whether a name beside this character is a part of a longer word: it is a letter, a digit, _ or a byte of a
 * character that ASCII lacks. */
bool hb_name_goes_on(char c);
/* Returns whether the name at[0 .. length) is a word of the text: it does not go on before it, nor behind. */
bool hb_name_at(const char *text, const char *at, size_t length);

/* Parses "name=path". Returns HB_EUSAGE with the word for anything else; HB_ENOMEM. The caller clears *binding, also
 * after a failure. */
hb_status hb_binding_parse(const char *word, hb_binding *binding);
void hb_binding_clear(hb_binding *binding);
/* Returns whether a list of names with commas between them, "w,c", has the name; NULL: it has none. */
bool hb_name_listed(const char *list, const char *name);
/* HB_EUSAGE, naming the option, unless the list has names [count] alone; NULL: it has none. */
hb_status hb_name_list_check(const char *list, char *const *names, uint32_t count, const char *option);
/* The same of a list whose names may have numbers, "q=128,r", 1 or more: a name without one leaves *number as it is. */
bool hb_numbered_name(const char *list, const char *name, uint64_t *number);
hb_status hb_numbered_names_check(const char *list, char *const *names, uint32_t count, const char *option);
/* Lists of tables, "w=FILE,v=FILE": a comma ends a path where one of the names [count] and a = follow. Return which
 * name and = stand here, or `count`; and how long the path is that begins here. */
uint32_t hb_path_list_name(const char *at, char *const *names, uint32_t count);
size_t hb_path_list_length(const char *at, char *const *names, uint32_t count);
/* Returns the index of the first binding of that name, or `count`. */
uint32_t hb_binding_find(const hb_binding *bindings, uint32_t count, const char *name);

#endif
