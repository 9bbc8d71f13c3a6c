#include "slots.h"

#include <stdlib.h>
#include <string.h>

static size_t component_bytes(const hb_header *header)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < header->limbs; l++) {
        bytes += hb_header_row_bytes(header, l);
    }
    return bytes;
}

uint64_t hb_slots_bytes(const hb_header *header, bool values, bool cells)
{
    const uint64_t numbers = ((uint64_t)values + cells) * header->spec.n * sizeof(uint64_t);
    return HB_PIPELINE_SLOTS * header->unit * (hb_header_ciphertext_bytes(header) + numbers);
}

static bool slot_alloc(hb_slot *slot, const hb_header *header, size_t value_bytes, bool values, bool cells)
{
    const size_t unit = (size_t)header->unit, bytes = unit * component_bytes(header);
    slot->rows.c0 = malloc(bytes);
    slot->rows.c1 = header->seeded ? NULL : malloc(bytes);
    slot->rows.seeds = header->seeded ? malloc(unit * sizeof *slot->rows.seeds) : NULL;
    slot->values = values ? malloc(value_bytes) : NULL;
    slot->cells = cells ? malloc(value_bytes) : NULL;
    return slot->rows.c0 != NULL && (header->seeded ? slot->rows.seeds != NULL : slot->rows.c1 != NULL) &&
           (!values || slot->values != NULL) && (!cells || slot->cells != NULL);
}

hb_status hb_slots_init(hb_slots *slots, const hb_header *header, bool values, bool cells)
{
    *slots = (hb_slots){0};
    const size_t one = header->spec.n * sizeof(uint64_t), stored = hb_header_ciphertext_bytes(header);
    if (header->unit > SIZE_MAX / (one > stored ? one : stored)) {
        return HB_FAIL(HB_ENOMEM, "no memory for units of this size");
    }
    slots->value_bytes = (size_t)header->unit * one;
    for (size_t i = 0; i < HB_PIPELINE_SLOTS; i++) {
        if (!slot_alloc(&slots->slot[i], header, slots->value_bytes, values, cells)) {
            return HB_FAIL(HB_ENOMEM, "no memory for %d units in flight", HB_PIPELINE_SLOTS);
        }
    }
    return HB_OK;
}

static void wipe_and_free(void *memory, size_t bytes)
{
    if (memory != NULL) {
        hb_wipe(memory, bytes);
        free(memory);
    }
}

void hb_slots_clear(hb_slots *slots)
{
    for (size_t i = 0; i < HB_PIPELINE_SLOTS; i++) {
        hb_slot *slot = &slots->slot[i];
        free(slot->rows.c0);
        free(slot->rows.c1);
        free(slot->rows.seeds);
        wipe_and_free(slot->values, slots->value_bytes);
        wipe_and_free(slot->cells, slots->value_bytes);
    }
    memset(slots, 0, sizeof *slots);
}
