/* Columns of sums, which decryption works out results from. */
#include <stdlib.h>

#include "lowering.h"

hb_status hb_lower_make_columns(hb_lowering *l, uint32_t columns, hb_schema **out)
{
    hb_lowered_columns *made = calloc(1, sizeof *made);
    const hb_meaning **means = calloc((size_t)columns + 1, sizeof *means);
    if (made == NULL || means == NULL || hb_schema_alloc(&made->schema, 1, columns) != HB_OK) {
        free(made);
        free(means);
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    for (uint32_t i = 0; i < columns; i++) {
        means[i] = &made->schema.column[i].meaning;
    }
    made->means = means;
    made->next = l->made.columns;
    l->made.columns = made;
    *out = &made->schema;
    return HB_OK;
}

hb_means hb_lowered_means(const hb_schema *made)
{
    const hb_lowered_columns *columns = (const hb_lowered_columns *)(const void *)made; /* its first member */
    return (hb_means){.each = columns->means};
}
