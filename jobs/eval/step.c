#include "step.h"

#include "base/chunk.h"

static const uint64_t most_step_bytes = (uint64_t)64 << 20;

uint64_t hb_eval_step_cell_bytes(const hb_eval_input *input)
{
    return input->across * hb_values_words(&input->header->spec) * sizeof(uint64_t);
}

uint64_t hb_eval_step_size(const hb_eval_input *inputs, uint32_t count, uint64_t output_bytes, uint32_t together)
{
    uint64_t size = 1, bytes = output_bytes;
    for (uint32_t i = 0; i < count; i++) {
        const hb_eval_input *input = &inputs[i];
        if (input->serves_all) { /* no step reads it */
            continue;
        }
        if (input->dataset != NULL) {
            /* Row blocks that a unit holds whole. */
            const uint64_t whole = input->header->unit / input->across;
            size = whole > size ? whole : size;
            bytes += input->across * hb_header_ciphertext_bytes(input->header);
        } else if (input->one_row == NULL) {
            bytes += hb_eval_step_cell_bytes(input);
        }
    }
    const uint64_t most = bytes > 0 && bytes < most_step_bytes ? most_step_bytes / bytes : 1;
    /* Cut into equal pieces, rather than into full ones and a rest. */
    const uint64_t pieces = size / most + (size % most != 0);
    return (size / pieces + together - 1) / together * together;
}

hb_header hb_eval_step_header(const hb_params_spec *spec, uint32_t limbs, uint64_t blocks, uint64_t size)
{
    hb_header header = {.limbs = limbs, .ciphertexts = blocks, .unit = size};
    hb_header_set_scheme(&header, spec, HB_ENCODE_SLOTS);
    header.schema = (hb_schema){.rows = blocks * header.capacity, .columns = 1, .rank = 1, .width = 8};
    return header;
}

size_t hb_eval_step_units(const hb_eval_input *input, uint64_t first, uint64_t count, uint64_t *units, size_t most)
{
    size_t found = 0;
    uint64_t last = 0;
    for (uint64_t block = first; block < first + count; block++) {
        for (uint64_t c = 0; c < input->across; c++) {
            const uint64_t unit = (block * input->across + c) / input->header->unit;
            /* Units ascend with the ciphertexts, so one that was found before is the last one. */
            if (!input->used[c] || (found > 0 && last == unit)) {
                continue;
            }
            HB_ASSERT(units == NULL || found < most);
            if (units != NULL) {
                units[found] = unit;
            }
            found++;
            last = unit;
        }
    }
    return found;
}

uint64_t hb_eval_step_bytes(const hb_eval_input *input, uint64_t blocks)
{
    const hb_header *header = input->header;
    if (input->dataset != NULL) {
        /* The last unit may be shorter, so the ciphertexts that there are bound it. */
        const uint64_t held = header->unit * hb_eval_step_units(input, 0, blocks, NULL, 0);
        return (held < header->ciphertexts ? held : header->ciphertexts) * hb_header_ciphertext_bytes(header);
    }
    const hb_schema *schema = &header->schema;
    const uint64_t each = header->block > 0 ? header->capacity / header->block : header->capacity;
    const uint64_t most = blocks * each, rows = most < schema->rows ? most : schema->rows;
    return input->one_row != NULL ? 0 : rows * schema->columns * schema->width;
}

size_t hb_eval_step_most_units(const hb_eval_input *input, uint64_t size)
{
    const uint64_t unit = input->header->unit, length = size * input->across, all = hb_header_units(input->header);
    uint64_t most;
    if (length % unit == 0) {
        most = length / unit; /* steps begin where units do */
    } else if (unit % length == 0) {
        most = 1; /* and units where steps do */
    } else {
        most = (length + unit - 2) / unit + 1; /* one ciphertext of the first unit, then whole units */
    }
    /* Each row block touches no more units than it has ciphertexts in use. */
    uint64_t used = 0;
    for (uint64_t c = 0; c < input->across; c++) {
        used += input->used[c];
    }
    most = most < all ? most : all;
    return (size_t)(most / size < used ? most : hb_smaller(most, size * used));
}
