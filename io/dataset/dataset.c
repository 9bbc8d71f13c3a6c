#include "dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset_private.h"
#include "io/base/durable.h"

void hb_dataset_close(hb_dataset *dataset)
{
    if (dataset) {
        for (uint64_t p = 0; dataset->shards && p < dataset->parts; p++) {
            hb_shard_clear(&dataset->shards[p]);
        }
        hb_shard_files_clear(&dataset->files);
        free(dataset->shards);
        free(dataset->sums);
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
    dataset->first_unit = shard->first_unit;
    dataset->units = shard->units;
    dataset->sums = shard->sums;
    shard->sums = NULL;
    return HB_OK;
}

/* Opens shard p and compares it with what the index says. */
static hb_status open_part(const char *folder, const hb_index *index, uint64_t p, hb_shard *shard)
{
    char *path;
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    HB_TRY(hb_shard_path(folder, p, &path));
    hb_status st = hb_shard_open(path, &header, digest, shard);
    hb_header_clear(&header);
    if (st == HB_ENOINPUT) {
        st = HB_FAIL(HB_ENOINPUT, "%s: is missing or unreadable: a part of dataset %s", path, folder);
    } else if (st == HB_OK && memcmp(digest, index->digest, sizeof digest) != 0) {
        st = HB_FAIL(HB_EDATA, "%s: belongs to another dataset than %s/" HB_INDEX_NAME, path, folder);
    } else if (st == HB_OK &&
               (shard->first_unit != index->first_unit[p] || shard->units != index->units[p] ||
                memcmp(shard->sums, index->sums + shard->first_unit, (size_t)shard->units * HB_DIGEST_BYTES) != 0)) {
        st = HB_FAIL(HB_EDATA, "%s: does not hold what %s/" HB_INDEX_NAME " says", path, folder);
    }
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
    }
    dataset->units = hb_header_units(&index->header);
    dataset->header = index->header;
    dataset->sums = index->sums;
    memcpy(dataset->digest, index->digest, sizeof dataset->digest);
    memset(&index->header, 0, sizeof index->header);
    index->sums = NULL;
    return HB_OK;
}

static hb_status open_folder(const char *name, hb_dataset *dataset)
{
    char *folder = NULL, *path = NULL;
    hb_status st = HB_OK;
    hb_index index = {.parts = 0};
    HB_GOTO(hb_path_with(name, "", &folder));
    HB_GOTO(hb_path_with(folder, "/" HB_INDEX_NAME, &path));
    HB_GOTO(hb_index_read(path, &index));
    st = open_parts(folder, &index, dataset);
done:
    hb_index_clear(&index);
    free(path);
    free(folder);
    return st;
}

hb_status hb_dataset_open(const char *name, hb_dataset **out)
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
    hb_status st = S_ISDIR(info.st_mode) ? open_folder(name, dataset) : open_one(name, dataset);
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

void hb_dataset_sum(const hb_dataset *dataset, uint8_t sum[HB_DIGEST_BYTES])
{
    hb_data_digest(sum, dataset->digest, dataset->sums[0], dataset->units);
}
