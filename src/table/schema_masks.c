/* Masks: columns of 0 and 1 that tell which cells of other columns are there. */
#include "schema.h"

const char hb_plain_without_masks[] =
    "a plain table that is computed with has no masks: --missing COLUMN=drop leaves rows "
    "out, and COLUMN=VALUE says a value";

uint64_t hb_schema_masks(const hb_schema *schema)
{
    uint64_t masks = 0;
    while (schema->column != NULL && masks < schema->columns && schema->column[schema->columns - 1 - masks].full > 0) {
        masks++;
    }
    return masks;
}

bool hb_schema_masks_are_fresh(const hb_schema *schema)
{
    uint64_t c = 0;
    while (c < schema->columns && (schema->column[c].mask == 0 || schema->column[c].has_fill) &&
           schema->column[c].full <= 1) {
        c++;
    }
    return c == schema->columns;
}

bool hb_schema_has_fills(const hb_schema *schema)
{
    uint64_t c = 0;
    while (schema->column != NULL && c < schema->columns && schema->column[c].fill == 0) {
        c++;
    }
    return schema->column != NULL && c < schema->columns;
}

bool hb_column_same_mask(const hb_column *x, const hb_column *y)
{
    return x->mask == y->mask && x->full == y->full;
}

hb_status hb_schema_refuse_masks(const hb_schema *schema, const char *table, const char *what)
{
    const uint64_t masks = hb_schema_masks(schema);
    for (uint64_t c = 0; masks > 0 && c < schema->columns; c++) {
        if (schema->column[c].mask > 0) {
            char label[HB_COLUMN_LABEL];
            hb_column_label(label, schema, c);
            return HB_FAIL(HB_EUSAGE, "%s: column %s may have missing cells (--missing mask), and %s", table, label,
                           what);
        }
    }
    return HB_OK;
}
