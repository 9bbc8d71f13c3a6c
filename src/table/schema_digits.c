/* Columns that are digits of one number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

bool hb_digits_are_possible(uint64_t base, uint64_t digits)
{
    unsigned bits = 0; /* of the largest digit */
    for (uint64_t most = base - 1; most > 0 && bits < 64; most >>= 1) {
        bits++;
    }
    if (base == 0 || digits == 0) {
        return base == 0 && digits == 0;
    }
    return base >= 2 && base <= HB_MOST_DIGIT_BASE && digits <= 128 && bits * digits <= 128;
}

/* The number behind the last point of a name, and the length of the part before; false: it ends in none. */
static bool place_of(const char *name, uint64_t *place, size_t *stem)
{
    const char *point = strrchr(name, '.');
    if (point == NULL || point == name || point[1] == '\0' || strspn(point + 1, "0123456789") != strlen(point + 1) ||
        strlen(point + 1) > 3 || (point[1] == '0' && point[2] != '\0')) {
        return false;
    }
    *place = strtoull(point + 1, NULL, 10);
    *stem = (size_t)(point - name);
    return true;
}

uint64_t hb_columns_digits(const hb_column *column, uint64_t count, size_t *stem)
{
    const uint64_t base = column[0].digit_base, digits = column[0].digits;
    if (base == 0 || digits > count) {
        return 0;
    }
    for (uint64_t i = 0; i < digits; i++) {
        uint64_t place;
        size_t length;
        if (column[i].digit_base != base || column[i].digits != digits || !place_of(column[i].name, &place, &length) ||
            place != digits - 1 - i ||
            (i > 0 && (length != *stem || memcmp(column[i].name, column[0].name, length) != 0))) {
            return 0;
        }
        *stem = length;
    }
    return digits;
}

bool hb_schema_has_digits(const hb_schema *schema)
{
    uint64_t c = schema->column == NULL ? schema->columns : 0;
    while (c < schema->columns && schema->column[c].digit_base == 0) {
        c++;
    }
    return c < schema->columns;
}
