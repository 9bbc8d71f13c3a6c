#include "hash.h"

#include <stdlib.h>
#include <string.h>

hb_status hb_index_table_init(hb_index_table *table, size_t most)
{
    const size_t size = 2 * most + 1;
    *table = (hb_index_table){.place = malloc(size * sizeof *table->place), .size = size};
    if (table->place == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %zu things", most);
    }
    memset(table->place, 0xff, size * sizeof *table->place); /* HB_NO_INDEX */
    return HB_OK;
}

void hb_index_table_clear(hb_index_table *table)
{
    free(table->place);
    *table = (hb_index_table){0};
}

uint32_t *hb_index_table_find(const hb_index_table *table, uint64_t hash,
                              bool (*is_wanted)(const void *context, uint32_t index), const void *context)
{
    size_t at = (size_t)(hash % table->size);
    while (table->place[at] != HB_NO_INDEX && (is_wanted == NULL || !is_wanted(context, table->place[at]))) {
        at = at + 1 < table->size ? at + 1 : 0;
    }
    return &table->place[at];
}
