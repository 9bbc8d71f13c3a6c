/* The rows of switching keys in files: which rows a part has, and where the digest of each is. */
#ifndef HB_IO_KEYS_SWITCH_KEY_ROWS_PRIVATE_H
#define HB_IO_KEYS_SWITCH_KEY_ROWS_PRIVATE_H

#include "key_content_private.h"
#include "params_h5_private.h"
#include "switch_key_file.h"

/* The rows of a part in their order: the primes that they are modulo, and their packed bytes. */
typedef struct hb_part_rows {
    uint32_t count;
    uint32_t prime[HB_MAX_LIMBS]; /* its number among all K */
    size_t bytes[HB_MAX_LIMBS], all_bytes;
} hb_part_rows;

/* Returns the parts of a key. */
static inline uint32_t hb_key_parts(const hb_params_spec *spec, hb_key_name name)
{
    const hb_digit_list digits = hb_digit_list_of(spec);
    return hb_digit_list_at(&digits, hb_key_name_limbs(spec, name));
}

/* Returns the rows of a part: one for each prime of its level, and one for each special prime. HB_KEY_TO_SPARSE has the
 * first special prime alone. */
static inline hb_part_rows hb_part_rows_of(const hb_params_spec *spec, hb_key_name name)
{
    const uint32_t data = hb_spec_data_limbs(spec), limbs = hb_key_name_limbs(spec, name);
    const uint32_t end = name.sort == HB_KEY_TO_SPARSE ? data + 1 : spec->key_limbs;
    hb_part_rows rows = {.count = 0};
    for (uint32_t l = 0; l < end; l++) {
        if (l < limbs || l >= data) {
            rows.prime[rows.count] = l;
            rows.bytes[rows.count] = hb_spec_row_bytes(spec, l);
            rows.all_bytes += rows.bytes[rows.count++];
        }
    }
    return rows;
}

/* Returns the body that holds the digests of rows, without data. First come those of component 1, where the file has
 * its rows, then those of component 0; in each, part after part, and in a part row after row. */
static inline hb_key_body hb_key_row_sums(const hb_params_spec *spec, hb_key_name name, bool seeded)
{
    const uint64_t each = (uint64_t)hb_key_parts(spec, name) * hb_part_rows_of(spec, name).count;
    return (hb_key_body){"row_sums", hb_h5_matrix(H5T_STD_U8LE, (seeded ? 1 : 2) * each, HB_DIGEST_BYTES), NULL};
}

#endif
