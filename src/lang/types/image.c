/* Images whose columns are named as they stand in slots. */
#include <stdio.h>
#include <string.h>

#include "lang/ir/blocks.h"
#include "type_rules.h"

enum { NAME = 48 };

/* The name of a slot where columns do not stand in their order: channel, row and column, from 1; an unused slot is
 * "gap" and its number among these. */
static void name_slot(const hb_block_image *image, uint32_t slot, uint32_t *gaps, char name[NAME])
{
    uint32_t channel, row, column;
    if (hb_block_image_pixel(image, slot, &channel, &row, &column)) {
        snprintf(name, NAME, "c%u.%u.%u", channel + 1, row + 1, column + 1);
    } else {
        snprintf(name, NAME, "gap.%u", ++*gaps);
    }
}

hb_status hb_types_name_image(hb_types *t, const hb_block_image *image, hb_type *out)
{
    const uint32_t slots = hb_block_image_slots(image);
    hb_schema *made;
    HB_TRY(hb_made_columns_add(&t->columns, slots, &made));
    for (uint32_t s = 0, gaps = 0; s < slots; s++) {
        char name[NAME];
        name_slot(image, s, &gaps, name);
        made->column[s].name = strdup(name);
        if (made->column[s].name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the names of columns");
        }
    }
    out->names = made->column;
    return HB_OK;
}

hb_status hb_types_order_image(hb_types *t, const hb_block_image *image, const hb_column *slots, const hb_column **out)
{
    const uint32_t height = image->height / image->gap, width = image->width / image->gap;
    const uint32_t count = hb_block_image_slots(image);
    hb_schema *made;
    HB_TRY(hb_made_columns_add(&t->columns, hb_block_image_columns(image), &made));
    for (uint32_t s = 0; s < count; s++) {
        uint32_t channel, row, column;
        if (hb_block_image_pixel(image, s, &channel, &row, &column)) {
            char **name = &made->column[(channel * height + row) * width + column].name;
            *name = strdup(slots[s].name);
            if (*name == NULL) {
                return HB_FAIL(HB_ENOMEM, "no memory for the names of columns");
            }
        }
    }
    *out = made->column;
    return HB_OK;
}

static bool is_named(const hb_schema *schema, const hb_block_image *image)
{
    bool same = hb_block_image_slots(image) == schema->columns;
    for (uint32_t s = 0, gaps = 0; same && s < schema->columns; s++) {
        char name[NAME];
        name_slot(image, s, &gaps, name);
        same = strcmp(schema->column[s].name, name) == 0;
    }
    return same;
}

hb_block_image hb_named_image(const hb_schema *schema)
{
    uint32_t most[3] = {0};
    for (uint64_t c = 0; schema->named && c < schema->columns && schema->columns <= UINT32_MAX; c++) {
        uint32_t part[3];
        if (sscanf(schema->column[c].name, "c%9u.%9u.%9u", &part[0], &part[1], &part[2]) == 3) {
            for (int i = 0; i < 3; i++) {
                most[i] = part[i] > most[i] ? part[i] : most[i];
            }
        }
    }
    const uint64_t pixels = (uint64_t)most[1] * most[2];
    for (uint64_t gap = 2; pixels > 0 && gap * gap * pixels <= schema->columns; gap++) {
        const hb_block_image image = {most[1] * (uint32_t)gap, most[2] * (uint32_t)gap, (uint32_t)gap, most[0]};
        if (is_named(schema, &image)) {
            return image;
        }
    }
    return (hb_block_image){0};
}
