/* What the words beside an expression say: "name=path" binds a file to a name, "name=lo..hi" declares the range of an
 * operand's values. */
#ifndef HB_BINDING_H
#define HB_BINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "status.h"

typedef struct hb_binding {
    char *name, *path; /* owned */
} hb_binding;

typedef struct hb_range {
    char *name; /* owned */
    int64_t least, most;
} hb_range;

/* A name of the expression language: letters, digits and _, no digit first. */
bool hb_name_valid(const char *name);

/* "name=path": HB_EUSAGE with the word otherwise. The caller clears *binding, also after a failure. */
hb_status hb_binding_parse(const char *word, hb_binding *binding);
void hb_binding_clear(hb_binding *binding);
/* The index of the binding of that name, or `count`. */
uint32_t hb_binding_find(const hb_binding *bindings, uint32_t count, const char *name);

/* "a=0..150" or "a=0..150,b=-3..3". HB_EUSAGE with the word for anything else, for lo > hi, for a name that is there
 * twice. *ranges: allocated, free with hb_ranges_free; unchanged after a failure. */
hb_status hb_ranges_parse(const char *text, hb_range **ranges, uint32_t *count);
void hb_ranges_free(hb_range *ranges, uint32_t count);

#endif
