/* Rows behind those of a dataset: new shards beside the old ones, which stay as they are, and a new index. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dataset_private.h"
#include "io/files/durable.h"

hb_growth hb_dataset_growth(const hb_dataset *dataset)
{
    const hb_header *header = &dataset->header;
    const hb_packing packing = hb_header_packing(header);
    const uint64_t across = hb_packing_across(&packing);
    hb_growth growth = {.rows = header->schema.rows, .first_part = dataset->next_number};
    if (header->ciphertexts == 0) {
        return growth;
    }
    /* The last row block is full where the table could not have a row more in it. */
    hb_packing longer = packing;
    longer.rows++;
    growth.shared = hb_packing_ciphertexts(&longer) == header->ciphertexts;
    growth.kept = header->ciphertexts - (growth.shared ? across : 0);
    growth.first_unit = growth.kept / header->unit;
    return growth;
}

bool hb_dataset_is_folder(const hb_dataset *dataset)
{
    return dataset->is_folder;
}

/* Old shards that the index still names: those with units that stay. */
static uint64_t shards_that_stay(const hb_dataset *old, const hb_growth *growth)
{
    uint64_t parts = 0;
    while (parts < old->parts && old->shards[parts].first_unit < growth->first_unit) {
        parts++;
    }
    return parts;
}

/* The number in a name that shards of the first residue have; false of others. */
static bool number_of(const char *entry, uint64_t *number)
{
    char *end, name[HB_PART_NAME];
    if (strncmp(entry, "part-", 5) != 0 || !isdigit((unsigned char)entry[5])) {
        return false;
    }
    errno = 0;
    *number = strtoull(entry + 5, &end, 10);
    if (errno != 0 || *number >= HB_MAX_NUMBER) {
        return false;
    }
    hb_part_name(name, 0, *number);
    return strcmp(name, entry) == 0;
}

/* Returns the place of the shard of that number in the index, whose numbers go up; `parts` where it has none. */
static uint64_t place_of(const hb_index *index, uint64_t number)
{
    uint64_t low = 0, high = index->parts;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (hb_index_number(index, middle) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < index->parts && hb_index_number(index, low) == number ? low : index->parts;
}

static hb_status remove_if_unlisted(void *context, int folder, const char *path, const char *entry)
{
    const hb_index *now = context;
    uint64_t number;
    (void)path;
    if (number_of(entry, &number) && place_of(now, number) == now->parts) {
        (void)unlinkat(folder, entry, 0);
    }
    return HB_OK;
}

/* Removes shards that the index of now does not name: an append before this one has replaced them, whose readers had
 * until now, or was killed before its index was there. A file that cannot be removed takes space and does no harm. */
static void remove_unlisted(const char *folder, hb_index *now)
{
    if (hb_folder_each(folder, remove_if_unlisted, now) != HB_OK) {
        hb_clear_error();
    }
}

/* The shards of an index that are in its folder. */
typedef struct listing {
    const hb_index *index;
    bool *there; /* [parts + 1] */
} listing;

static hb_status note_part(void *context, int folder, const char *path, const char *entry)
{
    const listing *x = context;
    uint64_t number;
    (void)folder;
    (void)path;
    if (number_of(entry, &number)) {
        const uint64_t p = place_of(x->index, number);
        x->there[p] = true; /* behind the last: no shard of the index */
    }
    return HB_OK;
}

/* All shards must be there: rows are not put behind a dataset that nobody can read. */
static hb_status check_listed(const char *folder, const hb_index *now)
{
    listing x = {now, calloc((size_t)now->parts + 1, sizeof *x.there)};
    if (x.there == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " shards", folder, now->parts);
    }
    hb_status st = hb_folder_each(folder, note_part, &x);
    for (uint64_t p = 0; st == HB_OK && p < now->parts; p++) {
        if (!x.there[p]) {
            char name[HB_PART_NAME];
            hb_part_name(name, 0, hb_index_number(now, p));
            st = HB_FAIL(HB_ENOINPUT, "%s/%s: is missing or unreadable: a part of dataset %s", folder, name, folder);
        }
    }
    free(x.there);
    return st;
}

/* The index of now must be that of the dataset which the job has read. */
static hb_status check_same(const char *path, const hb_dataset *old, hb_index *now)
{
    HB_TRY(hb_index_read(path, now));
    const bool same = memcmp(now->digest, old->digest, sizeof now->digest) == 0 &&
                      memcmp(now->sums, old->sums, (size_t)old->units * HB_DIGEST_BYTES) == 0;
    return same ? HB_OK : HB_FAIL(HB_ECREATE, "%s: another job has replaced the dataset meanwhile; start again", path);
}

static hb_status index_alloc(hb_index *index, uint64_t units)
{
    const size_t parts = (size_t)index->parts + 1;
    index->first_unit = calloc(parts, sizeof *index->first_unit);
    index->units = calloc(parts, sizeof *index->units);
    index->number = calloc(parts, sizeof *index->number);
    index->held = calloc(parts, sizeof *index->held);
    index->headers = calloc(parts, sizeof *index->headers);
    index->sums = calloc((size_t)units + 1, sizeof *index->sums);
    const bool made = index->first_unit != NULL && index->units != NULL && index->number != NULL &&
                      index->held != NULL && index->headers != NULL && index->sums != NULL;
    return made ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for an index of %" PRIu64 " shards", index->parts);
}

/* Takes the old shards that stay into the new index, and their sums; the last one may lose its last units. */
static void take_old(hb_index *index, const hb_dataset *old, const hb_index *now, const hb_growth *growth,
                     uint64_t parts)
{
    for (uint64_t p = 0; p < parts; p++) {
        const hb_shard *shard = &old->shards[p];
        const uint64_t end = p + 1 < parts ? old->shards[p + 1].first_unit : growth->first_unit;
        index->first_unit[p] = shard->first_unit;
        index->units[p] = end - shard->first_unit;
        index->number[p] = hb_index_number(now, p);
        index->held[p] = shard->held;
        memcpy(index->headers[p], shard->header, sizeof index->headers[p]);
    }
    memcpy(index->sums, old->sums, (size_t)growth->first_unit * HB_DIGEST_BYTES);
}

static hb_status collect(const char *partial, hb_index *index, const hb_growing *growing, const hb_index *now)
{
    const hb_growth *growth = &growing->growth;
    const uint64_t units = hb_header_units(&index->header), stay = shards_that_stay(growing->old, growth);
    index->parts = stay + growing->parts;
    if (index->parts > HB_MAX_PARTS) {
        return HB_FAIL(HB_EDATA, "%s: more than %" PRIu64 " shards: hebatch concat makes few of many", partial,
                       HB_MAX_PARTS);
    }
    HB_TRY(index_alloc(index, units));
    take_old(index, growing->old, now, growth, stay);
    return hb_index_take(index, partial, stay, growing->made);
}

/* Moves the new shards into the folder, where no reader knows them yet. */
static hb_status move_parts(const char *partial, const char *folder, const hb_growth *growth, uint32_t parts)
{
    for (uint32_t p = 0; p < parts; p++) {
        char *from = NULL, *to = NULL;
        hb_status st = HB_OK;
        HB_GOTO(hb_shard_path(partial, 0, growth->first_part + p, &from));
        HB_GOTO(hb_shard_path(folder, 0, growth->first_part + p, &to));
        st = rename(from, to) == 0 ? HB_OK
                                   : HB_FAIL(HB_ECREATE, "%s: cannot rename from %s: %s", to, from, strerror(errno));
    done:
        free(from);
        free(to);
        HB_TRY(st);
    }
    return HB_OK;
}

hb_status hb_dataset_require_current(const char *name, const hb_dataset *old)
{
    char *path;
    hb_index now = {.parts = 0};
    HB_TRY(hb_path_with(name, "", &path));
    char *there = NULL;
    hb_status st;
    HB_GOTO(hb_index_path(path, 0, &there));
    HB_GOTO(check_same(there, old, &now));
    st = check_listed(path, &now);
done:
    hb_index_clear(&now);
    free(there);
    free(path);
    return st;
}

/* All paths are known. Up to the last renaming the dataset is the old one, from there on the new one. */
static hb_status append(const char *partial, const char *folder, const char *made, const char *there,
                        const hb_growing *growing, hb_index *index)
{
    hb_index now = {.parts = 0};
    hb_status st;
    HB_GOTO(check_same(there, growing->old, &now));
    HB_GOTO(hb_appended_extend(&index->appended, &growing->old->appended, growing->table,
                               index->header.schema.rows - growing->growth.rows, (uint64_t)time(NULL)));
    HB_GOTO(collect(partial, index, growing, &now));
    HB_GOTO(hb_index_write(made, index));
    remove_unlisted(folder, &now);
    HB_GOTO(move_parts(partial, folder, &growing->growth, growing->parts));
    HB_GOTO(hb_sync_folder_of(there));
    st = hb_rename(made, there, true);
done:
    hb_index_clear(&now);
    return st;
}

/* With the shards that were looked at. */
static hb_status append_made(const char *name, const hb_header *header, const hb_growing *growing)
{
    char *folder = NULL, *partial = NULL, *made = NULL, *there = NULL;
    hb_status st;
    hb_index index = {.header = *header};
    HB_ASSERT(header->version >= HB_FORMAT_GROWN);
    HB_GOTO(hb_path_with(name, "", &folder));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    HB_GOTO(hb_index_path(partial, 0, &made));
    HB_GOTO(hb_index_path(folder, 0, &there));
    hb_header_digest(index.digest, header);
    HB_GOTO(append(partial, folder, made, there, growing, &index));
    hb_dataset_abandon(name); /* which holds nothing of it any more; the next append finds remaining files */
done:
    memset(&index.header, 0, sizeof index.header); /* its columns are the caller's */
    hb_index_clear(&index);
    free(folder);
    free(partial);
    free(made);
    free(there);
    return st;
}

hb_status hb_dataset_append(const char *name, const hb_header *header, const hb_growing *growing)
{
    const hb_growth *growth = &growing->growth;
    hb_made_shards own = {
        .first_number = growth->first_part, .parts = growing->parts, .first_unit = growth->first_unit};
    hb_growing all = *growing;
    hb_status st = HB_OK;
    if (growing->made == NULL) {
        all.made = &own;
        st = hb_made_shards_look(&own, name, header, (hb_dataset_ranks){.count = 1});
    }
    st = st == HB_OK ? append_made(name, header, &all) : st;
    free(own.words);
    return st;
}
