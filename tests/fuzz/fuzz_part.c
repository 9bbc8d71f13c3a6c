/* Parts of decryptions, folders of an index and two shards, made by someone who knows the format. Bit 0 of the first
 * byte chooses between changes through HDF5 and changes of bytes (h5_changes.h), bits 1 and 2 whether the index or a
 * shard has them. The folder is then opened as a part, its signature looked at, and every unit read; or it is refused.
 * A part that is signed by the owner is as he made it. */
#include <string.h>
#include <sys/stat.h>

#include "h5_changes.h"
#include "io/dataset/dataset.h"
#include "joint/party.h"
#include "unit/unheld.h"

enum { FILES = 3, UNITS = 2, ROW_BYTES = 3 * 1024 * 64 / 8 + 64 };

static const char *const groups[] = {"/", "/", "/table", "/ct"};
static const char *const attributes[][FUZZ_ATTRIBUTES] = {
    {"format", "version", "tool", "key_id", "header_digest", "params_digest", "complete", "data_sum", "signature",
     "part_of", "from", "receiver", "receiver_owners", "receiver_threshold", "receiver_results"},
    {"u", "w", "session", "owners", "threshold", "results", "parts", "x", "x", "x", "x", "x"},
    {"rows", "columns", "rank", "width", "named", "order", "encoding", "cells", "x", "x", "x", "x"},
    {"limbs", "components", "seeded", "ciphertexts", "unit", "scheme", "form", "made_by", "stray", "noise_worst",
     "kept", "x"}};
static const char *const datasets[] = {"/ct/h0/q00", "/ct/h0/q01",     "/ct/h0",       "/unit/sum", "/rows",
                                       "/columns",   "/owners",        "/unit/part",   "/params/n", "/params",
                                       "/table",     "/params/primes", "/table/names", "/unit",     "/ct/h1/q00",
                                       "/history",   "/summands"};
static const fuzz_names names = {groups, attributes, datasets, sizeof groups / sizeof *groups,
                                 sizeof datasets / sizeof *datasets};
static const char *const files[FILES] = {"index.h5", "part-00000.h5", "part-00001.h5"};

static char folder[64];
static fuzz_file valid[FILES];
static const hb_seed root = {{5}};
static hb_owner_card card;
static const uint8_t session[HB_DIGEST_BYTES] = {9, 8, 7};
static uint8_t signed_sum[HB_DIGEST_BYTES];

static char *place(char path[128], const char *file)
{
    snprintf(path, 128, "%s/%s", folder, file);
    return path;
}

static hb_signed_facts facts_of(const uint8_t sum[HB_DIGEST_BYTES])
{
    return (hb_signed_facts){.kind = "part", .session = session, .from = card.name, .body = sum};
}

static void sign(void *context, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES])
{
    (void)context;
    const hb_signed_facts facts = facts_of(sum);
    memcpy(signed_sum, sum, sizeof signed_sum);
    hb_party_sign(signature, &root, &facts);
}

static void make_header(hb_header *h)
{
    static hb_column columns[2] = {{.name = "a"}, {.name = "b", .may_wrap = true}};
    static uint64_t selected[2] = {1, 0};
    static hb_part_facts part = {.from = "alice",
                                 .part_of = {1, 2},
                                 .owners = 5, /* of three, the first and the last */
                                 .u = 46,
                                 .w = 56,
                                 .some = true,
                                 .row = 5,
                                 .rows = 1995,
                                 .column = selected,
                                 .columns = 2};
    *h = (hb_header){.limbs = 2, .ciphertexts = 4, .unit = 3, .part = &part, .dirty_padding = true};
    h->spec = (hb_params_spec){.n = 1024,
                               .key_limbs = 2,
                               .primes = {12289, 40961},
                               .bfv.plain = 257,
                               .security = hb_security_default(),
                               .joint = {.owners = 3, .threshold = 2, .results = 1000}};
    memcpy(h->spec.joint.session, session, sizeof h->spec.joint.session);
    hb_header_set_scheme(h, &h->spec, HB_ENCODE_SLOTS);
    hb_header_quality(h, (hb_quality){.worst = 12, .expected = 12, .powers = 1});
    h->schema = (hb_schema){.rows = 2000, .columns = 2, .rank = 2, .width = 4, .named = true, .column = columns};
}

static void read_all(hb_dataset *dataset)
{
    const hb_header *h = hb_dataset_header(dataset);
    uint64_t first, units;
    hb_dataset_units(dataset, &first, &units);
    for (uint64_t u = first; u < first + units; u++) {
        uint64_t at, count;
        hb_header_unit_range(h, u, &at, &count);
        const size_t bytes = (size_t)count * h->limbs * (size_t)h->spec.n * sizeof(uint64_t);
        hb_rows rows = {.limbs = HB_ROWS_ALL, .c0 = malloc(bytes + 1), .c1 = malloc(bytes + 1)};
        fuzz_must(rows.c0 != NULL && rows.c1 != NULL && bytes < (size_t)1 << 20); /* rows lie in a file of some KiB */
        fuzz_must(hb_dataset_read(dataset, u, &rows) == HB_OK && rows.count == count);
        free(rows.c0);
        free(rows.c1);
    }
}

/* A signature is of the sum, and the sum of all that the header says. Returns whether it holds. */
static bool look(hb_dataset *dataset)
{
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(dataset, sum);
    const hb_signed_facts facts = facts_of(sum);
    const bool holds = hb_card_signed(&card, hb_dataset_signature(dataset), &facts);
    if (holds) {
        const hb_part_facts *part = hb_dataset_header(dataset)->part;
        fuzz_must(memcmp(sum, signed_sum, sizeof sum) == 0);
        fuzz_must(part->owners == 5 && part->u == 46 && part->w == 56 && part->row == 5 && part->columns == 2);
    }
    read_all(dataset);
    return holds;
}

static void make_valid(void)
{
    static uint8_t rows[ROW_BYTES];
    const hb_part_signer signer = {sign, NULL};
    const hb_committing how = {.parts = UNITS, .signer = &signer};
    char path[128];
    hb_header header;
    make_header(&header);
    fuzz_must(begin_dataset(folder, true) == HB_OK);
    for (uint32_t p = 0; p < UNITS; p++) { /* a unit in each shard */
        const uint8_t sum[HB_DIGEST_BYTES] = {(uint8_t)(p + 1)};
        const hb_rows unit = {.count = p ? 1 : 3, .limbs = HB_ROWS_ALL, .c0 = rows, .c1 = rows};
        hb_shard_writer *writer;
        fuzz_must(hb_shard_create(folder, &header, p, p, 1, &writer) == HB_OK);
        fuzz_must(hb_shard_write(writer, p, &unit, sum) == HB_OK && hb_shard_finish(writer) == HB_OK);
        hb_shard_writer_close(writer);
    }
    fuzz_must(hb_dataset_commit_as(folder, &header, &how) == HB_OK);
    for (int f = 0; f < FILES; f++) {
        valid[f] = fuzz_slurp(place(path, files[f]));
    }
    hb_dataset *dataset;
    fuzz_must(hb_dataset_open_part(folder, 0, (hb_dataset_ranks){.count = 1}, &dataset) == HB_OK);
    fuzz_must(look(dataset));
    hb_dataset_close(dataset);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(folder, sizeof folder, "/dev/shm/fuzz-part-%d", (int)getpid());
    fuzz_must(hb_party_card(&card, &root, "alice") == HB_OK);
    make_valid();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    char path[128];
    hb_dataset *dataset;
    const uint8_t choice = fuzz_byte(&in);
    const int changed = choice / 2 % FILES;
    (void)mkdir(folder, 0700);
    for (int f = 0; f < FILES; f++) {
        fuzz_put(place(path, files[f]), &valid[f]);
    }
    if (choice % 2 == 0) {
        fuzz_change_through_hdf5(place(path, files[changed]), &valid[changed], &names, &in);
    } else {
        fuzz_change_bytes(place(path, files[changed]), &valid[changed], &in);
    }
    if (hb_dataset_open_part(folder, 0, (hb_dataset_ranks){.count = 1}, &dataset) == HB_OK) {
        (void)look(dataset);
        hb_dataset_close(dataset);
    }
    for (int f = 0; f < FILES; f++) {
        (void)unlink(place(path, files[f]));
    }
    (void)rmdir(folder);
    return 0;
}
