#include "dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset_private.h"
#include "io/files/durable.h"
#include "io/files/file_state.h"
#include "scheme/params.h"

void hb_dataset_close(hb_dataset *dataset)
{
    if (dataset) {
        for (uint64_t p = 0; dataset->shards && p < dataset->parts; p++) {
            hb_shard_clear(&dataset->shards[p]);
        }
        hb_shard_files_clear(&dataset->files);
        free(dataset->folder);
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
    shard->located = true;
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
    return hb_keys_same(a->key_id, &a->spec, b->key_id, &b->spec) && a->limbs == b->limbs &&
           hb_header_components(a) == hb_header_components(b) && a->seeded == b->seeded && a->form == b->form &&
           a->encoding == b->encoding && a->order == b->order && a->block == b->block && a->unit == b->unit &&
           a->schema.columns == b->schema.columns && a->ciphertexts <= b->ciphertexts;
}

/* Whether a shard, with this header, is as the index described it. */
static bool is_as_said(const hb_dataset *dataset, const hb_shard *said, const hb_header *header, const hb_shard *shard)
{
    const bool grown = dataset->grown;
    return shard->first_unit == said->first_unit &&
           (grown ? shard->units >= said->units : shard->units == said->units) &&
           (!grown || are_alike(header, &dataset->header)) && said->count <= shard->count &&
           (said->held == 0 || said->held == shard->count) &&
           memcmp(shard->sums, dataset->sums + said->first_unit, (size_t)said->units * HB_DIGEST_BYTES) == 0;
}

/* Opens a shard, of which the index has told, and compares it with that. */
static hb_status check_shard(const hb_dataset *dataset, hb_shard *said)
{
    hb_header header;
    hb_shard shard;
    hb_status st = hb_shard_open(said->path, &header, shard.header, &shard);
    if (st == HB_ENOINPUT) {
        st = HB_FAIL(HB_ENOINPUT, "%s: is missing or unreadable: a part of dataset %s", said->path, dataset->folder);
    } else if (st == HB_OK && memcmp(shard.header, said->header, HB_DIGEST_BYTES) != 0) {
        st = HB_FAIL(HB_EDATA, "%s: belongs to another dataset than %s/" HB_INDEX_NAME, said->path, dataset->folder);
    } else if (st == HB_OK && !is_as_said(dataset, said, &header, &shard)) {
        st = HB_FAIL(HB_EDATA, "%s: does not hold what %s/" HB_INDEX_NAME " says", said->path, dataset->folder);
    } else if (st == HB_OK) {
        said->places = shard.places;
        said->held = shard.count;
        said->located = true;
    }
    hb_header_clear(&header);
    hb_shard_clear(&shard);
    return st;
}

/* Notes what the index says of its shards, which no one has looked at yet. */
static hb_status list_shards(const hb_index *index, hb_dataset *dataset)
{
    dataset->shards = calloc((size_t)index->parts + 1, sizeof *dataset->shards);
    if (!dataset->shards) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " shards", dataset->folder, index->parts);
    }
    for (uint64_t p = 0; p < index->parts; p++) {
        hb_shard *shard = &dataset->shards[p];
        const uint64_t number = hb_index_number(index, p);
        dataset->parts = p + 1;
        HB_TRY(hb_shard_path(dataset->folder, hb_spec_residue(&index->header.spec), number, &shard->path));
        shard->first_unit = index->first_unit[p];
        shard->units = index->units[p];
        hb_header_units_range(&index->header, shard->first_unit, shard->units, &shard->first, &shard->count);
        memcpy(shard->header, index->headers != NULL ? index->headers[p] : index->digest, sizeof shard->header);
        shard->held = index->held != NULL ? index->held[p] : index->headers != NULL ? 0 : shard->count;
        dataset->next_number = number + 1;
    }
    return HB_OK;
}

/* Makes the dataset what the index says. */
static hb_status take_index(hb_index *index, hb_dataset *dataset)
{
    HB_TRY(list_shards(index, dataset));
    dataset->is_folder = true;
    dataset->grown = index->headers != NULL;
    dataset->units = hb_header_units(&index->header);
    dataset->header = index->header;
    dataset->sums = index->sums;
    memcpy(dataset->digest, index->digest, sizeof dataset->digest);
    dataset->summands = index->summands;
    memcpy(dataset->signature, index->signature, sizeof dataset->signature);
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

/* For several residues: the one that was asked for, and the same as when all were made. The index gets the signature of
 * them all. */
static hb_status join(const char *folder, const char *path, uint32_t residue, hb_index *index, hb_dataset *dataset)
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
    hb_whole_digest(dataset->whole, of->residue_sums[0], hb_spec_residues(&index->header.spec));
    memmove(index->signature, of->signature, sizeof index->signature);
    dataset->joined = true;
    hb_index_clear(&last);
    return st;
}

/* Looks at the shards of this rank. Where the index does not tell how long its shards are, all are looked at, whatever
 * is asked. */
static hb_status check_shards(hb_dataset *dataset, const hb_dataset_ranks *ranks)
{
    const bool all = ranks->count == 0 && dataset->parts > 0 && dataset->shards[0].held == 0;
    const uint64_t step = all ? 1 : ranks->count;
    for (uint64_t p = ranks->rank; p < dataset->parts && step > 0; p += step) {
        HB_TRY(check_shard(dataset, &dataset->shards[p]));
    }
    return HB_OK;
}

static hb_status open_folder(const char *name, uint32_t residue, const hb_dataset_ranks *ranks, hb_dataset *dataset)
{
    char *path = NULL;
    hb_status st = HB_OK;
    hb_index index = {.parts = 0};
    HB_GOTO(hb_path_with(name, "", &dataset->folder));
    HB_GOTO(hb_index_path(dataset->folder, residue, &path));
    HB_GOTO(hb_index_read(path, &index));
    HB_GOTO(join(dataset->folder, path, residue, &index, dataset));
    HB_GOTO(take_index(&index, dataset));
    HB_GOTO(check_shards(dataset, ranks));
done:
    hb_index_clear(&index);
    free(path);
    return st;
}

hb_status hb_dataset_open(const char *name, hb_dataset **out)
{
    return hb_dataset_open_among(name, 0, (hb_dataset_ranks){.count = 1}, out);
}

/* A part in the place of a dataset, or the other way round, is refused. */
static hb_status check_kind(const hb_dataset *dataset, const char *name, bool part)
{
    const hb_part_facts *facts = dataset->header.part;
    if ((facts != NULL) == part) {
        return HB_OK;
    }
    return part ? HB_FAIL(HB_EDATA, "%s: is a dataset, and no part of a decryption", name)
                : HB_FAIL(HB_EDATA, "%s: is the part of a decryption that %s made: hebatch combine takes it", name,
                          facts->from);
}

static hb_status open_any(const char *name, uint32_t residue, hb_dataset_ranks ranks, bool part, hb_dataset **out)
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
    hb_status st = S_ISDIR(info.st_mode) ? open_folder(name, residue, &ranks, dataset) : open_one(name, dataset);
    st = st == HB_OK ? check_kind(dataset, name, part) : st;
    if (st == HB_OK) {
        *out = dataset;
    } else {
        hb_dataset_close(dataset);
    }
    return st;
}

hb_status hb_dataset_open_among(const char *name, uint32_t residue, hb_dataset_ranks ranks, hb_dataset **out)
{
    return open_any(name, residue, ranks, false, out);
}

hb_status hb_dataset_open_part(const char *name, uint32_t residue, hb_dataset_ranks ranks, hb_dataset **out)
{
    return open_any(name, residue, ranks, true, out);
}

const uint8_t *hb_dataset_signature(const hb_dataset *dataset)
{
    return dataset->signature;
}

hb_status hb_dataset_open_shards(hb_dataset *dataset, uint64_t first, uint64_t units, hb_dataset_ranks ranks)
{
    HB_ASSERT(first >= dataset->first_unit && units <= dataset->units - (first - dataset->first_unit));
    if (units == 0) {
        return HB_OK;
    }
    const uint64_t last = hb_dataset_shard_of(dataset, first + units - 1);
    for (uint64_t p = hb_dataset_shard_of(dataset, first); p <= last; p++) {
        hb_shard *shard = &dataset->shards[p];
        if (p % ranks.count == ranks.rank && !shard->located) {
            HB_TRY(check_shard(dataset, shard));
        }
    }
    return HB_OK;
}

/* A shard in hb_dataset_tell, a word each: the length of its file, its ciphertexts, the place of its seeds, and those
 * of the rows of each component and limb. */
enum { TOLD_BYTES, TOLD_COUNT, TOLD_SEEDS, TOLD_ROWS };

/* Writes the words of a shard, or takes them from `words`. */
static void move_told(const hb_header *header, hb_shard *shard, uint64_t *words, bool take)
{
    hb_shard_places *places = &shard->places;
    uint64_t *own[] = {[TOLD_BYTES] = &places->file_bytes, [TOLD_COUNT] = &shard->held, [TOLD_SEEDS] = &places->seeds};
    for (int i = 0; i < TOLD_ROWS; i++) {
        *(take ? own[i] : &words[i]) = *(take ? &words[i] : own[i]);
    }
    uint64_t *rows = words + TOLD_ROWS;
    for (uint32_t c = 0; c < hb_header_stored(header); c++, rows += header->limbs) {
        const size_t bytes = header->limbs * sizeof *rows;
        memcpy(take ? places->offsets[c] : rows, take ? rows : places->offsets[c], bytes);
    }
    shard->located = places->file_bytes > 0;
}

/* Checks that all ranks see shards that are cut alike. Sums of datasets do not depend on that: copies that were made on
 * other numbers of ranks, as on disks of their own, have equal ones. Collective. */
static hb_status compare_cut(const hb_dataset *dataset, hb_dataset_ranks ranks)
{
    enum { WORDS = HB_DIGEST_BYTES / sizeof(uint64_t) };
    uint64_t own[WORDS], all[WORDS];
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch cut");
    hb_digest_add_u64(&state, dataset->is_folder);
    for (uint64_t p = 0; p < dataset->parts; p++) {
        hb_digest_add_u64(&state, dataset->shards[p].first_unit);
        hb_digest_add_u64(&state, dataset->shards[p].units);
        hb_digest_add_u64(&state, dataset->shards[p].count);
    }
    hb_digest_end(&state, digest);
    memcpy(own, digest, sizeof own);
    memcpy(all, digest, sizeof all);
    HB_TRY(ranks.agree(ranks.context, ranks.add(ranks.context, all, WORDS)));
    bool same = true;
    for (int i = 0; i < WORDS; i++) {
        same = same && all[i] == ranks.count * own[i];
    }
    return ranks.agree(ranks.context,
                       same ? HB_OK
                            : HB_FAIL(HB_EDATA,
                                      "%s: ranks see copies that are cut into other shards: give all ranks one copy",
                                      dataset->folder != NULL ? dataset->folder : dataset->shards[0].path));
}

hb_status hb_dataset_tell(hb_dataset *dataset, hb_dataset_ranks ranks)
{
    const size_t each = TOLD_ROWS + (size_t)hb_header_stored(&dataset->header) * dataset->header.limbs;
    if (ranks.count == 1) {
        return HB_OK;
    }
    HB_TRY(compare_cut(dataset, ranks));
    if (!dataset->is_folder) {
        return HB_OK;
    }
    uint64_t *words = calloc((size_t)dataset->parts * each + 1, sizeof *words);
    hb_status st = words != NULL ? HB_OK
                                 : HB_FAIL(HB_ENOMEM, "%s: no memory for the places of %" PRIu64 " shards",
                                           dataset->folder, dataset->parts);
    HB_GOTO(ranks.agree(ranks.context, st));
    for (uint64_t p = ranks.rank; p < dataset->parts; p += ranks.count) {
        move_told(&dataset->header, &dataset->shards[p], words + p * each, false);
    }
    HB_GOTO(ranks.agree(ranks.context, ranks.add(ranks.context, words, (size_t)dataset->parts * each)));
    for (uint64_t p = 0; p < dataset->parts; p++) {
        move_told(&dataset->header, &dataset->shards[p], words + p * each, true);
    }
done:
    free(words);
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

bool hb_dataset_origin(const hb_dataset *dataset, uint8_t origin[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    uint8_t sum[HB_DIGEST_BYTES];
    bool there = true;
    hb_dataset_sum(dataset, sum);
    hb_digest_begin(&state, "hebatch origin");
    hb_digest_add(&state, sum, sizeof sum);
    hb_digest_add(&state, dataset->digest, sizeof dataset->digest);
    for (uint64_t p = 0; p < dataset->parts && there; p++) {
        struct stat info;
        there = stat(dataset->shards[p].path, &info) == 0;
        if (there) {
            hb_file_state_add(&state, &info);
        }
    }
    hb_digest_end(&state, origin);
    return there;
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
