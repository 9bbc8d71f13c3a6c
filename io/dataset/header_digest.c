/* Digests of a header, a unit and a dataset (io/README.md). */
#include <string.h>

#include "dataset_private.h"
#include "io/keys/params_h5_private.h"
#include "table/grouping.h"

uint32_t hb_header_version(const hb_header *header)
{
    if (header->version != 0) {
        return header->version;
    }
    if (header->past.sanitized > 0 || header->past.opened) {
        return HB_FORMAT_SANITIZED;
    }
    if (hb_header_tells_parties(header)) {
        return HB_FORMAT_PARTIES;
    }
    if (hb_schema_has_fills(&header->schema)) {
        return HB_FORMAT_FILLS;
    }
    if (header->kept > 0) {
        return HB_FORMAT_CUT;
    }
    if (hb_schema_masks(&header->schema) > 0) {
        return HB_FORMAT_MASKS;
    }
    if (header->schema.threshold_gap > 0) {
        return HB_FORMAT_GAP;
    }
    if (header->schema.left_out.rows > 0 || header->schema.total_left_out > 0) {
        return HB_FORMAT_LEFT_OUT;
    }
    return hb_spec_is_early(&header->spec) ? HB_FORMAT_BFV : HB_FORMAT_VERSION;
}

static void add_schema(hb_digest_state *state, const hb_schema *schema)
{
    const uint64_t fields[] = {schema->rows,  schema->columns,    schema->rank,
                               schema->width, schema->big_endian, schema->named};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hb_digest_add_u64(state, fields[i]);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        size_t length = strlen(schema->column[c].name);
        hb_digest_add_u64(state, schema->column[c].is_signed);
        hb_digest_add_u64(state, length);
        hb_digest_add(state, schema->column[c].name, length);
    }
}

static void add_noise(hb_digest_state *state, const hb_header *header)
{
    hb_digest_add_u64(state, hb_quality_to_file(header->quality.worst));
    hb_digest_add_u64(state, hb_quality_to_file(header->quality.expected));
}

/* Members that versions from 3 on have and older ones lack. */
static void add_layout(hb_digest_state *state, const hb_header *header)
{
    const uint64_t fields[] = {(uint64_t)header->spec.scheme, (uint64_t)header->cells, (uint64_t)header->form,
                               hb_real_word(header->scale),   header->capacity,        hb_header_made(header)};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hb_digest_add_u64(state, fields[i]);
    }
    if (header->made_by != HB_MADE_FRESH) {
        add_noise(state, header);
        if (hb_header_version(header) >= HB_FORMAT_VERSION) {
            hb_digest_add_u64(state, hb_quality_to_file(header->quality.norm));
            hb_digest_add_u64(state, hb_quality_to_file(header->quality.peak));
        }
        if (header->approximate > 0) {
            hb_digest_add_u64(state, hb_real_word(header->approximate));
        }
        hb_digest_add_u64(state, header->quality.powers);
        hb_digest_add_u64(state, hb_header_source(header));
    }
    hb_digest_add_u64(state, hb_header_stray(header));
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        const hb_column *column = &header->schema.column[c];
        hb_digest_add_u64(state, column->ranged);
        hb_digest_add_u64(state, column->least);
        hb_digest_add_u64(state, column->most);
        hb_digest_add_u64(state, column->may_wrap);
        for (int w = 0; w < HB_WIDE_WORDS && column->wide; w++) {
            hb_digest_add_u64(state, column->wide_least.word[w]);
            hb_digest_add_u64(state, column->wide_most.word[w]);
        }
    }
}

/* For columns that are all real nothing is added. */
static void add_halves(hb_digest_state *state, const hb_schema *schema)
{
    const uint64_t columns = hb_schema_has_halves(schema) ? schema->columns : 0;
    for (uint64_t c = 0; c < columns; c++) {
        hb_digest_add_u64(state, schema->column[c].halves);
        for (int half = 0; half < 2 && schema->column[c].halves == HB_HALVES_PAIR; half++) {
            const size_t length = strlen(schema->column[c].part[half]);
            hb_digest_add_u64(state, length);
            hb_digest_add(state, schema->column[c].part[half], length);
        }
    }
}

/* For columns that are all plain numbers nothing is added. */
static void add_meanings(hb_digest_state *state, const hb_schema *schema)
{
    const uint64_t columns = hb_schema_has_meanings(schema) ? schema->columns : 0;
    for (uint64_t c = 0; c < columns; c++) {
        const hb_meaning *meaning = &schema->column[c].meaning;
        const uint64_t count = meaning->labels != NULL ? meaning->labels->count : 0;
        hb_digest_add_u64(state, hb_meaning_code(meaning));
        hb_digest_add_u64(state, hb_meaning_scale(meaning));
        hb_digest_add_u64(state, count);
        for (uint64_t i = 0; i < count; i++) {
            const size_t length = strlen(meaning->labels->text[i]);
            hb_digest_add_u64(state, length);
            hb_digest_add(state, meaning->labels->text[i], length);
        }
    }
}

/* For columns that are no digits nothing is added. */
static void add_digits(hb_digest_state *state, const hb_schema *schema)
{
    const uint64_t columns = hb_schema_has_digits(schema) ? schema->columns : 0;
    for (uint64_t c = 0; c < columns; c++) {
        hb_digest_add_u64(state, schema->column[c].digit_base);
        hb_digest_add_u64(state, schema->column[c].digits);
    }
}

/* For columns without masks nothing is added, nor for missing cells that are all 0. */
static void add_masks(hb_digest_state *state, const hb_schema *schema)
{
    const uint64_t columns = hb_schema_masks(schema) > 0 ? schema->columns : 0;
    const bool fills = hb_schema_has_fills(schema);
    for (uint64_t c = 0; c < columns; c++) {
        hb_digest_add_u64(state, schema->column[c].mask);
        hb_digest_add_u64(state, schema->column[c].full);
        hb_digest_add_u64(state, schema->column[c].has_fill);
        if (fills) {
            hb_digest_add_u64(state, schema->column[c].fill);
        }
    }
}

static void add_text(hb_digest_state *state, const char *text)
{
    const size_t length = strlen(text);
    hb_digest_add_u64(state, length);
    hb_digest_add(state, text, length);
}

/* For columns without groups nothing is added. */
static void add_grouping(hb_digest_state *state, const hb_grouping *grouping)
{
    if (grouping == NULL) {
        return;
    }
    const uint64_t keys = grouping->keys.columns;
    const uint64_t fields[] = {grouping->keys.rows, keys, grouping->rows, grouping->parts, grouping->columns};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hb_digest_add_u64(state, fields[i]);
    }
    for (uint64_t k = 0; k < keys; k++) {
        hb_digest_add_u64(state, grouping->keys.column[k].is_signed);
        add_text(state, grouping->keys.column[k].name);
    }
    if (grouping->fetched > 0) {
        hb_digest_add_u64(state, grouping->fetched);
        hb_digest_add_u64(state, grouping->modulus);
        if (grouping->cells > 0) {
            hb_digest_add_u64(state, grouping->cells);
        }
        if (grouping->unit > 1) {
            hb_digest_add_u64(state, grouping->unit);
        }
        for (uint64_t k = 0; k < keys; k++) {
            hb_digest_add_u64(state, grouping->keys.column[k].least);
            hb_digest_add_u64(state, grouping->keys.column[k].most);
        }
    }
    for (uint64_t i = 0; i < grouping->keys.rows * grouping->counted; i++) {
        hb_digest_add_u64(state, grouping->counts[i]);
    }
    add_meanings(state, &grouping->keys);
    for (uint64_t i = 0; i < grouping->keys.rows * keys; i++) {
        hb_digest_add_u64(state, grouping->values[i]);
    }
    for (uint64_t c = 0; c < grouping->columns; c++) {
        const hb_grouped_column *column = &grouping->column[c];
        add_text(state, column->name);
        hb_digest_add_u64(state, column->epilogue->number);
        for (int i = 0; i < HB_GROUPED_PARTS; i++) {
            hb_digest_add_u64(state, column->part[i]);
        }
    }
}

/* For tables all of whose rows are there nothing is added. */
static void add_left_out(hb_digest_state *state, const hb_left_out *left_out, uint64_t total)
{
    if (total > 0) {
        hb_digest_add_u64(state, 0); /* no number of rows */
        hb_digest_add_u64(state, total);
    }
    if (left_out->rows > 0) {
        hb_digest_add_u64(state, left_out->rows);
        for (int i = 0; i < HB_LEFT_OUT_SUMS; i++) {
            hb_digest_add_u64(state, left_out->sum[i]);
        }
    }
}

/* For datasets that were under one key alone nothing is added. */
static void add_past(hb_digest_state *state, const hb_header_past *past)
{
    if (past->steps > 0) {
        hb_digest_add_u64(state, past->steps);
    }
    for (uint32_t i = 0; i < past->steps; i++) {
        hb_digest_add(state, past->key_id[i], sizeof past->key_id[i]);
        hb_digest_add(state, past->data_sum[i], sizeof past->data_sum[i]);
        add_text(state, hb_history_words[past->what[i]]);
    }
}

void hb_header_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch header");
    hb_digest_add_u64(&state, hb_header_version(header));
    hb_spec_add(&state, &header->spec);
    hb_digest_add(&state, header->key_id, sizeof header->key_id);
    const uint64_t fields[] = {
        header->limbs,           hb_header_components(header), header->seeded, (uint64_t)header->encoding,
        (uint64_t)header->order, header->ciphertexts,          header->unit};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hb_digest_add_u64(&state, fields[i]);
    }
    add_schema(&state, &header->schema);
    if (hb_header_version(header) == HB_FORMAT_EVALUATED) {
        add_noise(&state, header);
        hb_digest_add_u64(&state, header->dirty_padding);
    } else if (hb_header_version(header) >= HB_FORMAT_BFV) {
        add_layout(&state, header);
        add_halves(&state, &header->schema);
        if (header->block > 0) {
            hb_digest_add_u64(&state, header->block);
        }
        add_meanings(&state, &header->schema);
        add_digits(&state, &header->schema);
        add_grouping(&state, header->schema.grouping);
        add_left_out(&state, &header->schema.left_out, header->schema.total_left_out);
        if (header->schema.threshold_gap > 0) {
            hb_digest_add_u64(&state, hb_real_word(header->schema.threshold_gap));
        }
        add_masks(&state, &header->schema);
        if (header->kept > 0) {
            hb_digest_add_u64(&state, header->kept);
        }
        add_past(&state, &header->past);
        if (header->past.sanitized > 0) {
            hb_digest_add_u64(&state, hb_real_word(header->past.sanitized));
        }
        if (header->past.opened) {
            hb_digest_add(&state, header->past.zero_seed.bytes, sizeof header->past.zero_seed.bytes);
        }
    }
    if (header->part != NULL) {
        hb_part_add(&state, header->part);
    }
    hb_digest_end(&state, digest);
}

void hb_unit_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header,
                    const uint8_t header_digest[HB_DIGEST_BYTES], uint64_t u, const hb_rows *rows,
                    const uint8_t *row_digests)
{
    size_t count = (size_t)rows->count;
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch unit");
    hb_digest_add(&state, header_digest, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, u);
    if (header->seeded) {
        hb_digest_add(&state, rows->seeds, count * sizeof *rows->seeds);
    }
    hb_digest_add(&state, row_digests, (size_t)hb_header_stored(header) * header->limbs * count * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_data_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t header_digest[HB_DIGEST_BYTES], const uint8_t *sums,
                    uint64_t units)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch data");
    hb_digest_add(&state, header_digest, HB_DIGEST_BYTES);
    hb_digest_add(&state, sums, (size_t)units * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_whole_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t *sums, uint32_t residues)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch whole");
    hb_digest_add(&state, sums, (size_t)residues * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_summands_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_index *index)
{
    uint8_t data_sum[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_data_digest(data_sum, index->digest, index->sums[0], hb_header_units(&index->header));
    hb_digest_begin(&state, "hebatch summands");
    hb_digest_add(&state, data_sum, sizeof data_sum);
    hb_digest_add_u64(&state, index->summands.traced);
    hb_digest_add(&state, index->summands.sum, (size_t)index->summands.count * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}
