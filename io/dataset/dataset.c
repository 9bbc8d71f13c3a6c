#include "dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset_private.h"
#include "io/files/durable.h"
#include "scheme/params.h"

void hb_dataset_close(hb_dataset *dataset)
{
    if (dataset) {
        for (uint64_t p = 0; dataset->shards && p < dataset->parts; p++) {
            hb_shard_clear(&dataset->shards[p]);
        }
        hb_shard_files_clear(&dataset->files);
        free(dataset->shards);
        free(dataset->sums);
        free(dataset->summands.sum);
        hb_appended_clear(&dataset->appended);
        hb_header_clear(&dataset->header);
        free(dataset);
    }
}

/* A shard on its own: it brings the header. */
static hb_status open_one(const char *path, hb_dataset *dataset)
{
    dataset->shards = calloc(1, sizeof *dataset->shards);
    if (!dataset->shards) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", path);
    }
    dataset->parts = 1;
    hb_shard *shard = &dataset->shards[0];
    HB_TRY(hb_shard_open(path, &dataset->header, dataset->digest, shard));
    memcpy(shard->header, dataset->digest, sizeof shard->header);
    dataset->first_unit = shard->first_unit;
    dataset->units = shard->units;
    dataset->sums = shard->sums;
    shard->sums = NULL;
    return HB_OK;
}

/* Whether ciphertexts of both have the same places in files and tables: a shard may be of a time when the dataset had
 * fewer rows. */
static bool are_alike(const hb_header *a, const hb_header *b)
{
    return memcmp(a->key_id, b->key_id, HB_KEY_ID_BYTES) == 0 && hb_params_same(&a->spec, &b->spec) &&
           a->limbs == b->limbs && a->components == b->components && a->seeded == b->seeded && a->form == b->form &&
           a->encoding == b->encoding && a->order == b->order && a->block == b->block && a->unit == b->unit &&
           a->schema.columns == b->schema.columns && a->ciphertexts <= b->ciphertexts;
}

/* Whether a shard, with this header, is as the index describes it. */
static bool is_as_said(const hb_index *index, uint64_t p, const hb_header *header, const hb_shard *shard)
{
    const bool grown = index->headers != NULL;
    const uint64_t units = index->units[p];
    uint64_t first, count;
    hb_header_units_range(&index->header, index->first_unit[p], units, &first, &count);
    return shard->first_unit == index->first_unit[p] && (grown ? shard->units >= units : shard->units == units) &&
           (!grown || are_alike(header, &index->header)) && count <= shard->count &&
           memcmp(shard->sums, index->sums + shard->first_unit, (size_t)units * HB_DIGEST_BYTES) == 0;
}

/* Opens shard p and compares it with the index. */
static hb_status open_part(const char *folder, const hb_index *index, uint64_t p, hb_shard *shard)
{
    char *path;
    hb_header header;
    const uint8_t *expected = index->headers != NULL ? index->headers[p] : index->digest;
    HB_TRY(hb_shard_path(folder, hb_spec_residue(&index->header.spec), hb_index_number(index, p), &path));
    hb_status st = hb_shard_open(path, &header, shard->header, shard);
    if (st == HB_ENOINPUT) {
        st = HB_FAIL(HB_ENOINPUT, "%s: is missing or unreadable: a part of dataset %s", path, folder);
    } else if (st == HB_OK && memcmp(shard->header, expected, HB_DIGEST_BYTES) != 0) {
        st = HB_FAIL(HB_EDATA, "%s: belongs to another dataset than %s/" HB_INDEX_NAME, path, folder);
    } else if (st == HB_OK && !is_as_said(index, p, &header, shard)) {
        st = HB_FAIL(HB_EDATA, "%s: does not hold what %s/" HB_INDEX_NAME " says", path, folder);
    }
    hb_header_clear(&header);
    free(path);
    free(shard->sums); /* the index has them */
    shard->sums = NULL;
    return st;
}

static hb_status open_parts(const char *folder, hb_index *index, hb_dataset *dataset)
{
    dataset->shards = calloc((size_t)index->parts + 1, sizeof *dataset->shards);
    if (!dataset->shards) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " shards", folder, index->parts);
    }
    for (uint64_t p = 0; p < index->parts; p++) {
        dataset->parts = p + 1;
        HB_TRY(open_part(folder, index, p, &dataset->shards[p]));
        dataset->next_number = hb_index_number(index, p) + 1;
    }
    dataset->is_folder = true;
    dataset->units = hb_header_units(&index->header);
    dataset->header = index->header;
    dataset->sums = index->sums;
    memcpy(dataset->digest, index->digest, sizeof dataset->digest);
    dataset->summands = index->summands;
    dataset->appended = index->appended;
    memset(&index->header, 0, sizeof index->header);
    index->sums = NULL;
    index->summands = (hb_summands){.count = 0};
    index->appended = (hb_appended){.count = 0};
    return HB_OK;
}

/* Finds the facts about all residues that the last one stores: `last` is read for that unless the index is the last
 * one's. */
static hb_status read_last(const char *folder, const hb_index *index, hb_index *last)
{
    char *path;
    const uint32_t residue = hb_spec_residues(&index->header.spec) - 1;
    HB_TRY(hb_index_path(folder, residue, &path));
    hb_status st = hb_index_read(path, last);
    if (st == HB_ENOINPUT) {
        st = HB_FAIL(HB_ENOINPUT, "%s: is missing or unreadable: a part of dataset %s", path, folder);
    } else if (st == HB_OK && (!hb_index_is_last(&last->header) || hb_spec_residue(&last->header.spec) != residue)) {
        st = HB_FAIL(HB_EDATA, "%s: is not the last of the residues that %s has", path, folder);
    }
    free(path);
    return st;
}

/* For several residues: the one that was asked for, and the same as when all were made. */
static hb_status join(const char *folder, const char *path, uint32_t residue, const hb_index *index,
                      hb_dataset *dataset)
{
    uint8_t own[HB_DIGEST_BYTES];
    if (hb_spec_residues(&index->header.spec) == 1) {
        return HB_OK;
    }
    if (hb_spec_residue(&index->header.spec) != residue) {
        return HB_FAIL(HB_EDATA, "%s: holds residue %" PRIu32 " in the place of residue %" PRIu32, path,
                       hb_spec_residue(&index->header.spec), residue);
    }
    hb_index last = {.parts = 0};
    const bool is_last = hb_index_is_last(&index->header);
    hb_status st = is_last ? HB_OK : read_last(folder, index, &last);
    const hb_index *of = is_last ? index : &last;
    hb_data_digest(own, index->digest, index->sums[0], hb_header_units(&index->header));
    if (st == HB_OK && memcmp(own, of->residue_sums[residue], sizeof own) != 0) {
        st = HB_FAIL(HB_EDATA, "%s: is of another dataset than the last of the residues in %s", path, folder);
    }
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch whole");
    hb_digest_add(&state, of->residue_sums, (size_t)hb_spec_residues(&index->header.spec) * HB_DIGEST_BYTES);
    hb_digest_end(&state, dataset->whole);
    dataset->joined = true;
    hb_index_clear(&last);
    return st;
}

static hb_status open_folder(const char *name, uint32_t residue, hb_dataset *dataset)
{
    char *folder = NULL, *path = NULL;
    hb_status st = HB_OK;
    hb_index index = {.parts = 0};
    HB_GOTO(hb_path_with(name, "", &folder));
    HB_GOTO(hb_index_path(folder, residue, &path));
    HB_GOTO(hb_index_read(path, &index));
    HB_GOTO(join(folder, path, residue, &index, dataset));
    st = open_parts(folder, &index, dataset);
done:
    hb_index_clear(&index);
    free(path);
    free(folder);
    return st;
}

hb_status hb_dataset_open(const char *name, hb_dataset **out)
{
    return hb_dataset_open_residue(name, 0, out);
}

hb_status hb_dataset_open_residue(const char *name, uint32_t residue, hb_dataset **out)
{
    struct stat info;
    if (stat(name, &info) < 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: cannot open the dataset: %s", name, strerror(errno));
    }
    hb_dataset *dataset = calloc(1, sizeof *dataset);
    if (!dataset) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", name);
    }
    hb_shard_files_init(&dataset->files);
    hb_status st = S_ISDIR(info.st_mode) ? open_folder(name, residue, dataset) : open_one(name, dataset);
    if (st == HB_OK) {
        *out = dataset;
    } else {
        hb_dataset_close(dataset);
    }
    return st;
}

const hb_header *hb_dataset_header(const hb_dataset *dataset)
{
    return &dataset->header;
}

void hb_dataset_units(const hb_dataset *dataset, uint64_t *first_unit, uint64_t *units)
{
    *first_unit = dataset->first_unit;
    *units = dataset->units;
}

uint32_t hb_dataset_parts(const hb_dataset *dataset)
{
    return (uint32_t)dataset->parts;
}

hb_status hb_dataset_require_whole(const hb_dataset *dataset, const char *path)
{
    const uint64_t all = hb_header_units(&dataset->header);
    return dataset->units == all
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s is one shard, with %" PRIu64 " of %" PRIu64 " units: give the folder", path,
                         dataset->units, all);
}

const uint8_t *hb_dataset_unit_sum(const hb_dataset *dataset, uint64_t u)
{
    HB_ASSERT(u >= dataset->first_unit && u - dataset->first_unit < dataset->units);
    return dataset->sums[u - dataset->first_unit];
}

const uint8_t *hb_dataset_unit_header(const hb_dataset *dataset, uint64_t u)
{
    return dataset->shards[hb_dataset_shard_of(dataset, u)].header;
}

hb_summands hb_dataset_summands(const hb_dataset *dataset)
{
    return dataset->summands;
}

void hb_dataset_sum(const hb_dataset *dataset, uint8_t sum[HB_DIGEST_BYTES])
{
    if (dataset->joined) {
        memcpy(sum, dataset->whole, sizeof dataset->whole);
        return;
    }
    hb_data_digest(sum, dataset->digest, dataset->sums[0], dataset->units);
}
