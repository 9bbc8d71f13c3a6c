/* Results that decryption works out from stored sums: the words that messages have for them, and where they must not
 * stand. */
#include "worked_out.h"

#include <string.h>

const char hb_numbers_of_rows[] = "numbers of rows";

const char *hb_worked_out_words(const hb_grouping *grouping)
{
    uint64_t c = 0;
    while (c < grouping->columns && hb_epilogue_is_itself(grouping->column[c].epilogue)) {
        c++;
    }
    return grouping->fetched > 0        ? "rows that are fetched"
           : grouping->keys.columns > 0 ? "tables of groups"
           : c < grouping->columns      ? grouping->column[c].epilogue->name
                                        : hb_numbers_of_rows;
}

hb_status hb_fail_worked_out(const char *text, uint32_t at, const char *words)
{
    return hb_advise(HB_FAIL_AT(HB_EUSAGE, text, at,
                                "%s are worked out when they are decrypted, from sums and counts: nothing can be "
                                "computed with them here",
                                words),
                     HB_ADVICE_APART, ", but with the decrypted numbers, each a result of its own");
}

static hb_status fail_stored(const hb_types *t, const hb_item *item, const hb_operand *operand)
{
    const char *part = operand->schema->columns > 0 ? operand->schema->column[0].name : "";
    return HB_FAIL_AT(
        HB_EUSAGE, t->context.syntax->text, item->at,
        "%.40s: %s are worked out when they are decrypted, from sums and counts: compute with one of these by "
        "its name, as in %.40s.\"%.100s\"",
        operand->name, hb_worked_out_words(operand->schema->grouping), operand->name, part);
}

hb_status hb_types_no_stored_parts(const hb_types *t, const hb_type *type)
{
    const hb_operand *operand = type->whole;
    return operand == NULL || operand->schema->grouping == NULL ? HB_OK : fail_stored(t, t->item, operand);
}

hb_status hb_types_part(const hb_types *t, const hb_item *item, const hb_operand *operand)
{
    const hb_grouping *grouping = operand->schema->grouping;
    if (grouping == NULL) {
        return HB_OK;
    }
    bool shown = item->number > 0; /* the table of a number is unknown */
    for (uint64_t c = 0; c < grouping->columns && !shown; c++) {
        const hb_grouped_column *column = &grouping->column[c];
        const bool itself = hb_epilogue_is_itself(column->epilogue) && grouping->keys.columns == 0 &&
                            column->part[0] < operand->schema->columns &&
                            strcmp(column->name, operand->schema->column[column->part[0]].name) == 0;
        shown = !itself && hb_item_is(t->context.syntax, item, column->name);
    }
    for (uint64_t c = 0; c < grouping->keys.columns && !shown; c++) {
        shown = hb_item_is(t->context.syntax, item, grouping->keys.column[c].name);
    }
    return shown ? fail_stored(t, item, operand) : HB_OK;
}
