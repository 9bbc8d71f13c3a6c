#include <inttypes.h>
#include <string.h>

#include "dataset_private.h"
#include "params_h5_private.h"

static const char *const encodings[] = {[HB_ENCODE_SLOTS] = "slots", [HB_ENCODE_COEFFICIENTS] = "coefficients"};
static const char *const orders[] = {[HB_PACK_COLUMNS] = "columns", [HB_PACK_ROWS] = "rows"};

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
    HB_GOTO(hb_h5_put_text(group, "encoding", encodings[header->encoding]));
    st = hb_columns_put(group, schema);
done:
    hb_h5_close(group);
    return st;
}

static hb_status put_evaluated(hid_t group, const hb_header *header)
{
    HB_TRY(hb_h5_put_u64(group, "noise_worst", hb_noise_to_file(header->noise.worst)));
    HB_TRY(hb_h5_put_u64(group, "noise_expected", hb_noise_to_file(header->noise.expected)));
    return hb_h5_put_u64(group, "stray", header->stray);
}

hb_status hb_header_put(hid_t file, const hb_header *header, hid_t *ct)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_header_digest(digest, header);
    HB_TRY(hb_h5_put_text(file, "format", HB_FORMAT));
    HB_TRY(hb_h5_put_u64(file, "version", hb_header_version(header)));
    HB_TRY(hb_h5_put_text(file, "tool", "hebatch " HEBATCH_VERSION));
    HB_TRY(hb_h5_put_bytes(file, "key_id", header->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_put_bytes(file, "header_digest", digest, sizeof digest));
    HB_TRY(hb_spec_put(file, &header->spec));
    HB_TRY(put_table(file, header));
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "ct", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "limbs", header->limbs));
    HB_GOTO(hb_h5_put_u64(group, "components", header->components));
    HB_GOTO(hb_h5_put_u64(group, "seeded", header->seeded));
    HB_GOTO(hb_h5_put_u64(group, "ciphertexts", header->ciphertexts));
    HB_GOTO(hb_h5_put_u64(group, "unit", header->unit));
    HB_GOTO(header->evaluated ? put_evaluated(group, header) : HB_OK);
    *ct = group;
    group = 0;
done:
    hb_h5_close(group);
    return st;
}

/* Reads a text attribute that is one of two words; *second: whether it is the second. */
static hb_status get_word(hid_t at, const char *name, const char *path, const char *const words[2], bool *second)
{
    char text[32];
    HB_TRY(hb_h5_get_text(at, name, path, text, sizeof text));
    if (strcmp(text, words[0]) != 0 && strcmp(text, words[1]) != 0) {
        return HB_FAIL(HB_EDATA, "%s: attribute '%s' is neither '%s' nor '%s'", path, name, words[0], words[1]);
    }
    *second = strcmp(text, words[1]) == 0;
    return HB_OK;
}

static hb_status get_table(hid_t group, const char *path, uint64_t file_bytes, hb_header *header)
{
    uint64_t rank, width, rows, columns;
    bool coefficients, by_rows;
    HB_TRY(hb_h5_get_u64(group, "rank", path, 2, &rank));
    HB_TRY(hb_h5_get_u64(group, "width", path, 8, &width));
    HB_TRY(hb_h5_get_u64(group, "rows", path, UINT64_MAX, &rows));
    HB_TRY(hb_h5_get_u64(group, "columns", path, UINT64_MAX, &columns));
    HB_TRY(get_word(group, "order", path, orders, &by_rows));
    HB_TRY(get_word(group, "encoding", path, encodings, &coefficients));
    hb_schema *schema = &header->schema;
    HB_TRY(hb_h5_get_bool(group, "big_endian", path, &schema->big_endian));
    HB_TRY(hb_h5_get_bool(group, "named", path, &schema->named));
    header->order = by_rows ? HB_PACK_ROWS : HB_PACK_COLUMNS;
    header->encoding = coefficients ? HB_ENCODE_COEFFICIENTS : HB_ENCODE_SLOTS;
    schema->rank = (uint32_t)rank;
    schema->width = (uint32_t)width;
    schema->rows = rows;
    schema->columns = columns;
    return hb_columns_get(group, path, file_bytes, schema);
}

/* Bounds above the product of all primes are of no ciphertext; those of HB_MAX_LIMBS primes of 60 bits bound the
 * number. */
static hb_status get_evaluated(hid_t group, const char *path, hb_header *header)
{
    const uint64_t most = (uint64_t)HB_MAX_LIMBS * 60 * 1024;
    uint64_t worst, expected;
    HB_TRY(hb_h5_get_u64(group, "noise_worst", path, most, &worst));
    HB_TRY(hb_h5_get_u64(group, "noise_expected", path, most, &expected));
    header->noise = (hb_noise){.worst = hb_noise_from_file(worst), .expected = hb_noise_from_file(expected)};
    return hb_h5_get_bool(group, "stray", path, &header->stray);
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
    header->components = (uint32_t)components;
    return header->evaluated ? get_evaluated(group, path, header) : HB_OK;
}

static hb_status get_version(hid_t file, const char *path, bool *evaluated)
{
    uint64_t version;
    HB_TRY(hb_h5_get_u64(file, "version", path, UINT64_MAX, &version));
    *evaluated = version >= HB_FORMAT_VERSION_EVALUATED;
    return hb_h5_check_format(file, path, HB_FORMAT, *evaluated ? HB_FORMAT_VERSION_EVALUATED : HB_FORMAT_VERSION);
}

hb_status hb_header_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header,
                        uint8_t digest[HB_DIGEST_BYTES])
{
    hid_t group;
    uint8_t stored[HB_DIGEST_BYTES];
    HB_TRY(get_version(file, path, &header->evaluated));
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, header->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_get_bytes(file, "header_digest", path, stored, sizeof stored));
    HB_TRY(hb_spec_get(file, path, file_bytes, &header->spec));
    HB_TRY(hb_h5_open_group(file, "ct", path, &group));
    hb_status st = get_ct(group, path, header);
    hb_h5_close(group);
    HB_TRY(st);
    HB_TRY(hb_h5_open_group(file, "table", path, &group));
    st = get_table(group, path, file_bytes, header);
    hb_h5_close(group);
    HB_TRY(st);
    HB_TRY(hb_header_check(header, path));
    hb_header_digest(digest, header);
    return memcmp(digest, stored, sizeof stored) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its header does not match its digest: the file is damaged", path);
}
