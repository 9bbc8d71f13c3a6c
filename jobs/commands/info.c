/* hebatch info: describes a key file, a directory of keys or a ciphertext dataset. Reads no ciphertext, shows no
 * secret. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/outward.h"
#include "batch/cells/column_values.h"
#include "batch/cells/table_missing.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "info.h"
#include "io/dataset/dataset.h"
#include "io/dataset/file_kind.h"
#include "io/joint/ledger.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "status.h"
#include "table/grouping.h"

/* The present part of a dataset: a folder holds all units, a shard on its own some. */
typedef struct extent {
    uint64_t first_unit, units, ciphertexts;
    uint32_t parts;
    double stored, plain; /* bytes; plain: of the whole table */
    char sum[2 * HB_DIGEST_BYTES + 1];
} extent;

static void find_extent(const hb_dataset *dataset, extent *e)
{
    const hb_header *header = hb_dataset_header(dataset);
    hb_dataset_units(dataset, &e->first_unit, &e->units);
    e->parts = hb_dataset_parts(dataset);
    uint64_t first;
    hb_header_units_range(header, e->first_unit, e->units, &first, &e->ciphertexts);
    e->stored = (double)e->ciphertexts * (double)hb_header_ciphertext_bytes(header);
    if (e->ciphertexts == header->ciphertexts) { /* a shard is of one residue */
        e->stored *= hb_spec_residues(&header->spec);
    }
    e->plain = (double)header->schema.rows * (double)header->schema.columns * header->schema.width;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(dataset, sum);
    hb_hex(e->sum, sum, sizeof sum);
}

/* With a space behind it; reals have no types with and without a sign. */
static const char *sign_name(const hb_header *header)
{
    const hb_schema *schema = &header->schema;
    uint64_t count = 0;
    if (header->cells == HB_CELL_REAL) {
        return "";
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        count += schema->column[c].is_signed;
    }
    if (count == 0) {
        return "unsigned ";
    }
    return count == schema->columns ? "signed " : "signed and unsigned ";
}

static void print_budget(const hb_group *group, const hb_common *common, const hb_header *header,
                         const hb_params *params)
{
    if (params->levels[header->limbs].basis.limbs > 0) {
        const hb_predicted bits = hb_predicted_budget(params, header);
        const hb_predicted_share part = hb_predicted_part(bits.approximate, bits.worst);
        if (bits.unranged) {
            hb_console_result(group, common, "%-12s %s, at %" PRIu32 " of %" PRIu32 " limbs",
                              hb_quality_name(params->spec.scheme), hb_predicted_unranged, header->limbs,
                              params->fresh_limbs);
            return;
        }
        const bool real = header->cells == HB_CELL_REAL;
        char proven[32], none[32];
        snprintf(proven, sizeof proven, "bits %s", hb_predicted_word(bits));
        snprintf(none, sizeof none, "no bits %s", hb_predicted_word(bits));
        hb_console_result(group, common, "%-12s %s, %s, at %" PRIu32 " of %" PRIu32 " limbs%s",
                          hb_quality_name(params->spec.scheme), hb_human_bits(bits.worst, real, proven, none).text,
                          hb_human_bits(bits.expected, real, "expected", "none expected").text, header->limbs,
                          params->fresh_limbs, part.text);
    }
}

/* Prints how values stand in ciphertexts, and what these are. */
static void print_ciphertexts(const hb_group *group, const hb_common *common, const hb_header *header)
{
    char blocks[96] = "";
    if (header->block > 0) {
        snprintf(blocks, sizeof blocks, " in blocks of %s", hb_human_things(header->block, "slot").text);
    }
    hb_console_result(group, common, "packing      %s%s, in %s, up to %" PRIu64 " values a ciphertext%s",
                      header->order == HB_PACK_COLUMNS ? "columns" : "rows", blocks,
                      hb_encoding_words[header->encoding], header->capacity,
                      hb_header_stands_in_all(header)  ? "; the row stands in the place of all"
                      : hb_header_packs_totals(header) ? "; totals, each in a coefficient"
                                                       : "");
    char residues[64] = "";
    if (hb_spec_residues(&header->spec) > 1) {
        snprintf(residues, sizeof residues, " for each of %" PRIu32 " plain moduli", hb_spec_residues(&header->spec));
    }
    hb_console_result(group, common, "ciphertexts  %" PRIu64 " of %s%s, %s in %s form, %s", header->ciphertexts,
                      hb_human_bytes((double)hb_header_ciphertext_bytes(header)).text, residues,
                      hb_scheme_name(header->spec.scheme), header->form == HB_NTT_FORM ? "NTT" : "coefficient",
                      header->made_by == HB_MADE_EVALUATED  ? "computed"
                      : header->made_by == HB_MADE_IMPORTED ? "imported"
                      : header->seeded                      ? "made with the secret key"
                                                            : "made with the public key");
}

/* Prints which keys the data was under before, the last one first. */
static void print_history(const hb_group *group, const hb_common *common, const hb_header_past *past)
{
    char id[2 * HB_KEY_ID_BYTES + 1], sum[2 * HB_DIGEST_BYTES + 1];
    for (uint32_t i = past->steps; i-- > 0;) {
        hb_hex(id, past->key_id[i], sizeof past->key_id[i]);
        hb_hex(sum, past->data_sum[i], sizeof past->data_sum[i]);
        hb_console_result(group, common, "history      %s, of key %s, sum %s", hb_history_words[past->what[i]], id,
                          sum);
    }
}

static json_t *history_json(const hb_header_past *past)
{
    char id[2 * HB_KEY_ID_BYTES + 1], sum[2 * HB_DIGEST_BYTES + 1];
    json_t *list = past->steps > 0 ? json_array() : NULL;
    for (uint32_t i = 0; i < past->steps; i++) {
        hb_hex(id, past->key_id[i], sizeof past->key_id[i]);
        hb_hex(sum, past->data_sum[i], sizeof past->data_sum[i]);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "what", hb_history_words[past->what[i]], "key_id", id, "sum", sum));
    }
    return list;
}

/* Prints whether ciphertexts hide how they were computed, or who can check a part of them. */
static void print_sanitized(const hb_group *group, const hb_common *common, const hb_header *header)
{
    if (header->past.sanitized > 0) {
        hb_console_result(group, common, "sanitized    within 2^-%.1f of any other computation of these values",
                          hb_decimal_down(header->past.sanitized, 1));
    }
    if (header->past.opened) {
        char seed[2 * HB_SEED_BYTES + 1];
        hb_hex(seed, header->past.zero_seed.bytes, HB_SEED_BYTES);
        hb_console_result(group, common, "opened       an encryption of zero by seed %s", seed);
    }
}

static void print_dataset(const hb_group *group, const hb_common *common, const char *path, const hb_header *header,
                          const hb_params *params, const extent *e)
{
    const hb_schema *schema = &header->schema;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, header->key_id, HB_KEY_ID_BYTES);
    hb_console_result(group, common, "file         %s", path);
    hb_console_result(group, common, "kind         ciphertext dataset, %s", hb_human_things(e->parts, "shard").text);
    hb_console_result(group, common, "key id       %s", id);
    hb_info_print_params(group, common, params);
    hb_console_result(group, common, "table        %s%s, %s%ss of %" PRIu32 " bits",
                      hb_human_table(schema->rows, hb_schema_shown(schema)).text, schema->named ? " with names" : "",
                      sign_name(header), hb_header_cells_word(header), 8 * schema->width);
    hb_left_out_print(group, common, schema, true);
    hb_columns_print(group, common, schema, HB_COLUMNS_NAMES);
    hb_columns_print_groups(group, common, schema);
    print_ciphertexts(group, common, header);
    print_sanitized(group, common, header);
    print_budget(group, common, header, params);
    hb_console_result(group, common, "units        %" PRIu64 " of %s", hb_header_units(header),
                      hb_human_things(header->unit, "ciphertext").text);
    if (e->ciphertexts < header->ciphertexts) {
        hb_console_result(group, common, "here         %s from number %" PRIu64 ": one shard",
                          hb_human_things(e->units, "unit").text, e->first_unit);
    }
    char ratio[64] = "";
    if (e->plain > 0 && e->ciphertexts == header->ciphertexts) {
        snprintf(ratio, sizeof ratio, ", %.1f times the %ss", e->stored / e->plain, hb_header_cells_word(header));
    }
    hb_console_result(group, common, "size         %s%s", hb_human_bytes(e->stored).text, ratio);
    hb_console_result(group, common, "sum          %s", e->sum);
    print_history(group, common, &header->past);
}

static json_t *budget_json(const hb_header *header, const hb_params *params)
{
    if (params->levels[header->limbs].basis.limbs == 0) {
        return json_null();
    }
    const hb_predicted bits = hb_predicted_budget(params, header);
    json_t *budget = hb_predicted_plan_json(bits),
           *approximate = hb_predicted_approximate_json(bits.approximate, bits.worst);
    if (approximate != NULL && json_object_set_new(budget, "approximate", approximate) != 0) {
        json_decref(budget);
        return NULL;
    }
    return budget;
}

static json_t *names_json(const hb_grouping *g, bool keys)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < (keys ? g->keys.columns : g->columns); i++) {
        json_array_append_new(list, hb_report_text(keys ? g->keys.column[i].name : g->column[i].name));
    }
    return list;
}

/* The meaning of totals; null of other columns. */
static json_t *groups_json(const hb_grouping *g)
{
    if (g == NULL) {
        return json_null();
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "groups", (json_int_t)g->keys.rows, "rows", (json_int_t)g->rows,
                     "fetched", (json_int_t)g->fetched, "keys", names_json(g, true), "shown", names_json(g, false));
}

static json_t *zero_seed_json(const hb_header *header)
{
    char seed[2 * HB_SEED_BYTES + 1];
    hb_hex(seed, header->past.zero_seed.bytes, HB_SEED_BYTES);
    return header->past.opened ? json_string(seed) : json_null();
}

static json_t *dataset_json(const char *path, const hb_header *header, const hb_params *params, const extent *e)
{
    const hb_schema *schema = &header->schema;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, header->key_id, HB_KEY_ID_BYTES);
    json_t *table = json_pack("{s:I, s:o, s:o*, s:I, s:i, s:i, s:b, s:b, s:o, s:o}", "rows", (json_int_t)schema->rows,
                              "left_out", hb_left_out_json(schema), "threshold_gap", hb_threshold_gap_json(schema),
                              "columns", (json_int_t)schema->columns, "dimensions", (int)schema->rank, "width",
                              (int)schema->width, "big_endian", (int)schema->big_endian, "named", (int)schema->named,
                              "column", hb_report_columns(schema), "groups", groups_json(schema->grouping));
    return json_pack(
        "{s:o, s:s, s:s, s:s, s:s, s:f, s:I, s:s, s:o, s:o, s:s, s:I, s:s, s:b, s:b, s:i, s:o, s:I, s:I, s:I, s:I, "
        "s:i, "
        "s:I, "
        "s:I, s:I, s:s, s:b, s:o, s:o, s:o*}",
        "file", hb_report_text(path), "kind", "ciphertext dataset", "scheme", hb_scheme_word(header->spec.scheme),
        "cells", hb_header_cells_word(header), "form", hb_header_form_word(header), "scale", header->scale, "capacity",
        (json_int_t)header->capacity, "key_id", id, "params", hb_report_params(params), "table", table, "packing",
        header->order == HB_PACK_COLUMNS ? "columns" : "rows", "block", (json_int_t)header->block, "encoding",
        hb_encoding_words[header->encoding], "seeded", (int)header->seeded, "evaluated",
        (int)(header->made_by != HB_MADE_FRESH), "limbs", (int)header->limbs, hb_quality_word(params->spec.scheme),
        budget_json(header, params), "ciphertexts", (json_int_t)header->ciphertexts, "ciphertext_bytes",
        (json_int_t)hb_header_ciphertext_bytes(header), "units", (json_int_t)hb_header_units(header), "unit",
        (json_int_t)header->unit, "shards", (int)e->parts, "first_unit_here", (json_int_t)e->first_unit, "units_here",
        (json_int_t)e->units, "stored_bytes", (json_int_t)e->stored, "sum", e->sum, "filled",
        (int)hb_header_stands_in_all(header), "sanitized",
        header->past.sanitized > 0 ? json_real(header->past.sanitized) : json_null(), "zero_seed",
        zero_seed_json(header), "history", history_json(&header->past));
}

static hb_status info_dataset(const hb_group *group, const hb_common *common, const char *path)
{
    hb_dataset *dataset = NULL;
    hb_params *params = NULL;
    hb_status st;
    HB_GOTO(hb_dataset_open(path, &dataset));
    const hb_header *header = hb_dataset_header(dataset);
    HB_GOTO(hb_params_open(&header->spec, &params));
    extent e;
    find_extent(dataset, &e);
    if (common->json) {
        HB_GOTO(hb_report_results(group, "info", dataset_json(path, header, params, &e)));
    } else {
        print_dataset(group, common, path, header, params, &e);
    }
    hb_columns_warn(group, path, header);
done:
    hb_params_close(params);
    hb_dataset_close(dataset);
    return st;
}

static hb_status info_unfinished(const hb_group *group, const hb_common *common, const char *path)
{
    json_t *status;
    HB_TRY(hb_job_status_get(path, &status));
    if (common->json) {
        return hb_report_results(group, "info", status);
    }
    hb_job_status_print(group, common, status);
    json_decref(status);
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_parsed parsed;
    const hb_usage usage = {.command = &hb_command_info, .least = 1, .most = 1};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const char *name = parsed.operands[0];
    if (strstr(name, ".partial") != NULL && hb_job_status_is_unfinished(name)) {
        return info_unfinished(group, &parsed.common, name);
    }
    if (hb_ledger_is_one(name)) { /* no HDF5, as all others are */
        return hb_info_ledger(group, &parsed.common, name);
    }
    hb_file_kind kind;
    HB_TRY(hb_file_kind_of(name, &kind));
    switch (kind) {
    case HB_FILE_KEY:
        return hb_info_key(group, &parsed.common, parsed.operands[0]);
    case HB_FILE_SWITCH_KEY:
        return hb_info_switch_key(group, &parsed.common, parsed.operands[0]);
    case HB_FILE_KEYS:
        return hb_info_keys(group, &parsed.common, parsed.operands[0]);
    case HB_FILE_JOINT:
        return hb_info_joint(group, &parsed.common, parsed.operands[0]);
    case HB_FILE_DATASET:
        break;
    }
    return info_dataset(group, &parsed.common, parsed.operands[0]);
}

const hb_command hb_command_info = {
    .name = "info",
    .arguments = "FILE | DIR [OPTIONS]",
    .summary = "say what a key file, a directory of keys, a dataset or a file of joint keys is",
    .ranks = false,
    .run = run};
