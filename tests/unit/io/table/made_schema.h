/* A schema of a table that is written. */
#ifndef MADE_SCHEMA_H
#define MADE_SCHEMA_H

#include <stdlib.h>
#include <string.h>

#include "table/schema.h"

/* For integers of 64 bits, of which the first column is signed; names: [columns], or NULL. The caller clears it. */
static inline hb_schema make_schema(uint64_t rows, uint64_t columns, const char *const *names)
{
    hb_schema schema = {.rows = rows, .columns = columns, .rank = 2, .width = 8, .named = names != NULL};
    schema.column = calloc((size_t)columns, sizeof *schema.column);
    for (uint64_t c = 0; c < columns; c++) {
        schema.column[c].name = strdup(names ? names[c] : "");
        schema.column[c].is_signed = c == 0;
    }
    return schema;
}

#endif
