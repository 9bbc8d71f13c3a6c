#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/partition.h"
#include "dataset_private.h"
#include "io/files/durable.h"

uint64_t hb_dataset_partial_bytes(const char *name, uint32_t residue, uint64_t first, uint32_t parts)
{
    char *partial, *path;
    uint64_t bytes = 0;
    if (hb_path_with(name, ".partial", &partial) != HB_OK) {
        return 0;
    }
    for (uint32_t p = 0; p < parts && hb_shard_path(partial, residue, first + p, &path) == HB_OK; p++) {
        struct stat info;
        if (lstat(path, &info) == 0) {
            bytes += (uint64_t)info.st_blocks * 512; /* POSIX: the unit of st_blocks on Linux */
        }
        free(path);
    }
    free(partial);
    return bytes;
}

bool hb_dataset_has_residue(const char *name, uint32_t residue)
{
    char *partial, *path;
    bool there = false;
    if (hb_path_with(name, ".partial", &partial) != HB_OK) {
        return false;
    }
    if (hb_index_path(partial, residue, &path) == HB_OK) {
        struct stat info;
        there = lstat(path, &info) == 0;
        free(path);
    }
    free(partial);
    return there;
}

enum { MADE_WORDS = sizeof(hb_made_shard) / sizeof(uint64_t), SUM_WORDS = HB_DIGEST_BYTES / sizeof(uint64_t) };

/* Reads back a shard that was made, and notes it as number p of `made`. */
static hb_status look_at_shard(hb_made_shards *made, const char *folder, const hb_header *of,
                               const uint8_t digest[HB_DIGEST_BYTES], uint64_t p)
{
    char *path;
    HB_TRY(hb_shard_path(folder, hb_spec_residue(&of->spec), made->first_number + p, &path));
    hb_header header;
    hb_shard shard;
    uint8_t own[HB_DIGEST_BYTES];
    hb_status st = HB_OK;
    HB_GOTO(hb_shard_open(path, &header, own, &shard));
    if (memcmp(own, digest, sizeof own) != 0) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "%s: was written for another dataset", path));
    }
    if (shard.first_unit < made->first_unit) {
        HB_GOTO(HB_FAIL(HB_EINTERNAL, "%s: begins at unit %" PRIu64 ", before %" PRIu64, path, shard.first_unit,
                        made->first_unit));
    }
    made->shard[p] = (hb_made_shard){shard.first_unit, shard.units, shard.count};
    memcpy(made->sums + (shard.first_unit - made->first_unit), shard.sums, (size_t)shard.units * HB_DIGEST_BYTES);
done:
    hb_header_clear(&header);
    hb_shard_clear(&shard);
    free(path);
    return st;
}

/* Looks at the shards of this rank. */
static hb_status look(hb_made_shards *made, const char *name, const hb_header *header, hb_share mine)
{
    const uint64_t units = hb_header_units(header) - made->first_unit;
    const size_t words = (size_t)made->parts * MADE_WORDS + (size_t)units * SUM_WORDS;
    uint8_t digest[HB_DIGEST_BYTES];
    char *folder;
    made->words = calloc(words + 1, sizeof *made->words);
    if (made->words == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the sums of %" PRIu64 " units", name, units);
    }
    made->count = words;
    made->shard = (hb_made_shard *)made->words;
    made->sums = (uint8_t(*)[HB_DIGEST_BYTES])(made->words + (size_t)made->parts * MADE_WORDS);
    HB_TRY(hb_path_with(name, ".partial", &folder));
    hb_header_digest(digest, header);
    hb_status st = HB_OK;
    for (uint64_t p = mine.first; st == HB_OK && p < mine.first + mine.count; p++) {
        st = look_at_shard(made, folder, header, digest, p);
    }
    free(folder);
    return st;
}

hb_status hb_made_shards_look(hb_made_shards *made, const char *name, const hb_header *header, hb_dataset_ranks ranks)
{
    made->words = NULL;
    hb_status st = look(made, name, header, hb_partition(made->parts, (uint32_t)ranks.rank, (uint32_t)ranks.count));
    if (ranks.count == 1) {
        return st;
    }
    HB_TRY(ranks.agree(ranks.context, st));
    return ranks.agree(ranks.context, ranks.add(ranks.context, made->words, made->count));
}

hb_status hb_index_take(hb_index *index, const char *name, uint64_t p, const hb_made_shards *made)
{
    uint64_t next = made->first_unit;
    const uint64_t units = hb_header_units(&index->header);
    for (uint64_t i = 0; i < made->parts; i++) {
        const hb_made_shard *shard = &made->shard[i];
        if (shard->first_unit != next) {
            return HB_FAIL(HB_EINTERNAL, "%s: shard %" PRIu64 " begins at unit %" PRIu64 " instead of %" PRIu64, name,
                           made->first_number + i, shard->first_unit, next);
        }
        if (shard->units > units - next) {
            return HB_FAIL(HB_EINTERNAL, "%s: shard %" PRIu64 " has more units than there are", name,
                           made->first_number + i);
        }
        next += shard->units;
        index->first_unit[p + i] = shard->first_unit;
        index->units[p + i] = shard->units;
        if (index->number != NULL) {
            index->number[p + i] = made->first_number + i;
            index->held[p + i] = shard->ciphertexts;
            memcpy(index->headers[p + i], index->digest, sizeof index->digest);
        }
    }
    if (next != units) {
        return HB_FAIL(HB_EINTERNAL, "%s: its shards end at unit %" PRIu64 " of %" PRIu64, name, next, units);
    }
    memcpy(index->sums + made->first_unit, made->sums, (size_t)(units - made->first_unit) * HB_DIGEST_BYTES);
    return HB_OK;
}

static hb_status collect_parts(const char *name, const hb_made_shards *made, hb_index *index)
{
    const uint64_t units = hb_header_units(&index->header);
    index->first_unit = calloc((size_t)index->parts + 1, sizeof *index->first_unit);
    index->units = calloc((size_t)index->parts + 1, sizeof *index->units);
    index->sums = calloc((size_t)units + 1, sizeof *index->sums);
    if (!index->first_unit || !index->units || !index->sums) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the sums of %" PRIu64 " units", name, units);
    }
    return hb_index_take(index, name, 0, made);
}

/* Collects the sums of all residues for the index of the last one. */
static hb_status collect_residues(const char *folder, hb_index *index)
{
    const uint32_t last = hb_spec_residue(&index->header.spec);
    if (!hb_index_is_last(&index->header)) {
        return HB_OK;
    }
    for (uint32_t r = 0; r < last; r++) {
        char *path;
        hb_index other;
        HB_TRY(hb_index_path(folder, r, &path));
        const hb_status st = hb_index_read(path, &other);
        if (st == HB_OK) {
            hb_data_digest(index->residue_sums[r], other.digest, other.sums[0], hb_header_units(&other.header));
        }
        hb_index_clear(&other);
        free(path);
        HB_TRY(st);
    }
    hb_data_digest(index->residue_sums[last], index->digest, index->sums[0], hb_header_units(&index->header));
    return HB_OK;
}

/* Several residues are signed as one, with the last: none of them can be exchanged for one of another part. */
static void sign(hb_index *index, const hb_part_signer *signer)
{
    const hb_params_spec *spec = &index->header.spec;
    uint8_t sum[HB_DIGEST_BYTES];
    HB_ASSERT((signer != NULL) == (index->header.part != NULL));
    if (signer == NULL || !hb_spec_last_residue(spec)) {
        return;
    }
    if (hb_index_is_last(&index->header)) {
        hb_whole_digest(sum, index->residue_sums[0], hb_spec_residues(spec));
    } else {
        hb_data_digest(sum, index->digest, index->sums[0], hb_header_units(&index->header));
    }
    signer->sign(signer->context, sum, index->signature);
}

/* With the shards that were looked at. */
static hb_status commit(const char *name, const hb_header *header, const hb_committing *how)
{
    char *target = NULL, *partial = NULL, *path = NULL, *job = NULL;
    hb_status st = HB_OK;
    hb_index index = {.header = *header, .parts = how->parts, .summands = how->summands};
    HB_GOTO(hb_path_with(name, "", &target));
    HB_GOTO(hb_path_with(name, ".partial", &partial));
    HB_GOTO(hb_index_path(partial, hb_spec_residue(&header->spec), &path));
    hb_header_digest(index.digest, header);
    HB_GOTO(collect_parts(partial, how->made, &index));
    HB_GOTO(collect_residues(partial, &index));
    sign(&index, how->signer);
    HB_GOTO(hb_index_write(path, &index));
    if (!hb_spec_last_residue(&header->spec)) {
        goto done; /* the last one gives all of them their name */
    }
    HB_GOTO(hb_dataset_check_target(target, how->force));
    HB_GOTO(hb_rename(partial, target, how->force));
    HB_GOTO(hb_path_with(target, "/" HB_JOB_NAME, &job));
    (void)unlink(
        job); /* last: as long as the dataset has not its name, it can be continued; left over, it does no harm */
done:
    free(job);
    memset(&index.header, 0, sizeof index.header); /* its columns are the caller's, and so are the summands */
    index.summands = (hb_summands){.count = 0};
    hb_index_clear(&index);
    free(target);
    free(partial);
    free(path);
    return st;
}

hb_status hb_dataset_commit_as(const char *name, const hb_header *header, const hb_committing *how)
{
    hb_made_shards own = {.parts = how->parts};
    hb_committing all = *how;
    hb_status st = HB_OK;
    if (how->made == NULL) {
        all.made = &own;
        st = hb_made_shards_look(&own, name, header, (hb_dataset_ranks){.count = 1});
    }
    st = st == HB_OK ? commit(name, header, &all) : st;
    free(own.words);
    return st;
}
