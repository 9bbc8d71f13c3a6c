#include "switch_key_file.h"

#include <stdlib.h>
#include <string.h>

#include "params_h5_private.h"
#include "switch_key_private.h"

/* Attributes and object headers, seeds, and the gap before a dataset that begins on a page: at most this. */
#define FILE_OVERHEAD ((uint64_t)16 << 10)

uint32_t hb_switch_key_parts(const hb_params_spec *spec, hb_key_name name)
{
    const uint32_t limbs = hb_key_name_limbs(spec, name), each = hb_spec_digit_limbs(spec);
    return limbs / each + (limbs % each != 0);
}

size_t hb_switch_key_part_bytes(const hb_params_spec *spec, hb_key_name name)
{
    const uint32_t data = hb_spec_data_limbs(spec), limbs = hb_key_name_limbs(spec, name);
    const uint32_t end = name.sort == HB_KEY_TO_SPARSE ? data + 1 : spec->key_limbs;
    size_t bytes = 0;
    for (uint32_t l = 0; l < end; l++) {
        bytes += l < limbs || l >= data ? hb_spec_row_bytes(spec, l) : 0;
    }
    return bytes;
}

uint64_t hb_switch_key_file_bytes(const hb_params_spec *spec, hb_key_name name)
{
    return (uint64_t)hb_switch_key_parts(spec, name) * hb_switch_key_part_bytes(spec, name) + FILE_OVERHEAD;
}

void hb_switch_key_file_clear(hb_switch_key_file *key)
{
    free(key->b);
    free(key->seeds);
    free(key->a);
    memset(key, 0, sizeof *key);
}

/* Sizes are at most 63 parts of 2^26 bytes. */
hb_status hb_switch_key_file_init(hb_switch_key_file *key, const hb_params_spec *spec, hb_key_name name, bool seeded)
{
    *key = (hb_switch_key_file){.parts = 0};
    *key = (hb_switch_key_file){.spec = *spec,
                                .name = name,
                                .parts = hb_switch_key_parts(spec, name),
                                .part_bytes = hb_switch_key_part_bytes(spec, name)};
    if (key->parts == 0) {
        memset(key, 0, sizeof *key);
        return HB_FAIL(HB_ECONFIG, "%u primes: there is none that is not special, and keys switch nothing",
                       spec->key_limbs);
    }
    key->b = malloc(key->parts * key->part_bytes);
    if (seeded) {
        key->seeds = calloc(key->parts, sizeof *key->seeds);
    } else {
        key->a = malloc(key->parts * key->part_bytes);
    }
    if (key->b && (key->seeds || key->a)) {
        return HB_OK;
    }
    const size_t bytes = key->parts * key->part_bytes;
    hb_switch_key_file_clear(key);
    return HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", seeded ? bytes : 2 * bytes);
}

hb_key_content hb_switch_key_content(const hb_switch_key_file *key, bool seeded, hid_t bytes)
{
    const hb_h5_shape packed = hb_h5_matrix(bytes, key->parts, key->part_bytes);
    const hb_h5_shape seeds = hb_h5_matrix(bytes, key->parts, sizeof(hb_seed));
    return (hb_key_content){
        .kind = HB_KIND_RELINEARIZATION + (uint32_t)key->name.sort,
        .spec = &key->spec,
        .key_id = key->key_id,
        .element = key->name.element,
        .limbs = key->name.limbs,
        .bodies = 2,
        .body = {seeded ? (hb_key_body){"seed", seeds, key->seeds} : (hb_key_body){"a", packed, key->a},
                 {"b", packed, key->b}}};
}

static hb_key_content whole_content(const hb_switch_key_file *key)
{
    HB_ASSERT(key->parts == hb_switch_key_parts(&key->spec, key->name));
    HB_ASSERT(key->part_bytes == hb_switch_key_part_bytes(&key->spec, key->name));
    HB_ASSERT(key->b && (key->seeds == NULL) != (key->a == NULL));
    return hb_switch_key_content(key, key->seeds != NULL, H5T_STD_U8LE);
}

hb_status hb_switch_key_file_write(const char *path, const hb_switch_key_file *key)
{
    const hb_key_content content = whole_content(key);
    return hb_key_content_write(path, &content);
}

hb_status hb_switch_key_file_prepare(const char *path, const hb_switch_key_file *key, hb_pending *pending)
{
    const hb_key_content content = whole_content(key);
    return hb_key_content_prepare(path, &content, pending);
}

hb_status hb_switch_key_file_look(const char *path, hb_switch_key_label *label)
{
    hb_switch_key_source source;
    HB_TRY(hb_switch_key_source_open(path, &source));
    *label = source.label;
    hb_switch_key_source_close(&source);
    return HB_OK;
}

hb_status hb_switch_key_file_read(const char *path, hb_switch_key_file *key)
{
    hb_switch_key_source source;
    *key = (hb_switch_key_file){.parts = 0};
    HB_TRY(hb_switch_key_source_open(path, &source));
    const hb_switch_key_label *label = &source.label;
    hb_status st = hb_switch_key_file_init(key, &label->spec, label->name, label->seeded);
    if (st == HB_OK) {
        uint8_t *const bodies[2] = {label->seeded ? (uint8_t *)key->seeds : key->a, key->b};
        memcpy(key->key_id, label->key_id, sizeof key->key_id);
        st = hb_switch_key_source_bodies(&source, path, bodies);
    }
    hb_switch_key_source_close(&source);
    if (st != HB_OK) {
        hb_switch_key_file_clear(key);
    }
    return st;
}

hb_packed_key hb_switch_key_file_rows(const hb_switch_key_file *key)
{
    return (hb_packed_key){.limbs = key->name.limbs, .b = key->b, .a = key->a, .seeds = key->seeds};
}
