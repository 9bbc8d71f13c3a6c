/* The request of a part of a decryption in HDF5, beside the header that it shares with its dataset. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "joint/part_plan.h"

/* The most bits of U: those of all primes. */
enum { MOST_U = 64 * HB_MAX_LIMBS };

uint32_t hb_part_datasets(const hb_header *header)
{
    return header->part != NULL && header->part->some ? 2 : 0;
}

static hb_status put_cells(hid_t file, const hb_part_facts *part)
{
    const uint64_t rows[2] = {part->row, part->rows};
    HB_TRY(hb_h5_put_dataset(file, "rows", hb_h5_vector(H5T_STD_U64LE, 2), rows));
    return hb_h5_put_dataset(file, "columns", hb_h5_vector(H5T_STD_U64LE, part->columns), part->column);
}

/* The owners of the receiver's key; of one there is nothing else to say. */
static hb_status put_receiving(hid_t file, const hb_part_facts *part)
{
    const hb_joint_spec *receiving = &part->receiving;
    if (!hb_part_has_receiver(part)) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_u64(file, "receiver_owners", receiving->owners > 0 ? receiving->owners : 1));
    if (receiving->owners == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_u64(file, "receiver_threshold", receiving->threshold));
    HB_TRY(hb_h5_put_u64(file, "receiver_results", receiving->results));
    return hb_h5_put_bytes(file, "receiver_session", receiving->session, sizeof receiving->session);
}

hb_status hb_part_put(hid_t file, const hb_header *header)
{
    const hb_part_facts *part = header->part;
    if (part == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_text(file, "from", part->from));
    HB_TRY(hb_h5_put_bytes(file, "part_of", part->part_of, sizeof part->part_of));
    HB_TRY(hb_h5_put_u64(file, "u", part->u));
    HB_TRY(hb_h5_put_u64(file, "w", part->w));
    HB_TRY(hb_h5_put_bytes(file, "receiver", part->receiver, sizeof part->receiver));
    HB_TRY(put_receiving(file, part));
    HB_TRY(hb_h5_put_u64(file, "owners", part->owners));
    return part->some ? put_cells(file, part) : HB_OK;
}

static hb_status get_receiving(hid_t file, const char *path, hb_part_facts *part)
{
    hb_joint_spec *receiving = &part->receiving;
    uint64_t owners, threshold;
    if (!hb_part_has_receiver(part)) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_u64(file, "receiver_owners", path, HB_MOST_OWNERS, &owners));
    if (owners == 1) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_u64(file, "receiver_threshold", path, owners, &threshold));
    HB_TRY(hb_h5_get_u64(file, "receiver_results", path, UINT64_MAX, &receiving->results));
    receiving->owners = (uint32_t)owners;
    receiving->threshold = (uint32_t)threshold;
    return hb_h5_get_bytes(file, "receiver_session", path, receiving->session, sizeof receiving->session);
}

static hb_status get_cells(hid_t file, const char *path, uint64_t file_bytes, hb_part_facts *part)
{
    uint64_t rows[2];
    size_t element;
    HB_TRY(hb_h5_has(file, "rows", path, &part->some));
    if (!part->some) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_dataset(file, "rows", path, hb_h5_vector(H5T_STD_U64LE, 2), file_bytes, rows));
    part->row = rows[0];
    part->rows = rows[1];
    HB_TRY(hb_h5_extent(file, "columns", path, file_bytes, &part->columns, &element)); /* bounds it by the file */
    const hb_h5_shape shape = hb_h5_vector(H5T_STD_U64LE, part->columns);
    part->column = calloc((size_t)part->columns + 1, sizeof *part->column);
    if (part->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the columns of a part", path);
    }
    return hb_h5_get_dataset(file, "columns", path, shape, file_bytes, part->column);
}

hb_status hb_part_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header)
{
    uint64_t u, w;
    hb_part_facts *part = calloc(1, sizeof *part);
    if (part == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a part", path);
    }
    header->part = part;
    HB_TRY(hb_h5_get_text(file, "from", path, part->from, sizeof part->from));
    HB_TRY(hb_h5_get_bytes(file, "part_of", path, part->part_of, sizeof part->part_of));
    HB_TRY(hb_h5_get_u64(file, "u", path, MOST_U, &u));
    HB_TRY(hb_h5_get_u64(file, "w", path, HB_PART_MOST_WIDTH, &w));
    HB_TRY(hb_h5_get_bytes(file, "receiver", path, part->receiver, sizeof part->receiver));
    HB_TRY(get_receiving(file, path, part));
    HB_TRY(hb_h5_get_u64(file, "owners", path, UINT64_MAX, &part->owners));
    part->u = (uint32_t)u;
    part->w = (uint32_t)w;
    return get_cells(file, path, file_bytes, part);
}

/* Columns are those of the decrypted table, which has no more than the dataset's: masks are none of it. */
static hb_status check_cells(const hb_part_facts *part, const hb_schema *schema, const char *path)
{
    if (part->rows < 1 || part->row >= schema->rows || part->rows > schema->rows - part->row) {
        return HB_FAIL(HB_EDATA, "%s: is for %" PRIu64 " rows from %" PRIu64 " on, and its table has %" PRIu64, path,
                       part->rows, part->row, schema->rows);
    }
    if (part->columns < 1 || part->columns > schema->columns) {
        return HB_FAIL(HB_EDATA, "%s: is for %" PRIu64 " columns, and its table has %" PRIu64, path, part->columns,
                       schema->columns);
    }
    for (uint64_t i = 0; i < part->columns; i++) {
        if (part->column[i] >= schema->columns) {
            return HB_FAIL(HB_EDATA, "%s: is for column %" PRIu64 " (from 0), and its table has %" PRIu64, path,
                           part->column[i], schema->columns);
        }
    }
    return HB_OK;
}

/* As many owners as decrypt, all of them owners of the keys; none are named where all do. */
static bool has_owners(const hb_header *header)
{
    const uint32_t owners = hb_spec_owners(&header->spec), threshold = hb_spec_threshold(&header->spec);
    uint32_t count = 0;
    for (uint32_t i = 0; i < HB_MOST_OWNERS; i++) {
        const bool one = (header->part->owners >> i & 1) != 0;
        count += one;
        if (one && i >= owners) {
            return false;
        }
    }
    return count == (threshold < owners ? threshold : 0);
}

/* Whether the owners of the receiver's key can be such, and the key is another one than the dataset's. Slots that are
 * no cell have uniform values, which nobody could tell from cells of a dataset under the receiver's key. */
static bool has_receiver_rightly(const hb_header *header)
{
    const hb_part_facts *part = header->part;
    const hb_joint_spec *receiving = &part->receiving;
    const bool one = receiving->owners == 0 && receiving->threshold == 0 && receiving->results == 0,
               several = receiving->owners >= 2 && receiving->owners <= HB_MOST_OWNERS && receiving->threshold >= 2 &&
                         receiving->threshold <= receiving->owners && receiving->results > 0;
    if (!hb_part_has_receiver(part)) {
        return one;
    }
    return (one || several) && !part->some && memcmp(part->receiver, header->key_id, sizeof part->receiver) != 0;
}

hb_status hb_part_check(const hb_header *header, const char *path)
{
    const hb_part_facts *part = header->part;
    if (part == NULL) {
        return HB_OK;
    }
    if (hb_owner_name_check(part->from) != HB_OK) {
        return HB_FAIL(HB_EDATA, "%s: %.300s", path, hb_last_error()->text);
    }
    if (hb_spec_owners(&header->spec) < 2 || header->seeded || header->kept > 0) {
        return HB_FAIL(HB_EDATA, "%s: is a part of a dataset that is not under keys of several owners", path);
    }
    if (!has_owners(header)) {
        return HB_FAIL(HB_EDATA, "%s: is a part for other owners than decrypt", path);
    }
    if (!has_receiver_rightly(header)) {
        return HB_FAIL(HB_EDATA, "%s: is a part for a receiver that cannot be", path);
    }
    if (part->u < 1 || part->u > MOST_U || part->w < 1 || part->w > HB_PART_MOST_WIDTH) {
        return HB_FAIL(HB_EDATA, "%s: has noise of %" PRIu32 " and %" PRIu32 " bits, which no part has", path, part->u,
                       part->w);
    }
    return part->some ? check_cells(part, &header->schema, path) : HB_OK;
}

void hb_part_add(hb_digest_state *state, const hb_part_facts *part)
{
    hb_digest_add_text(state, part->from);
    hb_digest_add(state, part->part_of, sizeof part->part_of);
    hb_digest_add_u64(state, part->u);
    hb_digest_add_u64(state, part->w);
    hb_digest_add(state, part->receiver, sizeof part->receiver);
    if (hb_part_has_receiver(part)) {
        hb_digest_add_u64(state, part->receiving.owners);
        hb_digest_add_u64(state, part->receiving.threshold);
        hb_digest_add_u64(state, part->receiving.results);
        hb_digest_add(state, part->receiving.session, sizeof part->receiving.session);
    }
    hb_digest_add_u64(state, part->owners);
    hb_digest_add_u64(state, part->some);
    if (part->some) {
        hb_digest_add_u64(state, part->row);
        hb_digest_add_u64(state, part->rows);
        hb_digest_add_u64(state, part->columns);
        for (uint64_t i = 0; i < part->columns; i++) {
            hb_digest_add_u64(state, part->column[i]);
        }
    }
}
