/* The header of a dataset in HDF5: facts about its ciphertexts, as their scheme and form, their maker, bounds of their
 * noise; then those about its table. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "io/keys/params_h5_private.h"
#include "scheme/codec.h"
#include "scheme/params.h"

/* --- ciphertexts */

static const char *const forms[] = {[HB_COEFFICIENT_FORM] = "coefficient", [HB_NTT_FORM] = "ntt"};
#define FORMS (sizeof forms / sizeof *forms)
static const char *const makers[] = {[HB_FILE_SECRET_KEY] = "secret key",
                                     [HB_FILE_PUBLIC_KEY] = "public key",
                                     [HB_FILE_EVALUATION] = "evaluation",
                                     [HB_FILE_IMPORT] = "import"};
static const char *const sources[HB_SOURCES] = {[HB_SOURCE_PROVEN] = "proven",
                                                [HB_SOURCE_ASSUMED] = "assumed",
                                                [HB_SOURCE_DRAWN] = "drawn",
                                                [HB_SOURCE_LIKELY] = "likely"};

const char *hb_header_form_word(const hb_header *header)
{
    HB_ASSERT(header->form < FORMS);
    return forms[header->form];
}

uint32_t hb_header_made(const hb_header *header)
{
    switch (header->made_by) {
    case HB_MADE_EVALUATED:
        return HB_FILE_EVALUATION;
    case HB_MADE_IMPORTED:
        return HB_FILE_IMPORT;
    case HB_MADE_FRESH:
        break;
    }
    return header->seeded ? HB_FILE_SECRET_KEY : HB_FILE_PUBLIC_KEY;
}

static hb_status put_noise(hid_t group, const hb_header *header)
{
    HB_TRY(hb_h5_put_u64(group, "noise_worst", hb_quality_to_file(header->quality.worst)));
    return hb_h5_put_u64(group, "noise_expected", hb_quality_to_file(header->quality.expected));
}

/* How errors are spread over slots, which the layout of BFV has no place for. */
static hb_status put_spread(hid_t group, const hb_header *header)
{
    if (hb_header_version(header) < HB_FORMAT_VERSION) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_u64(group, "noise_norm", hb_quality_to_file(header->quality.norm)));
    return hb_h5_put_u64(group, "noise_peak", hb_quality_to_file(header->quality.peak));
}

/* Bounds above the product of all primes are of no ciphertext; those of HB_MAX_LIMBS primes of 60 bits bound the
 * number. */
static const uint64_t most_noise = (uint64_t)HB_QUALITY_MOST_BITS * 1024;

/* Only results of functions have the attribute, so that other datasets have the same bytes as before there were
 * functions. */
static hb_status put_approximate(hid_t group, const hb_header *header)
{
    return header->approximate > 0 ? hb_h5_put_f64(group, "approximate", header->approximate) : HB_OK;
}

static hb_status get_approximate(hid_t group, const char *path, hb_header *header)
{
    htri_t there;
    HB_TRY(
        HB_H5(there = H5Aexists(group, "approximate"), HB_EDATA, "%s: cannot look for attribute 'approximate'", path));
    if (there == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_f64(group, "approximate", path, &header->approximate));
    return header->approximate > 0 && isfinite(header->approximate)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: functions in it are off by %g, which is no error", path, header->approximate);
}

/* Only results that were stored in fewer limbs than they were computed with say so. */
static hb_status put_computed(hid_t group, const hb_header *header)
{
    return header->past.computed_limbs > 0 ? hb_h5_put_u64(group, "computed_limbs", header->past.computed_limbs)
                                           : HB_OK;
}

static hb_status get_computed(hid_t group, const char *path, hb_header *header)
{
    htri_t there;
    uint64_t limbs = 0;
    HB_TRY(HB_H5(there = H5Aexists(group, "computed_limbs"), HB_EDATA, "%s: cannot look for attribute 'computed_limbs'",
                 path));
    if (there > 0) {
        HB_TRY(hb_h5_get_u64(group, "computed_limbs", path, header->spec.key_limbs, &limbs));
    }
    header->past.computed_limbs = (uint32_t)limbs;
    return HB_OK;
}

/* Only these ciphertexts say so; one of both makes the version. */
static hb_status put_sanitized(hid_t group, const hb_header *header)
{
    if (header->past.sanitized > 0) {
        HB_TRY(hb_h5_put_f64(group, "sanitized", header->past.sanitized));
    }
    return header->past.opened ? hb_h5_put_bytes(group, "zero_seed", header->past.zero_seed.bytes, HB_SEED_BYTES)
                               : HB_OK;
}

static hb_status has_attribute(hid_t group, const char *path, const char *name, bool *there)
{
    htri_t found;
    HB_TRY(HB_H5(found = H5Aexists(group, name), HB_EDATA, "%s: cannot look for attribute '%s'", path, name));
    *there = found > 0;
    return HB_OK;
}

/* The version of a part says nothing of this: its attributes do. */
static hb_status get_sanitized(hid_t group, const char *path, hb_header *header)
{
    bool opened = false, there = false;
    if (header->version != HB_FORMAT_SANITIZED && header->part == NULL) {
        return HB_OK;
    }
    HB_TRY(has_attribute(group, path, "zero_seed", &opened));
    HB_TRY(has_attribute(group, path, "sanitized", &there));
    header->version = opened || there ? HB_FORMAT_SANITIZED : header->version;
    header->past.opened = opened;
    if (opened) {
        HB_TRY(hb_h5_get_bytes(group, "zero_seed", path, header->past.zero_seed.bytes, HB_SEED_BYTES));
    }
    return there ? hb_h5_get_f64(group, "sanitized", path, &header->past.sanitized) : HB_OK;
}

static hb_status get_spread(hid_t group, const char *path, hb_header *header)
{
    uint64_t norm, peak;
    if (header->version < HB_FORMAT_VERSION) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_u64(group, "noise_norm", path, most_noise, &norm));
    HB_TRY(hb_h5_get_u64(group, "noise_peak", path, most_noise, &peak));
    header->quality.norm = hb_quality_from_file(norm);
    header->quality.peak = hb_quality_from_file(peak);
    return HB_OK;
}

/* Reads the bounds of noise, in every version that has them. */
static hb_status get_noise(hid_t group, const char *path, hb_header *header)
{
    uint64_t worst, expected;
    HB_TRY(hb_h5_get_u64(group, "noise_worst", path, most_noise, &worst));
    HB_TRY(hb_h5_get_u64(group, "noise_expected", path, most_noise, &expected));
    header->quality = (hb_quality){.worst = hb_quality_from_file(worst), .expected = hb_quality_from_file(expected)};
    return HB_OK;
}

/* Puts the attributes of version 3 in group /ct: scheme, form, origin and quality of the ciphertexts. It needs the
 * whole header except its columns. */
static hb_status put_made(hid_t group, const hb_header *header)
{
    HB_TRY(hb_h5_put_text(group, "scheme", hb_scheme_word(header->spec.scheme)));
    HB_TRY(hb_h5_put_text(group, "form", hb_header_form_word(header)));
    HB_TRY(hb_h5_put_f64(group, "scale", header->scale));
    if (header->kept > 0) {
        HB_TRY(hb_h5_put_u64(group, "kept", header->kept));
    }
    HB_TRY(hb_h5_put_u64(group, "capacity", header->capacity));
    HB_TRY(hb_h5_put_text(group, "made_by", makers[hb_header_made(header)]));
    if (header->made_by != HB_MADE_FRESH) {
        HB_TRY(put_noise(group, header));
        HB_TRY(put_spread(group, header));
        HB_TRY(put_approximate(group, header));
        HB_TRY(put_computed(group, header));
        HB_TRY(put_sanitized(group, header));
        HB_TRY(hb_h5_put_u64(group, "noise_powers", header->quality.powers));
        HB_TRY(hb_h5_put_text(group, "noise_source", sources[hb_header_source(header)]));
    }
    return hb_h5_put_u64(group, "stray", hb_header_stray(header));
}

/* Every file of a version of its own says how many coefficients it keeps; those of later ones may, and none of another
 * version does. */
static hb_status get_kept(hid_t group, const char *path, hb_header *header)
{
    uint64_t kept = 0;
    bool there = header->version == HB_FORMAT_CUT;
    if (header->version >= HB_FORMAT_PARTIES) {
        HB_TRY(has_attribute(group, path, "kept", &there));
    }
    if (there) {
        HB_TRY(hb_h5_get_u64(group, "kept", path, header->spec.n, &kept));
    }
    header->kept = (uint32_t)kept;
    return HB_OK;
}

/* Reads the scheme; hb_header_check checks it. */
static hb_status get_scheme(hid_t group, const char *path, hb_header *header)
{
    hb_scheme scheme = header->spec.scheme;
    uint32_t form = 0;
    HB_TRY(hb_scheme_get(group, path, &scheme));
    HB_TRY(hb_h5_get_word(group, "form", path, forms, FORMS, &form));
    HB_TRY(hb_h5_get_f64(group, "scale", path, &header->scale));
    HB_TRY(get_kept(group, path, header));
    HB_TRY(hb_h5_get_u64(group, "capacity", path, UINT64_MAX, &header->capacity));
    header->form = (hb_form)form;
    return scheme == header->spec.scheme ? HB_OK
                                         : HB_FAIL(HB_EDATA, "%s: its ciphertexts are of %s, its parameters of %s",
                                                   path, hb_scheme_word(scheme), hb_scheme_word(header->spec.scheme));
}

/* Fills form, scale, capacity, made_by, quality, noise_assumed, dirty_padding and filled, after spec and seeded are
 * set. */
static hb_status get_made(hid_t group, const char *path, hb_header *header)
{
    uint32_t made = 0, source = HB_SOURCE_PROVEN;
    uint64_t powers = 0, stray = 0;
    HB_TRY(get_scheme(group, path, header));
    HB_TRY(hb_h5_get_word(group, "made_by", path, makers, HB_FILE_MAKERS, &made));
    header->made_by = HB_MADE_FRESH;
    if (made == HB_FILE_EVALUATION) {
        header->made_by = HB_MADE_EVALUATED;
    } else if (made == HB_FILE_IMPORT) {
        header->made_by = HB_MADE_IMPORTED;
    }
    if (header->made_by == HB_MADE_FRESH && header->seeded != (made == HB_FILE_SECRET_KEY)) {
        return HB_FAIL(HB_EDATA, "%s: ciphertexts made with the %s %s seeds", path, makers[made],
                       header->seeded ? "have no" : "have");
    }
    if (header->made_by != HB_MADE_FRESH) {
        HB_TRY(get_noise(group, path, header));
        HB_TRY(get_spread(group, path, header));
        HB_TRY(get_approximate(group, path, header));
        HB_TRY(get_computed(group, path, header));
        HB_TRY(get_sanitized(group, path, header));
        HB_TRY(hb_h5_get_u64(group, "noise_powers", path, HB_MOST_NOISE_POWERS, &powers));
        HB_TRY(hb_h5_get_word(group, "noise_source", path, sources, HB_SOURCES, &source));
    }
    header->quality.powers = (uint32_t)powers;
    header->noise_assumed = source == HB_SOURCE_ASSUMED;
    header->quality.certainty = source == HB_SOURCE_DRAWN    ? HB_CERTAINTY_DRAWN
                                : source == HB_SOURCE_LIKELY ? HB_CERTAINTY_EXPECTED
                                                             : HB_CERTAINTY_PROVEN;
    HB_TRY(hb_h5_get_u64(group, "stray", path, HB_STRAY_FILLED, &stray));
    header->dirty_padding = stray > 0;
    header->filled = stray == HB_STRAY_FILLED;
    return HB_OK;
}

/* --- the table, and all of it */

static const char *const orders[] = {[HB_PACK_COLUMNS] = "columns", [HB_PACK_ROWS] = "rows"};
static const char *const cells[] = {[HB_CELL_INTEGER] = "integer", [HB_CELL_REAL] = "real"};
#define CELLS (sizeof cells / sizeof *cells)

const char *hb_header_cells_word(const hb_header *header)
{
    HB_ASSERT(header->cells < CELLS);
    return cells[header->cells];
}

static const char *const left_out_sums[HB_LEFT_OUT_SUMS] = {"left_out_sum0", "left_out_sum1"};

/* For tables all of whose rows are there nothing is said. */
static hb_status put_left_out(hid_t group, const hb_schema *schema)
{
    const hb_left_out *left_out = &schema->left_out;
    if (schema->total_left_out > 0) {
        HB_TRY(hb_h5_put_u64(group, "total_left_out", schema->total_left_out));
    }
    if (left_out->rows == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_u64(group, "left_out", left_out->rows));
    for (int i = 0; i < HB_LEFT_OUT_SUMS; i++) {
        HB_TRY(hb_h5_put_u64(group, left_out_sums[i], left_out->sum[i]));
    }
    return HB_OK;
}

static hb_status put_table(hid_t file, const hb_header *header)
{
    const hb_schema *schema = &header->schema;
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "table", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "rows", schema->rows));
    HB_GOTO(hb_h5_put_u64(group, "columns", schema->columns));
    HB_GOTO(hb_h5_put_u64(group, "rank", schema->rank));
    HB_GOTO(hb_h5_put_u64(group, "width", schema->width));
    HB_GOTO(hb_h5_put_u64(group, "big_endian", schema->big_endian));
    HB_GOTO(hb_h5_put_u64(group, "named", schema->named));
    HB_GOTO(hb_h5_put_text(group, "order", orders[header->order]));
    if (header->block > 0) {
        HB_GOTO(hb_h5_put_u64(group, "block", header->block));
    }
    HB_GOTO(put_left_out(group, schema));
    if (schema->threshold_gap > 0) {
        HB_GOTO(hb_h5_put_f64(group, "threshold_gap", schema->threshold_gap));
    }
    HB_GOTO(hb_h5_put_text(group, "encoding", hb_encoding_words[header->encoding]));
    HB_GOTO(hb_h5_put_text(group, "cells", hb_header_cells_word(header)));
    HB_GOTO(hb_columns_put(group, schema));
    st = hb_grouping_put(group, schema->grouping);
done:
    hb_h5_close(group);
    return st;
}

hb_status hb_header_put(hid_t file, const hb_header *header, hid_t *ct)
{
    uint8_t digest[HB_DIGEST_BYTES];
    HB_ASSERT(hb_header_version(header) >= HB_FORMAT_BFV); /* older layouts are only read */
    hb_header_digest(digest, header);
    HB_TRY(hb_h5_put_text(file, "format", header->part != NULL ? HB_PART_FORMAT : HB_FORMAT));
    HB_TRY(hb_h5_put_u64(file, "version", header->part != NULL ? HB_PART_VERSION : hb_header_version(header)));
    HB_TRY(hb_h5_put_text(file, "tool", "hebatch " HEBATCH_VERSION));
    HB_TRY(hb_h5_put_bytes(file, "key_id", header->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_put_bytes(file, "header_digest", digest, sizeof digest));
    HB_TRY(hb_spec_put(file, &header->spec));
    HB_TRY(put_table(file, header));
    HB_TRY(hb_part_put(file, header));
    HB_TRY(hb_history_put(file, &header->past));
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "ct", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "limbs", header->limbs));
    HB_GOTO(hb_h5_put_u64(group, "components", hb_header_components(header)));
    HB_GOTO(hb_h5_put_u64(group, "seeded", header->seeded));
    HB_GOTO(hb_h5_put_u64(group, "ciphertexts", header->ciphertexts));
    HB_GOTO(hb_h5_put_u64(group, "unit", header->unit));
    HB_GOTO(put_made(group, header));
    *ct = group;
    group = 0;
done:
    hb_h5_close(group);
    return st;
}

/* Rows without blocks say nothing of them. */
static hb_status get_block(hid_t group, const char *path, uint64_t *block)
{
    htri_t there;
    *block = 0;
    HB_TRY(HB_H5(there = H5Aexists(group, "block"), HB_EDATA, "%s: cannot look for attribute 'block'", path));
    return there > 0 ? hb_h5_get_u64(group, "block", path, UINT32_MAX, block) : HB_OK;
}

/* A number that is only there where it is none of 0. */
static hb_status get_rows(hid_t group, const char *path, const char *name, uint64_t *rows)
{
    htri_t there;
    HB_TRY(HB_H5(there = H5Aexists(group, name), HB_EDATA, "%s: cannot look for attribute '%s'", path, name));
    if (there == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_u64(group, name, path, UINT64_MAX, rows));
    return *rows > 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: says that no rows were left out, in attribute '%s'", path, name);
}

static hb_status get_left_out(hid_t group, const char *path, hb_schema *schema)
{
    hb_left_out *left_out = &schema->left_out;
    HB_TRY(get_rows(group, path, "total_left_out", &schema->total_left_out));
    HB_TRY(get_rows(group, path, "left_out", &left_out->rows));
    if (left_out->rows == 0) {
        return HB_OK;
    }
    for (int i = 0; i < HB_LEFT_OUT_SUMS; i++) {
        HB_TRY(hb_h5_get_u64(group, left_out_sums[i], path, UINT64_MAX, &left_out->sum[i]));
    }
    return HB_OK;
}

/* A result that no comparison of reals was part of has no such attribute. */
static hb_status get_gap(hid_t group, const char *path, double *gap)
{
    htri_t there;
    HB_TRY(HB_H5(there = H5Aexists(group, "threshold_gap"), HB_EDATA, "%s: cannot look for attribute 'threshold_gap'",
                 path));
    return there > 0 ? hb_h5_get_f64(group, "threshold_gap", path, gap) : HB_OK;
}

static hb_status get_table(hid_t group, const char *path, uint64_t file_bytes, hb_header *header)
{
    uint64_t rank, width, rows, columns;
    uint32_t encoding = 0, order = 0, type = 0;
    HB_TRY(hb_h5_get_u64(group, "rank", path, 2, &rank));
    HB_TRY(hb_h5_get_u64(group, "width", path, 16, &width));
    HB_TRY(hb_h5_get_u64(group, "rows", path, UINT64_MAX, &rows));
    HB_TRY(hb_h5_get_u64(group, "columns", path, UINT64_MAX, &columns));
    HB_TRY(hb_h5_get_word(group, "order", path, orders, 2, &order));
    HB_TRY(hb_h5_get_word(group, "encoding", path, hb_encoding_words, HB_ENCODINGS, &encoding));
    if (header->version >= HB_FORMAT_BFV) {
        HB_TRY(hb_h5_get_word(group, "cells", path, cells, CELLS, &type));
        HB_TRY(get_block(group, path, &header->block));
        HB_TRY(get_gap(group, path, &header->schema.threshold_gap));
    }
    hb_schema *schema = &header->schema;
    if (header->version >= HB_FORMAT_LEFT_OUT) {
        HB_TRY(get_left_out(group, path, schema));
    }
    HB_TRY(hb_h5_get_bool(group, "big_endian", path, &schema->big_endian));
    HB_TRY(hb_h5_get_bool(group, "named", path, &schema->named));
    header->order = (hb_packing_order)order;
    header->encoding = (hb_encoding)encoding;
    header->cells = (hb_cell_type)type;
    schema->rank = (uint32_t)rank;
    schema->width = (uint32_t)width;
    schema->rows = rows;
    schema->columns = columns;
    HB_TRY(hb_columns_get(group, path, file_bytes, header->version, schema));
    for (uint64_t c = 0; c < schema->columns; c++) {
        schema->column[c].cells = header->cells;
    }
    return header->version >= HB_FORMAT_BFV ? hb_grouping_get(group, path, file_bytes, schema) : HB_OK;
}

static hb_status get_evaluated(hid_t group, const char *path, hb_header *header)
{
    header->made_by = HB_MADE_EVALUATED;
    HB_TRY(get_noise(group, path, header));
    return hb_h5_get_bool(group, "stray", path, &header->dirty_padding);
}

static hb_status get_ct(hid_t group, const char *path, hb_header *header)
{
    uint64_t limbs, components;
    HB_TRY(hb_h5_get_u64(group, "limbs", path, HB_MAX_LIMBS, &limbs));
    HB_TRY(hb_h5_get_u64(group, "components", path, 2, &components));
    HB_TRY(hb_h5_get_bool(group, "seeded", path, &header->seeded));
    HB_TRY(hb_h5_get_u64(group, "ciphertexts", path, UINT64_MAX, &header->ciphertexts));
    HB_TRY(hb_h5_get_u64(group, "unit", path, UINT64_MAX, &header->unit));
    header->limbs = (uint32_t)limbs;
    if (components != hb_header_components(header)) {
        return HB_FAIL(HB_EDATA, "%s: ciphertexts of %" PRIu64 " components are not possible here", path, components);
    }
    if (header->version == HB_FORMAT_FRESH) {
        return HB_OK;
    }
    return header->version == HB_FORMAT_EVALUATED ? get_evaluated(group, path, header) : get_made(group, path, header);
}

/* A part has the layout of datasets under joint keys. */
static hb_status get_version(hid_t file, const char *path, hb_header *header, bool *is_part)
{
    char format[16];
    HB_TRY(hb_h5_get_text(file, "format", path, format, sizeof format));
    *is_part = strcmp(format, HB_PART_FORMAT) == 0;
    if (!*is_part) {
        return hb_h5_get_format(file, path, HB_FORMAT, HB_FORMAT_FRESH, HB_FORMAT_NEWEST, &header->version);
    }
    HB_TRY(hb_h5_get_format(file, path, HB_PART_FORMAT, HB_PART_VERSION, HB_PART_VERSION, &header->version));
    header->version = HB_FORMAT_PARTIES;
    return HB_OK;
}

hb_status hb_header_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header,
                        uint8_t digest[HB_DIGEST_BYTES])
{
    hid_t group;
    uint8_t stored[HB_DIGEST_BYTES];
    bool is_part;
    HB_TRY(get_version(file, path, header, &is_part));
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, header->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_get_bytes(file, "header_digest", path, stored, sizeof stored));
    HB_TRY(hb_spec_get(file, path, file_bytes, &header->spec));
    if (is_part) {
        HB_TRY(hb_part_get(file, path, file_bytes, header));
    }
    HB_TRY(hb_h5_open_group(file, "ct", path, &group));
    hb_status st = get_ct(group, path, header);
    hb_h5_close(group);
    HB_TRY(st);
    HB_TRY(hb_h5_open_group(file, "table", path, &group));
    st = get_table(group, path, file_bytes, header);
    hb_h5_close(group);
    HB_TRY(st);
    if (header->version >= HB_FORMAT_PARTIES) {
        HB_TRY(hb_history_get(file, path, file_bytes, &header->past));
    }
    if (header->version < HB_FORMAT_BFV) {
        hb_header_set_scheme(header, &header->spec, header->encoding); /* members that older versions lack */
    }
    (void)hb_codec_state_scale(&header->spec, header->limbs, header->scale); /* one that cannot be is refused below */
    HB_TRY(hb_header_check(header, path));
    hb_header_digest(digest, header);
    return memcmp(digest, stored, sizeof stored) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its header does not match its digest: the file is damaged", path);
}
