/* Names of an expression, and the files that the words "name=path" beside it bind to them. */
#ifndef HB_EXPRESSION_TEXT_BINDING_H
#define HB_EXPRESSION_TEXT_BINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* What a job file lists it among; of the command line, the expression says. */
typedef enum hb_binding_side { HB_BINDING_EITHER, HB_BINDING_INPUT, HB_BINDING_OUTPUT } hb_binding_side;

typedef struct hb_binding {
    char *name, *path; /* owned */
    hb_binding_side side;
} hb_binding;

/* A name of the expression language: letters, digits and _, no digit first. */
bool hb_name_valid(const char *name);

/* "name=path": HB_EUSAGE with the word otherwise. The caller clears *binding, also after a failure. */
hb_status hb_binding_parse(const char *word, hb_binding *binding);
void hb_binding_clear(hb_binding *binding);
/* The index of the binding of that name, or `count`. */
uint32_t hb_binding_find(const hb_binding *bindings, uint32_t count, const char *name);

#endif
