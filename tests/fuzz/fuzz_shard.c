/* Shards made by someone who knows the format: by bits 1 and 2 of the first byte, of integers in BFV, of reals in CKKS,
 * of a part of a decryption, or of integers that came under another key. Bit 0 chooses between two ways:
 * 0:    the rest are changes of a valid small shard made through HDF5, so that its checksums are right: attributes and
 *       datasets removed, replaced by others of odd types and extents, given odd values;
 * 1:    the rest are changes of its bytes.
 * The shard is then opened and every unit of it read, or refused. */
#include <string.h>

#include "h5_changes.h"
#include "io/dataset/dataset.h"
#include "unit/unheld.h"

static char path[64];
static fuzz_file valid[5]; /* of integers, of reals, of two parts, of integers with a history */

static void make_real_header(hb_header *h)
{
    static hb_column columns[2] = {
        {.name = "a", .cells = HB_CELL_REAL, .ranged = true},
        {.name = "b", .cells = HB_CELL_REAL, .halves = HB_HALVES_PAIR, .part = {"left", "right"}, .may_wrap = true}};
    columns[0].least = hb_real_word(-0.5);
    columns[0].most = hb_real_word(64);
    *h = (hb_header){.limbs = 2, .seeded = true, .ciphertexts = 4, .unit = 3};
    h->spec = (hb_params_spec){.scheme = HB_CKKS,
                               .n = 1024,
                               .key_limbs = 4,
                               .primes = {70368744177664 + 1, 12289, 40961, 65537},
                               .special_limbs = 2,
                               .digit_limbs = 2,
                               .ckks = {.scale_bits = 20},
                               .security = hb_security_default()};
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_SLOTS);
    h->schema = (hb_schema){.rows = 1000, .columns = 2, .rank = 2, .width = 8, .named = true, .column = columns};
}

static void make_header(hb_header *h)
{
    static hb_column columns[2] = {{.name = "a", .is_signed = true, .ranged = true, .least = (uint64_t)-2, .most = 3},
                                   {.name = "b", .may_wrap = true}};
    *h = (hb_header){.limbs = 2, .seeded = true, .ciphertexts = 4, .unit = 3};
    h->spec = (hb_params_spec){
        .n = 1024, .key_limbs = 2, .primes = {12289, 40961}, .bfv.plain = 257, .security = hb_security_default()};
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_SLOTS);
    h->schema = (hb_schema){.rows = 2000, .columns = 2, .rank = 2, .width = 4, .named = true, .column = columns};
}

/* For some cells of the dataset of integers, which was sanitized. */
static void make_part_header(hb_header *h)
{
    static uint64_t columns[2] = {1, 0};
    static hb_part_facts part = {
        .from = "alice", .u = 46, .w = 56, .some = true, .row = 5, .rows = 1995, .column = columns, .columns = 2};
    make_header(h);
    h->seeded = false;
    h->part = &part;
    hb_header_quality(h, (hb_quality){.worst = 12, .expected = 12, .powers = 1});
    h->dirty_padding = true;
    h->past.sanitized = 40.5;
    h->spec.joint = (hb_joint_spec){.owners = 3, .threshold = 3, .results = 1000};
}

/* For the owners of another key. */
static void make_sent_header(hb_header *h)
{
    static hb_part_facts part = {.from = "bob",
                                 .u = 46,
                                 .w = 56,
                                 .receiver = {9, 8, 7},
                                 .receiving = {.owners = 3, .threshold = 2, .results = 1000}};
    make_part_header(h);
    h->part = &part;
}

static void make_moved_header(hb_header *h)
{
    make_header(h);
    h->seeded = false;
    hb_header_quality(h, (hb_quality){.worst = 20, .expected = 15, .powers = 1});
    h->past.steps = 2;
    for (uint32_t i = 0; i < h->past.steps; i++) {
        memset(h->past.key_id[i], 7, sizeof h->past.key_id[i]);
        memset(h->past.data_sum[i], 9, sizeof h->past.data_sum[i]);
    }
}

static void make_valid(fuzz_file *to, void (*make)(hb_header *))
{
    char folder[48], partial[64], name[96];
    snprintf(folder, sizeof folder, "/dev/shm/fuzz-%d", (int)getpid());
    snprintf(partial, sizeof partial, "%s.partial", folder);
    snprintf(name, sizeof name, "%s/part-00000.h5", partial);
    hb_header header;
    make(&header);
    static uint8_t rows[3 * 1024 * 64 / 8 + 64], sum[HB_DIGEST_BYTES] = {1};
    static hb_seed seeds[3];
    hb_shard_writer *writer;
    fuzz_must(begin_dataset(folder, true) == HB_OK);
    fuzz_must(hb_shard_create(folder, &header, 0, 0, 2, &writer) == HB_OK);
    for (uint64_t u = 0; u < 2; u++) {
        const hb_rows unit = {.count = u ? 1 : 3, .limbs = HB_ROWS_ALL, .seeds = seeds, .c0 = rows, .c1 = rows};
        fuzz_must(hb_shard_write(writer, u, &unit, sum) == HB_OK);
    }
    fuzz_must(hb_shard_finish(writer) == HB_OK);
    hb_shard_writer_close(writer);
    *to = fuzz_slurp(name);
    hb_dataset_abandon(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "/dev/shm/fuzz-%d.h5", (int)getpid());
    make_valid(&valid[0], make_header);
    make_valid(&valid[1], make_real_header);
    make_valid(&valid[2], make_part_header);
    make_valid(&valid[3], make_moved_header);
    make_valid(&valid[4], make_sent_header);
    return 0;
}

static const char *const groups[] = {"/", "/params", "/table", "/ct", "/ct/c0", "/unit"};
static const char *const attributes[][FUZZ_ATTRIBUTES] = {
    {"format", "version", "tool", "key_id", "header_digest", "params_digest", "insecure", "complete", "u", "w", "from",
     "receiver", "receiver_owners", "receiver_threshold", "receiver_results"},
    {"scheme", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"},
    {"rows", "columns", "rank", "width", "big_endian", "named", "order", "encoding", "cells", "x", "x", "x", "x", "x",
     "x"},
    {"limbs", "components", "seeded", "ciphertexts", "unit", "scheme", "form", "scale", "capacity", "made_by", "stray",
     "noise_worst", "x", "x", "x"},
    {"x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"},
    {"first", "units", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"}};
static const char *const datasets[] = {"/params/n",
                                       "/params/primes",
                                       "/params/plain",
                                       "/params/security",
                                       "/params/security_table",
                                       "/params/quantum",
                                       "/params/insecure",
                                       "/table/names",
                                       "/table/signed",
                                       "/ct/c0/q00",
                                       "/table/ranged",
                                       "/table/least",
                                       "/table/most",
                                       "/table/may_wrap",
                                       "/ct/c0/q01",
                                       "/params/scale_bits",
                                       "/params/like_seal",
                                       "/params/special_limbs",
                                       "/params/digit_limbs",
                                       "/ct/seed",
                                       "/unit/sum",
                                       "/ct/c1/q00",
                                       "/rows",
                                       "/columns",
                                       "/history/what",
                                       "/history/key_id",
                                       "/history/data_sum",
                                       "/history"};

static const fuzz_names names = {groups, attributes, datasets, sizeof groups / sizeof *groups,
                                 sizeof datasets / sizeof *datasets};

static void read_all(hb_dataset *dataset)
{
    const hb_header *h = hb_dataset_header(dataset);
    uint64_t first, units, largest, count;
    hb_dataset_units(dataset, &first, &units);
    for (uint64_t u = first; u < first + units; u++) {
        hb_header_unit_range(h, u, &largest, &count);
        /* rows that are read lie in a file of some KiB */
        size_t bytes = (size_t)count * h->limbs * (size_t)h->spec.n * sizeof(uint64_t);
        hb_rows rows = {.limbs = HB_ROWS_ALL,
                        .seeds = malloc((size_t)count * HB_SEED_BYTES + 1),
                        .c0 = malloc(bytes + 1),
                        .c1 = malloc(bytes + 1)};
        fuzz_must(rows.seeds && rows.c0 && rows.c1 && bytes < 1 << 20);
        fuzz_must(hb_dataset_read(dataset, u, &rows) == HB_OK && rows.count == count);
        free(rows.seeds);
        free(rows.c0);
        free(rows.c1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    hb_dataset *dataset;
    const uint8_t choice = fuzz_byte(&in);
    const fuzz_file *from = &valid[choice / 2 % (sizeof valid / sizeof *valid)];
    if (choice % 2 == 0) {
        fuzz_change_through_hdf5(path, from, &names, &in);
    } else {
        fuzz_change_bytes(path, from, &in);
    }
    const hb_dataset_ranks alone = {.count = 1};
    if (hb_dataset_open(path, &dataset) == HB_OK || hb_dataset_open_part(path, 0, alone, &dataset) == HB_OK) {
        read_all(dataset);
        hb_dataset_close(dataset);
    }
    unlink(path);
    return 0;
}
