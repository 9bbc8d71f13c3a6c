/* Parts of decryptions of several residues: one signature, that of the last one's index, for all of them, so that none
 * can be missing, or be another part's. */
#include "unit/dataset_sample.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

enum { RESIDUES = 3 };
static const uint64_t plains[RESIDUES] = {40961, 65537, 61441};

/* A signature that is none: the sum that was signed, and how often one was. */
typedef struct signer {
    uint8_t sum[HB_DIGEST_BYTES];
    int count;
} signer;

static void sign(void *context, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES])
{
    signer *s = context;
    memcpy(s->sum, sum, sizeof s->sum);
    s->count++;
    memcpy(signature, sum, HB_DIGEST_BYTES);
    memset(signature + HB_DIGEST_BYTES, s->count, HB_DIGEST_BYTES);
}

/* One residue of alice's part, of random rows that follow from the seed. */
static sample *make_residue(uint32_t residue, uint64_t seed)
{
    sample *s = make_sample(false, 1500, 3, 2, seed + residue);
    hb_header *h = &s->header;
    h->spec.bfv = (hb_bfv_spec){.plain = plains[residue], .plain_count = RESIDUES, .residue = residue};
    memcpy(h->spec.bfv.plains, plains, sizeof plains);
    h->spec.joint = (hb_joint_spec){.owners = 2, .threshold = 2, .results = 100, .session = {1}};
    h->part = calloc(1, sizeof *h->part);
    assert_non_null(h->part);
    *h->part = (hb_part_facts){.from = "alice", .part_of = {1, 2, 3}, .u = 46 + residue, .w = 56};
    for (uint64_t c = 0; c < h->schema.columns; c++) {
        hb_column *column = &h->schema.column[c];
        column->wide = true;
        column->ranged = false;
        column->least = column->most = 0;
    }
    evaluate_sample(s, 30000, 20000, true);
    return s;
}

/* Writes the residues one after another, as a job does. */
static void write_whole(const char *name, uint64_t seed, signer *by)
{
    const hb_part_signer how_signed = {sign, by};
    const hb_committing how = {.parts = 2, .force = true, .signer = &how_signed};
    assert_ok(begin_dataset(name, true));
    for (uint32_t r = 0; r < RESIDUES; r++) {
        sample *s = make_residue(r, seed);
        write_parts(name, s, 2);
        assert_ok(hb_dataset_commit_as(name, &s->header, &how));
        free_sample(s);
    }
}

static hb_status open_part(const char *name, uint32_t residue, hb_dataset **out)
{
    return hb_dataset_open_part(name, residue, (hb_dataset_ranks){.count = 1}, out);
}

static void sum_of(const char *name, uint32_t residue, uint8_t sum[HB_DIGEST_BYTES])
{
    hb_dataset *dataset;
    assert_ok(open_part(name, residue, &dataset));
    hb_dataset_sum(dataset, sum);
    hb_dataset_close(dataset);
}

static void they_are_signed_as_one(void **state)
{
    (void)state;
    char name[128];
    uint8_t sums[RESIDUES][HB_DIGEST_BYTES], whole[HB_DIGEST_BYTES];
    signer by = {.count = 0};
    hb_digest_state digest;
    snprintf(name, sizeof name, "%s", in_scratch("whole.part"));
    write_whole(name, 7, &by);
    assert_int_equal(by.count, 1);
    for (uint32_t r = 0; r < RESIDUES; r++) { /* BLAKE2b(person "hebatch data", header digest, sums of units) */
        sample *s = make_residue(r, 7);
        hb_digest_begin(&digest, "hebatch data");
        hb_digest_add(&digest, s->digest, sizeof s->digest);
        hb_digest_add(&digest, s->sums, (size_t)hb_header_units(&s->header) * HB_DIGEST_BYTES);
        hb_digest_end(&digest, sums[r]);
        free_sample(s);
    }
    hb_digest_begin(&digest, "hebatch whole");
    hb_digest_add(&digest, sums, sizeof sums);
    hb_digest_end(&digest, whole);
    assert_memory_equal(by.sum, whole, sizeof whole);
    for (uint32_t r = 0; r < RESIDUES; r++) {
        hb_dataset *dataset;
        uint8_t sum[HB_DIGEST_BYTES], signature[HB_SIGNATURE_BYTES];
        assert_ok(open_part(name, r, &dataset));
        hb_dataset_sum(dataset, sum);
        assert_memory_equal(sum, whole, sizeof whole);
        by.count = 0;
        sign(&by, sum, signature);
        assert_memory_equal(hb_dataset_signature(dataset), signature, sizeof signature);
        assert_int_equal(hb_spec_residue(&hb_dataset_header(dataset)->spec), r);
        assert_int_equal(hb_dataset_header(dataset)->part->u, 46 + r);
        hb_dataset_close(dataset);
    }
}

/* Renames NAME/FILE to OTHER/FILE2. */
static void move_file(const char *name, const char *file, const char *to, const char *file2)
{
    char from[256], into[256];
    snprintf(from, sizeof from, "%s/%s", name, file);
    snprintf(into, sizeof into, "%s/%s", to, file2);
    assert_int_equal(rename(from, into), 0);
}

static void none_is_missing_or_in_the_place_of_another(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t opened;
    } files[] = {{"index.h5", 0}, {"index-1.h5", 1}, {"index-2.h5", 0}, {"part-1-00001.h5", 1}};
    char name[128], kept[128];
    signer by = {.count = 0};
    hb_dataset *dataset;
    snprintf(name, sizeof name, "%s", in_scratch("moved.part"));
    snprintf(kept, sizeof kept, "%s", in_scratch("."));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_whole(name, 7, &by);
        move_file(name, files[i].file, kept, "kept");
        assert_refused(open_part(name, files[i].opened, &dataset), HB_ENOINPUT, files[i].file);
    }
    write_whole(name, 7, &by);
    move_file(name, "index.h5", kept, "kept");
    move_file(name, "index-1.h5", name, "index.h5");
    assert_refused(open_part(name, 0, &dataset), HB_EDATA, "holds residue 1 in the place of residue 0");
}

/* The residue of another part is none of this one; made one of it, it changes the sum that was signed. */
static void residues_of_two_parts_are_told_apart(void **state)
{
    (void)state;
    static const char *const files[RESIDUES][3] = {{"index.h5", "part-00000.h5", "part-00001.h5"},
                                                   {"index-1.h5", "part-1-00000.h5", "part-1-00001.h5"},
                                                   {"index-2.h5", "part-2-00000.h5", "part-2-00001.h5"}};
    char name[128], other[128], path[160];
    uint8_t sum[HB_DIGEST_BYTES], changed[HB_DIGEST_BYTES];
    signer by = {.count = 0};
    hb_dataset *dataset;
    snprintf(name, sizeof name, "%s", in_scratch("one.part"));
    snprintf(other, sizeof other, "%s", in_scratch("other.part"));
    for (uint32_t r = 0; r < RESIDUES; r++) {
        write_whole(name, 7, &by);
        sum_of(name, 0, sum);
        write_whole(other, 70, &by);
        for (int f = 0; f < 3; f++) {
            move_file(other, files[r][f], name, files[r][f]);
        }
        const uint32_t refused = r + 1 < RESIDUES ? r : 0; /* the last one stores the sums of the others */
        assert_refused(open_part(name, refused, &dataset), HB_EDATA,
                       "of another dataset than the last of the residues");
    }
    write_whole(name, 7, &by);
    snprintf(path, sizeof path, "%s/index-2.h5", name);
    tamper_dataset(path, "/residues/data_sum", 5); /* of the first residue */
    assert_refused(open_part(name, 0, &dataset), HB_EDATA, "of another dataset than the last of the residues");
    sum_of(name, 2, changed);
    assert_true(memcmp(changed, sum, sizeof sum) != 0);
}

HB_UNIT(dataset_part_residues)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_signed_as_one),
        cmocka_unit_test(none_is_missing_or_in_the_place_of_another),
        cmocka_unit_test(residues_of_two_parts_are_told_apart),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
