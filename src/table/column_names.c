#include "column_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    const hb_schema *schema;
    const char *name;
} wanted;

static bool is_wanted(const void *context, uint32_t index)
{
    const wanted *w = context;
    return strcmp(w->schema->column[index].name, w->name) == 0;
}

static uint32_t *find(const hb_column_names *names, const char *name)
{
    const wanted w = {names->schema, name};
    return hb_index_table_find(&names->table, hb_hash_text(name), is_wanted, &w);
}

hb_status hb_column_names_init(hb_column_names *names, const hb_schema *schema)
{
    *names = (hb_column_names){.schema = schema};
    if (!schema->named) {
        return HB_OK;
    }
    if (schema->columns >= HB_NO_INDEX) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", schema->columns);
    }
    names->twin = calloc((size_t)schema->columns + 1, sizeof *names->twin);
    if (names->twin == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", schema->columns);
    }
    HB_TRY(hb_index_table_init(&names->table, (size_t)schema->columns));
    for (uint32_t c = 0; c < schema->columns; c++) {
        uint32_t *place = find(names, schema->column[c].name);
        if (*place == HB_NO_INDEX) {
            *place = c;
        } else {
            names->twin[*place] = true;
        }
    }
    return HB_OK;
}

void hb_column_names_clear(hb_column_names *names)
{
    hb_index_table_clear(&names->table);
    free(names->twin);
    *names = (hb_column_names){0};
}

uint64_t hb_column_names_find(const hb_column_names *names, const char *name, bool *several)
{
    const uint32_t column = names->schema->named ? *find(names, name) : HB_NO_INDEX;
    *several = column != HB_NO_INDEX && names->twin[column];
    return column != HB_NO_INDEX ? column : names->schema->columns;
}
