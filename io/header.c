#include <inttypes.h>
#include <string.h>

#include "dataset_private.h"
#include "params_h5_private.h"
#include "table_private.h"

#define UNIT_BYTES ((uint64_t)16 << 20)
#define UNITS_WANTED 64
#define UNITS_LEAST 16 /* fewer would leave ranks idle; more matter less than cells read and written one by one */

void hb_header_clear(hb_header *header)
{
    hb_schema_clear(&header->schema);
    memset(header, 0, sizeof *header);
}

void hb_header_noise(hb_header *header, hb_noise noise)
{
    header->evaluated = true;
    header->noise.worst = hb_noise_from_file(hb_noise_to_file(noise.worst));
    header->noise.expected = hb_noise_from_file(hb_noise_to_file(noise.expected));
}

uint64_t hb_header_version(const hb_header *header)
{
    return header->evaluated ? HB_FORMAT_VERSION_EVALUATED : HB_FORMAT_VERSION;
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

void hb_header_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch header");
    hb_digest_add_u64(&state, hb_header_version(header));
    hb_spec_add(&state, &header->spec);
    hb_digest_add(&state, header->key_id, sizeof header->key_id);
    const uint64_t fields[] = {header->limbs,           header->components,  header->seeded, (uint64_t)header->encoding,
                               (uint64_t)header->order, header->ciphertexts, header->unit};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        hb_digest_add_u64(&state, fields[i]);
    }
    add_schema(&state, &header->schema);
    if (header->evaluated) {
        hb_digest_add_u64(&state, hb_noise_to_file(header->noise.worst));
        hb_digest_add_u64(&state, hb_noise_to_file(header->noise.expected));
        hb_digest_add_u64(&state, header->stray);
    }
    hb_digest_end(&state, digest);
}

static hb_status check_schema(const hb_schema *schema, const char *path)
{
    uint32_t w = schema->width;
    if ((w != 1 && w != 2 && w != 4 && w != 8) || (schema->rank != 1 && schema->rank != 2) ||
        (schema->rank == 1 && schema->columns != 1)) {
        return HB_FAIL(HB_EDATA, "%s: no table has rank %" PRIu32 ", %" PRIu64 " columns and %" PRIu32 "-byte integers",
                       path, schema->rank, schema->columns, w);
    }
    return HB_OK;
}

hb_packing hb_header_packing(const hb_header *header)
{
    return (hb_packing){.order = header->order,
                        .rows = header->schema.rows,
                        .columns = header->schema.columns,
                        .capacity = header->spec.n};
}

hb_status hb_header_check(const hb_header *header, const char *path)
{
    if (header->limbs < 1 || header->limbs > header->spec.key_limbs || header->components != 2) {
        return HB_FAIL(HB_EDATA,
                       "%s: ciphertexts of %" PRIu32 " components and %" PRIu32 " limbs are not possible here", path,
                       header->components, header->limbs);
    }
    if (header->evaluated && header->seeded) {
        return HB_FAIL(HB_EDATA, "%s: evaluated ciphertexts have no seeds", path);
    }
    HB_TRY(check_schema(&header->schema, path));
    const hb_packing packing = hb_header_packing(header);
    if (hb_packing_check(&packing) != HB_OK) {
        return HB_FAIL(HB_EDATA, "%s: %.400s", path, hb_last_error()->text);
    }
    uint64_t ciphertexts = hb_packing_ciphertexts(&packing);
    if (header->ciphertexts != ciphertexts) {
        return HB_FAIL(HB_EDATA, "%s: its table fills %" PRIu64 " ciphertexts, but it says %" PRIu64, path, ciphertexts,
                       header->ciphertexts);
    }
    if (header->unit < 1 || header->unit > (ciphertexts ? ciphertexts : 1)) {
        return HB_FAIL(HB_EDATA, "%s: units of %" PRIu64 " ciphertexts are outside 1 to %" PRIu64, path, header->unit,
                       ciphertexts ? ciphertexts : 1);
    }
    return HB_OK;
}

uint64_t hb_header_units(const hb_header *header)
{
    return header->ciphertexts / header->unit + (header->ciphertexts % header->unit != 0);
}

void hb_header_unit_range(const hb_header *header, uint64_t u, uint64_t *first, uint64_t *count)
{
    HB_ASSERT(u < hb_header_units(header));
    uint64_t left = header->ciphertexts - u * header->unit;
    *first = u * header->unit;
    *count = left < header->unit ? left : header->unit;
}

void hb_header_units_range(const hb_header *header, uint64_t first_unit, uint64_t units, uint64_t *first,
                           uint64_t *count)
{
    *first = *count = 0;
    if (units > 0) {
        uint64_t last, last_count;
        hb_header_unit_range(header, first_unit, first, count);
        hb_header_unit_range(header, first_unit + units - 1, &last, &last_count);
        *count = last + last_count - *first;
    }
}

uint32_t hb_header_stored(const hb_header *header)
{
    return header->seeded ? header->components - 1 : header->components;
}

size_t hb_header_row_bytes(const hb_header *header, uint32_t limb)
{
    return hb_spec_row_bytes(&header->spec, limb);
}

size_t hb_header_ciphertext_bytes(const hb_header *header)
{
    /* At most 2 components of 64 limbs of 2^17 * 60 / 8 bytes: below 2^27. */
    size_t bytes = 0;
    for (uint32_t l = 0; l < header->limbs; l++) {
        bytes += hb_header_row_bytes(header, l);
    }
    return bytes * hb_header_stored(header) + (header->seeded ? HB_SEED_BYTES : 0);
}

uint64_t hb_header_choose_unit(uint64_t ciphertexts, size_t ciphertext_bytes, uint64_t across)
{
    uint64_t cap = UNIT_BYTES / ciphertext_bytes;
    uint64_t unit = ciphertexts / UNITS_WANTED + (ciphertexts % UNITS_WANTED != 0);
    unit = unit < cap ? unit : cap;
    unit = unit > 1 ? unit : 1;
    if (unit < across && across <= cap && ciphertexts / across >= UNITS_LEAST) {
        unit = across;
    }
    return unit >= across ? unit - unit % across : unit;
}

bool hb_rows_have(const hb_rows *rows, uint32_t limb)
{
    return (rows->limbs >> limb & 1) != 0;
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
