#include "slots.h"

#include <stdlib.h>
#include <string.h>

#include "machine/background.h"

/* Limbs of a ciphertext that are on this engine, as hb_rows has them. Limb l is prime l of the chain, whose id is l. */
static uint64_t rows_limbs(const hb_engine *engine, uint32_t limbs)
{
    uint64_t mask = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        mask |= (uint64_t)hb_limb_here(engine, (uint16_t)l) << l;
    }
    return mask;
}

size_t hb_rows_component_bytes(const hb_engine *engine, const hb_header *header)
{
    size_t bytes = 0;
    for (uint32_t l = 0; l < header->limbs; l++) {
        bytes += hb_limb_here(engine, (uint16_t)l) ? hb_header_row_bytes(header, l) : 0;
    }
    return bytes;
}

uint64_t hb_rows_bytes(const hb_params *params, const hb_header *header)
{
    size_t most = 0; /* rows of a component */
    for (uint32_t member = 0; member < params->map.members; member++) {
        size_t bytes = 0;
        for (uint32_t l = 0; l < header->limbs; l++) {
            const bool has = hb_limb_map_count(&params->map, &params->ids[l], 1, member) == 1;
            bytes += has ? hb_header_row_bytes(header, l) : 0;
        }
        most = bytes > most ? bytes : most;
    }
    return header->unit * ((uint64_t)hb_header_stored(header) * most + (header->seeded ? sizeof(hb_seed) : 0));
}

uint64_t hb_slots_bytes(const hb_params *params, const hb_header *header, uint32_t count, bool values, bool cells)
{
    const uint64_t numbers = header->unit * ((uint64_t)values + cells) * header->spec.n * sizeof(uint64_t);
    return count * (hb_rows_bytes(params, header) + numbers);
}

static hb_status host_alloc(hb_engine *engine, size_t bytes, void *pointer)
{
    void *memory = NULL;
    HB_TRY(hb_host_alloc(engine, bytes, &memory));
    memcpy(pointer, &memory, sizeof memory);
    return HB_OK;
}

hb_status hb_rows_alloc(hb_rows *rows, hb_engine *engine, const hb_header *header)
{
    const size_t unit = (size_t)header->unit, bytes = unit * hb_rows_component_bytes(engine, header);
    rows->limbs = rows_limbs(engine, header->limbs);
    HB_TRY(host_alloc(engine, bytes, &rows->c0));
    return header->seeded ? host_alloc(engine, unit * sizeof *rows->seeds, &rows->seeds)
                          : host_alloc(engine, bytes, &rows->c1);
}

void hb_rows_free(hb_rows *rows, hb_engine *engine)
{
    hb_host_free(engine, rows->c0);
    hb_host_free(engine, rows->c1);
    hb_host_free(engine, rows->seeds);
}

/* What all slots have. */
typedef struct filling {
    hb_slots *slots;
    const hb_header *header;
    bool values, cells;
} filling;

static hb_status fill_slot(void *context, uint32_t i)
{
    const filling *f = context;
    hb_slots *slots = f->slots;
    hb_slot *slot = &slots->slot[i];
    HB_TRY(hb_rows_alloc(&slot->rows, slots->engine, f->header));
    HB_TRY(f->values ? host_alloc(slots->engine, slots->value_bytes, &slot->values) : HB_OK);
    slot->cells = f->cells ? malloc(slots->value_bytes) : NULL;
    return !f->cells || slot->cells != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the cells of a unit");
}

hb_status hb_slots_init(hb_slots *slots, hb_engine *engine, const hb_header *header, uint32_t count, bool values,
                        bool cells)
{
    HB_ASSERT(count <= HB_PIPELINE_MOST_SLOTS);
    *slots = (hb_slots){.engine = engine};
    const size_t one = header->spec.n * sizeof(uint64_t), stored = hb_header_ciphertext_bytes(header);
    if (header->unit > SIZE_MAX / (one > stored ? one : stored)) {
        return HB_FAIL(HB_ENOMEM, "no memory for units of this size");
    }
    slots->value_bytes = (size_t)header->unit * one;
    filling all = {slots, header, values, cells};
    return hb_background_each(fill_slot, &all, count);
}

void hb_slots_clear(hb_slots *slots)
{
    for (size_t i = 0; i < HB_PIPELINE_MOST_SLOTS && slots->engine != NULL; i++) {
        hb_slot *slot = &slots->slot[i];
        if (slot->values != NULL) {
            hb_wipe(slot->values, slots->value_bytes);
        }
        if (slot->cells != NULL) {
            hb_wipe(slot->cells, slots->value_bytes);
        }
        hb_host_free(slots->engine, slot->values);
        hb_rows_free(&slot->rows, slots->engine);
        free(slot->cells);
    }
    memset(slots, 0, sizeof *slots);
}
