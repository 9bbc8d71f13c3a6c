#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

static size_t bytes_of(const hb_bootstrap_table *table)
{
    return ((size_t)1 << table->bits) * sizeof *table->entries;
}

hb_status hb_tables_add(hb_tables *list, const hb_bootstrap_table *table, uint32_t *number)
{
    const size_t bytes = bytes_of(table);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->table[i].bits == table->bits && memcmp(list->table[i].entries, table->entries, bytes) == 0) {
            *number = i;
            return HB_OK;
        }
    }
    uint64_t *entries = malloc(bytes);
    hb_bootstrap_table *longer = realloc(list->table, (list->count + (size_t)1) * sizeof *longer);
    list->table = longer != NULL ? longer : list->table;
    if (entries == NULL || longer == NULL) {
        free(entries);
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %u bits", table->bits);
    }
    memcpy(entries, table->entries, bytes);
    longer[list->count] = (hb_bootstrap_table){.bits = table->bits, .entries = entries};
    *number = list->count++;
    return HB_OK;
}

void hb_tables_clear(hb_tables *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t *entries = (uint64_t *)(uintptr_t)list->table[i].entries; /* this list owns it */
        hb_wipe(entries, bytes_of(&list->table[i]));
        free(entries);
    }
    free(list->table);
    *list = (hb_tables){0};
}
