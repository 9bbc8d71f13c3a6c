#include "masks.h"

#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

enum { CODES = 1 << 16 };

static void discard(uint16_t *code, uint64_t rows)
{
    if (code != NULL) {
        hb_wipe(code, (size_t)rows * sizeof *code); /* what a private table says */
    }
    free(code);
}

static hb_status grow(void **list, uint32_t count, size_t bytes)
{
    if ((count & (count - 1)) != 0) {
        return HB_OK; /* there is room up to the next power of two */
    }
    void *longer = realloc(*list, (count == 0 ? 1 : 2 * (size_t)count) * bytes);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for conditions on plain tables");
    }
    *list = longer;
    return HB_OK;
}

hb_status hb_masks_add_codes(hb_masks *masks, uint16_t *code, uint64_t rows, uint32_t *list)
{
    for (*list = 0; *list < masks->list_count; ++*list) {
        const hb_mask_codes *there = &masks->lists[*list];
        if (there->rows == rows && memcmp(there->code, code, (size_t)rows * sizeof *code) == 0) {
            discard(code, rows);
            return HB_OK;
        }
    }
    uint64_t *counts = calloc(CODES, sizeof *counts);
    hb_status st = grow((void **)&masks->lists, masks->list_count, sizeof *masks->lists);
    if (st != HB_OK || counts == NULL) {
        discard(code, rows);
        free(counts);
        return st != HB_OK ? st : HB_FAIL(HB_ENOMEM, "no memory for conditions on plain tables");
    }
    for (uint64_t row = 0; row < rows; row++) {
        counts[code[row]]++;
    }
    masks->lists[masks->list_count++] = (hb_mask_codes){code, counts, rows};
    return HB_OK;
}

hb_status hb_masks_find(hb_masks *masks, uint32_t list, uint16_t code, uint32_t *mask)
{
    for (*mask = 0; *mask < masks->count; ++*mask) {
        if (masks->masks[*mask].list == list && masks->masks[*mask].code == code) {
            return HB_OK;
        }
    }
    HB_TRY(grow((void **)&masks->masks, masks->count, sizeof *masks->masks));
    masks->masks[masks->count++] = (hb_mask){list, code, masks->lists[list].counts[code]};
    return HB_OK;
}

bool hb_masks_have(const hb_masks *masks, uint32_t mask, uint64_t row)
{
    const hb_mask *x = &masks->masks[mask];
    const hb_mask_codes *codes = &masks->lists[x->list];
    return codes->code[codes->rows == 1 ? 0 : row] == x->code;
}

void hb_masks_fill(const hb_masks *masks, uint32_t mask, uint64_t first, uint64_t count, uint64_t one, uint64_t *values)
{
    for (uint64_t i = 0; i < count; i++) {
        values[i] = hb_masks_have(masks, mask, first + i) ? one : 0;
    }
}

hb_status hb_masks_copy(const hb_masks *from, hb_masks *out)
{
    *out = (hb_masks){0};
    for (uint32_t i = 0; i < from->list_count; i++) {
        const hb_mask_codes *codes = &from->lists[i];
        uint16_t *code = malloc((size_t)codes->rows * sizeof *code + 1);
        uint32_t list;
        if (code == NULL) {
            hb_masks_clear(out);
            return HB_FAIL(HB_ENOMEM, "no memory for conditions on plain tables");
        }
        memcpy(code, codes->code, (size_t)codes->rows * sizeof *code);
        const hb_status st = hb_masks_add_codes(out, code, codes->rows, &list);
        if (st != HB_OK) {
            hb_masks_clear(out);
            return st;
        }
    }
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t mask;
        const hb_status st = hb_masks_find(out, from->masks[i].list, from->masks[i].code, &mask);
        if (st != HB_OK) {
            hb_masks_clear(out);
            return st;
        }
    }
    return HB_OK;
}

void hb_masks_clear(hb_masks *masks)
{
    for (uint32_t i = 0; i < masks->list_count; i++) {
        discard(masks->lists[i].code, masks->lists[i].rows);
        hb_wipe(masks->lists[i].counts, CODES * sizeof *masks->lists[i].counts);
        free(masks->lists[i].counts);
    }
    free(masks->lists);
    free(masks->masks);
    *masks = (hb_masks){0};
}
