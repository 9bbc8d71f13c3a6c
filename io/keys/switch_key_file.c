#include "switch_key_file.h"

#include <stdlib.h>
#include <string.h>

#include "switch_key_rows_private.h"

/* Attributes and object headers, seeds, and the gap before a dataset that begins on a page: at most this. */
#define FILE_OVERHEAD ((uint64_t)16 << 10)

uint64_t hb_switch_key_file_bytes(const hb_params_spec *spec, hb_key_name name)
{
    const hb_part_rows rows = hb_part_rows_of(spec, name);
    return (uint64_t)hb_key_parts(spec, name) * (rows.all_bytes + (size_t)rows.count * HB_DIGEST_BYTES) + FILE_OVERHEAD;
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
                                .parts = hb_key_parts(spec, name),
                                .part_bytes = hb_part_rows_of(spec, name).all_bytes};
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

/* Returns the key as attributes and bodies. The digests of rows come after the seeds, and before the rows. */
static hb_key_content content_of(const hb_switch_key_file *key, hb_key_body sums)
{
    const bool seeded = key->seeds != NULL;
    const hb_h5_shape rows = hb_h5_matrix(H5T_STD_U8LE, key->parts, key->part_bytes);
    const hb_key_body seeds = {"seed", hb_h5_matrix(H5T_STD_U8LE, key->parts, sizeof(hb_seed)), key->seeds},
                      a = {"a", rows, key->a};
    return (hb_key_content){.kind = HB_KIND_RELINEARIZATION + (uint32_t)key->name.sort,
                            .spec = &key->spec,
                            .key_id = key->key_id,
                            .element = key->name.element,
                            .limbs = key->name.limbs,
                            .rekey = key->name.sort == HB_KEY_REKEY ? &key->rekey : NULL,
                            .row_sums = true,
                            .bodies = 3,
                            .aside = seeded ? 1 : 2,
                            .body = {seeded ? seeds : sums, seeded ? sums : a, {"b", rows, key->b}}};
}

/* Digests all rows of a component, one after another. Returns the place behind their digests. */
static uint8_t *sum_rows(uint8_t *sum, const hb_switch_key_file *key, const uint8_t *rows)
{
    const hb_part_rows of = hb_part_rows_of(&key->spec, key->name);
    for (uint32_t j = 0; j < key->parts; j++) {
        for (uint32_t i = 0; i < of.count; i++, sum += HB_DIGEST_BYTES) {
            hb_digest_row(sum, rows, of.bytes[i]);
            rows += of.bytes[i];
        }
    }
    return sum;
}

/* Makes the content of a key, and the digests of its rows, which the caller frees. */
static hb_status whole_content(const hb_switch_key_file *key, hb_key_content *content, uint8_t **sums)
{
    HB_ASSERT(key->parts == hb_key_parts(&key->spec, key->name));
    HB_ASSERT(key->part_bytes == hb_part_rows_of(&key->spec, key->name).all_bytes);
    HB_ASSERT(key->b && (key->seeds == NULL) != (key->a == NULL));
    hb_key_body body = hb_key_row_sums(&key->spec, key->name, key->seeds != NULL);
    uint8_t *own = *sums = malloc(hb_key_body_bytes(&body));
    if (own == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the digests of a key");
    }
    (void)sum_rows(key->a != NULL ? sum_rows(own, key, key->a) : own, key, key->b);
    body.data = own;
    *content = content_of(key, body);
    return HB_OK;
}

hb_status hb_switch_key_file_write(const char *path, const hb_switch_key_file *key)
{
    hb_key_content content;
    uint8_t *sums;
    HB_TRY(whole_content(key, &content, &sums));
    const hb_status st = hb_key_content_write(path, &content);
    free(sums);
    return st;
}

hb_status hb_switch_key_file_prepare(const char *path, const hb_switch_key_file *key, hb_pending *pending)
{
    hb_key_content content;
    uint8_t *sums;
    HB_TRY(whole_content(key, &content, &sums));
    const hb_status st = hb_key_content_prepare(path, &content, pending);
    free(sums);
    return st;
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
        memcpy(key->key_id, label->key_id, sizeof key->key_id);
        key->rekey = label->rekey;
        memcpy(key->sum, label->sum, sizeof key->sum);
        st = hb_switch_key_source_read(&source, path, key->b, label->seeded ? (uint8_t *)key->seeds : key->a);
    }
    hb_switch_key_source_close(&source);
    if (st != HB_OK) {
        hb_switch_key_file_clear(key);
    }
    return st;
}
