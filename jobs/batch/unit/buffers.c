#include "buffers.h"

#include <stdlib.h>
#include <string.h>

#include "machine/background.h"
#include "scheme/codec.h"

/* Returns the limbs of a ciphertext that are on this engine, as hb_rows has them. Limb l is prime l of the chain, whose
 * id is l. */
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

uint64_t hb_unit_buffers_bytes(const hb_params *params, const hb_header *header, uint32_t count, bool values,
                               bool cells)
{
    const uint64_t numbers =
        header->unit * ((uint64_t)values + cells) * hb_values_words(&header->spec) * sizeof(uint64_t);
    return count * (hb_rows_bytes(params, header) + numbers);
}

/* Stores the memory in *pointer, a pointer of any type. It is copied, as a uint8_t * may not be written as a void *. */
static hb_status host_alloc(hb_engine *engine, size_t bytes, void *pointer)
{
    void *memory = NULL;
    HB_TRY(hb_host_alloc(engine, bytes, &memory));
    memcpy(pointer, &memory, sizeof memory);
    return HB_OK;
}

hb_status hb_rows_alloc(hb_rows *rows, size_t count, hb_engine *engine, const hb_header *header)
{
    const size_t unit = (size_t)header->unit, bytes = unit * hb_rows_component_bytes(engine, header);
    if (count == 0) {
        return HB_OK;
    }
    HB_TRY(host_alloc(engine, count * bytes, &rows->c0));
    if (header->seeded) {
        HB_TRY(host_alloc(engine, count * unit * sizeof *rows->seeds, &rows->seeds));
    }
    const bool both = hb_header_stored(header) > 1;
    if (both) {
        HB_TRY(host_alloc(engine, count * bytes, &rows->c1));
    }
    for (size_t k = 0; k < count; k++) {
        rows[k] = *rows;
        rows[k].limbs = rows_limbs(engine, header->limbs); /* reading and writing of rows go by this set */
        rows[k].c0 += k * bytes;
        rows[k].c1 = both ? rows->c1 + k * bytes : NULL;
        rows[k].seeds = header->seeded ? rows->seeds + k * unit : NULL;
    }
    return HB_OK;
}

void hb_rows_free(hb_rows *rows, hb_engine *engine)
{
    hb_host_free(engine, rows->c0);
    hb_host_free(engine, rows->c1);
    hb_host_free(engine, rows->seeds);
}

hb_status hb_rows_add_seeds(hb_rows *rows, hb_engine *engine, const hb_header *header)
{
    return host_alloc(engine, (size_t)header->unit * sizeof *rows->seeds, &rows->seeds);
}

hb_rows hb_rows_as_stored(const hb_rows *rows, const hb_header *header)
{
    hb_rows stored = *rows;
    stored.c1 = header->seeded ? NULL : rows->c1;
    stored.seeds = header->seeded ? rows->seeds : NULL;
    return stored;
}

/* The context of filling buffers, shared by the threads that do it. */
typedef struct filling {
    hb_unit_buffers *buffers;
    const hb_header *header;
    bool values, cells;
} filling;

/* In one of several threads, each at another buffer: page-locking or clearing memory takes long. */
static hb_status fill_buffer(void *context, uint32_t i)
{
    const filling *f = context;
    hb_unit_buffers *buffers = f->buffers;
    hb_unit_buffer *buffer = &buffers->buffer[i];
    /* After a failure hb_unit_buffers_clear frees all: every pointer is set as soon as its memory is allocated. */
    HB_TRY(hb_rows_alloc(&buffer->rows, 1, buffers->engine, f->header));
    if (f->values) {
        HB_TRY(host_alloc(buffers->engine, buffers->value_bytes, &buffer->values));
    }
    if (!f->cells) {
        return HB_OK;
    }
    /* Cells never move to the engine, so they are not its memory. */
    buffer->cells = malloc(buffers->value_bytes);
    return buffer->cells != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the cells of a unit");
}

hb_status hb_unit_buffers_init(hb_unit_buffers *buffers, hb_engine *engine, const hb_header *header, uint32_t count,
                               bool values, bool cells)
{
    HB_ASSERT(count <= HB_PIPELINE_MOST_BUFFERS);
    *buffers = (hb_unit_buffers){.engine = engine};
    const size_t one = hb_values_words(&header->spec) * sizeof(uint64_t), stored = hb_header_ciphertext_bytes(header);
    /* The unit size may come from a file. */
    if (header->unit > SIZE_MAX / (one > stored ? one : stored)) {
        return HB_FAIL(HB_ENOMEM, "no memory for units of this size");
    }
    buffers->value_bytes = (size_t)header->unit * one;
    filling all = {buffers, header, values, cells};
    return hb_background_each(fill_buffer, &all, count);
}

void hb_unit_buffers_clear(hb_unit_buffers *buffers)
{
    /* All of them, not `count`: unmade ones are zeros. */
    for (size_t i = 0; i < HB_PIPELINE_MOST_BUFFERS && buffers->engine != NULL; i++) {
        hb_unit_buffer *buffer = &buffers->buffer[i];
        if (buffer->values != NULL) {
            hb_wipe(buffer->values, buffers->value_bytes);
        }
        if (buffer->cells != NULL) {
            hb_wipe(buffer->cells, buffers->value_bytes);
        }
        hb_host_free(buffers->engine, buffer->values);
        hb_rows_free(&buffer->rows, buffers->engine);
        free(buffer->cells);
    }
    memset(buffers, 0, sizeof *buffers);
}
