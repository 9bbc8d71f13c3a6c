/* Shards made by someone who knows the format: by bits 1 and 2 of the first byte, of integers in BFV, of reals in CKKS,
 * of a part of a decryption, or of integers that came under another key. Bit 0 chooses between two ways:
 * 0:    the rest are changes of a valid small shard made through HDF5, so that its checksums are right: attributes and
 *       datasets removed, replaced by others of odd types and extents, given odd values;
 * 1:    the rest are changes of its bytes.
 * The shard is then opened and every unit of it read, or refused. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/dataset/dataset.h"
#include "unit/unheld.h"

static char path[64];
typedef struct shard {
    uint8_t *bytes;
    size_t count;
} shard;
static shard valid[5]; /* of integers, of reals, of two parts, of integers with a history */

static void must(int condition)
{
    if (!condition) {
        fprintf(stderr, "fuzz_shard: cannot be set up\n");
        abort();
    }
}

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

static void make_valid(shard *to, void (*make)(hb_header *))
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
    must(begin_dataset(folder, true) == HB_OK);
    must(hb_shard_create(folder, &header, 0, 0, 2, &writer) == HB_OK);
    for (uint64_t u = 0; u < 2; u++) {
        const hb_rows unit = {.count = u ? 1 : 3, .limbs = HB_ROWS_ALL, .seeds = seeds, .c0 = rows, .c1 = rows};
        must(hb_shard_write(writer, u, &unit, sum) == HB_OK);
    }
    must(hb_shard_finish(writer) == HB_OK);
    hb_shard_writer_close(writer);
    FILE *file = fopen(name, "rb");
    to->bytes = malloc(1 << 20);
    must(file && to->bytes);
    to->count = fread(to->bytes, 1, 1 << 20, file);
    fclose(file);
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

static void put_valid(const shard *from)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0 && write(fd, from->bytes, from->count) == (ssize_t)from->count);
    close(fd);
}

/* Small and large numbers, and those around powers of two. */
static uint64_t odd_number(fuzz_input *in)
{
    switch (fuzz_byte(in) % 4) {
    case 0:
        return fuzz_byte(in);
    case 1:
        return ((uint64_t)1 << fuzz_byte(in) % 64) + fuzz_byte(in) - 128;
    case 2:
        return UINT64_MAX - fuzz_byte(in);
    default:
        return fuzz_u64(in);
    }
}

static hid_t odd_type(fuzz_input *in)
{
    const hid_t types[] = {H5T_STD_U64LE, H5T_STD_U8LE, H5T_STD_I8LE, H5T_STD_I64BE, H5T_IEEE_F64LE, H5T_STD_U16LE};
    uint8_t choice = fuzz_byte(in) % 8;
    if (choice < 6) {
        return H5Tcopy(types[choice]);
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(text, choice == 6 ? H5T_VARIABLE : (size_t)fuzz_byte(in) * 8 + 1);
    return text;
}

/* Extents up to some thousands that are stored, or huge ones that are not. */
static hid_t odd_space(fuzz_input *in, int *stored)
{
    hsize_t extent[3], cells = 1;
    int rank = fuzz_byte(in) % 4;
    *stored = 1;
    for (int d = 0; d < rank; d++) {
        extent[d] = odd_number(in);
        *stored = *stored && extent[d] < 65536 && (cells *= extent[d]) < 65536;
    }
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, NULL);
}

static const char *const groups[] = {"/", "/params", "/table", "/ct", "/ct/c0", "/unit"};
enum { ATTRIBUTES = 15 };
static const char *const attributes[][ATTRIBUTES] = {
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

static void set_attribute(hid_t file, fuzz_input *in)
{
    uint8_t choice = fuzz_byte(in), g = choice % 6, a = choice / 6 % ATTRIBUTES;
    hid_t object = H5Oopen(file, groups[g], H5P_DEFAULT), attribute = H5Aopen(object, attributes[g][a], H5P_DEFAULT);
    uint64_t values[16] = {odd_number(in)};
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if ((class == H5T_INTEGER || class == H5T_FLOAT) && H5Aget_storage_size(attribute) <= sizeof values) {
        (void)H5Awrite(attribute, type, values);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    H5Oclose(object);
}

static void replace_attribute(hid_t file, fuzz_input *in)
{
    uint8_t choice = fuzz_byte(in), g = choice % 6, a = choice / 6 % ATTRIBUTES;
    int stored;
    hid_t object = H5Oopen(file, groups[g], H5P_DEFAULT), type = odd_type(in), space = odd_space(in, &stored);
    (void)H5Adelete(object, attributes[g][a]);
    if (stored) {
        H5Aclose(H5Acreate2(object, attributes[g][a], type, space, H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(object);
}

/* HDF5 1.10 fails in its own chunk index after odd changes to chunked datasets; this test does not cover that. */
static int is_plain(hid_t set)
{
    hid_t creation = H5Dget_create_plist(set);
    int plain = creation >= 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0;
    H5Pclose(creation);
    return plain;
}

static void set_dataset(hid_t file, fuzz_input *in)
{
    hid_t set = H5Dopen2(file, datasets[fuzz_byte(in) % (sizeof datasets / sizeof datasets[0])], H5P_DEFAULT),
          space = H5Dget_space(set);
    hid_t one = H5Screate(H5S_SCALAR);
    const hsize_t at[3] = {fuzz_byte(in) % 4}; /* room for every rank */
    uint64_t value = odd_number(in);
    if (is_plain(set) && H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0) {
        (void)H5Dwrite(set, H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &value);
    }
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
}

static void replace_dataset(hid_t file, fuzz_input *in)
{
    const char *name = datasets[fuzz_byte(in) % (sizeof datasets / sizeof datasets[0])];
    int stored;
    hid_t type = odd_type(in), space = odd_space(in, &stored), creation = H5Pcreate(H5P_DATASET_CREATE);
    uint8_t layout = fuzz_byte(in) % 4;
    (void)H5Ldelete(file, name, H5P_DEFAULT);
    if (layout == 1) {
        const hsize_t chunk[3] = {1 + fuzz_byte(in) % 8, 1 + fuzz_byte(in) % 8, 1};
        (void)H5Pset_chunk(creation, H5Sget_simple_extent_ndims(space), chunk);
    } else if (layout == 2) {
        (void)H5Pset_external(creation, "/dev/null", 0, H5F_UNLIMITED);
    } else if (stored) {
        (void)H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    }
    if (layout == 3) {
        (void)H5Lcreate_external("/dev/null", "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else {
        H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    }
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
}

static void change_through_hdf5(const shard *from, fuzz_input *in)
{
    put_valid(from);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    must(file >= 0);
    for (int changes = 0; changes < 8 && in->size > 0; changes++) {
        void (*const ways[])(hid_t, fuzz_input *) = {set_attribute, set_dataset, replace_attribute, replace_dataset};
        ways[fuzz_byte(in) % 4](file, in);
    }
    H5Fclose(file);
    H5Pclose(access);
}

static void change_bytes(const shard *from, fuzz_input *in)
{
    put_valid(from);
    int fd = open(path, O_WRONLY);
    while (in->size > 0) {
        uint64_t at = (fuzz_byte(in) | (uint64_t)fuzz_byte(in) << 8) % from->count;
        uint8_t value = fuzz_byte(in);
        must(pwrite(fd, &value, 1, (off_t)at) == 1);
    }
    close(fd);
}

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
        must(rows.seeds && rows.c0 && rows.c1 && bytes < 1 << 20);
        must(hb_dataset_read(dataset, u, &rows) == HB_OK && rows.count == count);
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
    const shard *from = &valid[choice / 2 % (sizeof valid / sizeof *valid)];
    if (choice % 2 == 0) {
        change_through_hdf5(from, &in);
    } else {
        change_bytes(from, &in);
    }
    const hb_dataset_ranks alone = {.count = 1};
    if (hb_dataset_open(path, &dataset) == HB_OK || hb_dataset_open_part(path, alone, &dataset) == HB_OK) {
        read_all(dataset);
        hb_dataset_close(dataset);
    }
    unlink(path);
    return 0;
}
