/* Which operands have rows that go together. */
#include "lowering.h"

hb_status hb_lower_require_same_rows(const hb_lowering *l, const hb_item *item, const hb_operand *a,
                                     const hb_operand *b)
{
    const hb_schema *x = a->schema, *y = b->schema;
    if (x->rows == 1 && x->left_out.rows == 0) { /* it stands in every row */
        return HB_OK;
    }
    if (x->rows == 1 && y->rows != 1) {
        char text[HB_LEFT_OUT_TEXT];
        hb_left_out_text(text, &x->left_out, x->rows);
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                          "%.40s: %s, so it is no table of one row, which would stand in each of the %llu rows of "
                          "%.40s: --missing COLUMN=VALUE",
                          a->name, text, (unsigned long long)y->rows, b->name);
    }
    const hb_status st = hb_left_out_require_same((hb_left_out_of){a->name, x->rows, &x->left_out},
                                                  (hb_left_out_of){b->name, y->rows, &y->left_out});
    if (st == HB_OK) {
        return x->rows == y->rows ? HB_OK
                                  : hb_fail_rows(l->graph.syntax->text, item->at, (hb_rows_of){a->name, x->rows},
                                                 (hb_rows_of){b->name, y->rows});
    }
    const hb_error cause = *hb_last_error();
    return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at, "%.400s", cause.text);
}

hb_status hb_lower_require_all_rows(hb_lowering *l, const hb_item *item, const hb_operand *operand, const char *place)
{
    const hb_schema *schema = operand->schema;
    char text[HB_LEFT_OUT_TEXT];
    if (schema->left_out.rows == 0) {
        return HB_OK;
    }
    hb_left_out_text(text, &schema->left_out, schema->rows);
    l->hopeless = true;
    return HB_FAIL_AT(HB_EDATA, l->graph.syntax->text, item->at,
                      "%.40s: %s. Rows %s are told by their place, so none may be missing: --missing COLUMN=VALUE",
                      operand->name, text, place);
}
