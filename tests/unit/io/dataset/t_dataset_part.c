/* Parts of decryptions are stored as datasets of one component, say what they are for, and are no datasets. */
#include "unit/damage.h"
#include "unit/dataset_sample.h"
#include "unit/io/dataset/tamper.h"
#include "unit/unit.h"

static const hb_joint_spec five = {.owners = 5, .threshold = 5, .results = 20000, .session = {9, 8, 7}};
enum { THREE = 0x19 }; /* of five owners: 0, 3, 4 */

/* A signature that is none, of these bytes. */
static void sign(void *context, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES])
{
    (void)context;
    memcpy(signature, sum, HB_DIGEST_BYTES);
    memcpy(signature + HB_DIGEST_BYTES, sum, HB_DIGEST_BYTES);
}

static sample *make_part(bool some)
{
    sample *s = make_sample(false, 1500, 3, 2, 3);
    hb_header *h = &s->header;
    hb_part_facts *part = h->part = calloc(1, sizeof *h->part);
    assert_non_null(part);
    *part = (hb_part_facts){.from = "alice", .part_of = {1, 2, 3}, .u = 46, .w = 56, .receiver = {4, 5, 6}};
    if (some) {
        part->some = true;
        part->row = 7;
        part->rows = 1493;
        part->columns = 2;
        part->column = calloc(2, sizeof *part->column);
        assert_non_null(part->column);
        part->column[0] = 2;
    }
    h->spec.joint = five;
    if (some) { /* of the owners, too */
        h->spec.joint.threshold = 3;
        part->owners = THREE;
    }
    evaluate_sample(s, 30000, 20000, true);
    return s;
}

static void write_part(const char *name, const sample *s)
{
    const hb_part_signer signer = {sign, NULL};
    assert_ok(begin_dataset(name, true));
    write_parts(name, s, 2);
    const hb_committing how = {.parts = 2, .force = true, .signer = &signer};
    assert_ok(hb_dataset_commit_as(name, &s->header, &how));
}

static void assert_facts(const hb_part_facts *a, const hb_part_facts *b)
{
    assert_string_equal(a->from, b->from);
    assert_memory_equal(a->part_of, b->part_of, sizeof a->part_of);
    assert_memory_equal(a->receiver, b->receiver, sizeof a->receiver);
    assert_int_equal(a->owners, b->owners);
    assert_true(a->u == b->u && a->w == b->w && a->some == b->some && a->row == b->row && a->rows == b->rows);
    assert_int_equal(a->columns, b->columns);
    for (uint64_t i = 0; i < a->columns; i++) {
        assert_int_equal(a->column[i], b->column[i]);
    }
}

static hb_status open_part(const char *name, hb_dataset **out)
{
    return hb_dataset_open_part(name, (hb_dataset_ranks){.count = 1}, out);
}

static void round_trip(const char *name, bool some)
{
    sample *s = make_part(some);
    hb_dataset *dataset;
    hb_rows rows;
    uint8_t sum[HB_DIGEST_BYTES], signature[HB_SIGNATURE_BYTES];
    write_part(name, s);
    assert_refused(hb_dataset_open(name, &dataset), HB_EDATA, "the part of a decryption that alice made");
    assert_ok(open_part(name, &dataset));
    const hb_header *h = hb_dataset_header(dataset);
    check_header(h, &s->header);
    assert_facts(h->part, s->header.part);
    hb_dataset_sum(dataset, sum);
    sign(NULL, sum, signature);
    assert_memory_equal(hb_dataset_signature(dataset), signature, sizeof signature);
    alloc_rows(&s->header, &rows);
    for (uint64_t u = 0; u < hb_header_units(h); u++) {
        assert_ok(hb_dataset_read(dataset, u, &rows));
        assert_memory_equal(rows.c0, s->rows[u].c0, component_bytes(h, rows.count));
        assert_memory_equal(hb_dataset_unit_sum(dataset, u), s->sums[u], HB_DIGEST_BYTES);
    }
    free_rows(&rows);
    hb_dataset_close(dataset);
    uint8_t *seen = read_virtual(name, "/ct/h0/q01", 6 * hb_header_row_bytes(&s->header, 1));
    free(seen);
    free_sample(s);
}

static void parts_survive(void **state)
{
    (void)state;
    hb_dataset *dataset;
    round_trip(in_scratch("all.part"), false);
    round_trip(in_scratch("some.part"), true);
    sample *s = make_sample(false, 100, 2, 1, 3);
    write_sample(in_scratch("dataset.heb"), s, 1, true);
    assert_refused(open_part(in_scratch("dataset.heb"), &dataset), HB_EDATA, "is a dataset, and no part");
    free_sample(s);
}

/* Facts that no part has are refused before a file is made, and so by who reads one that somebody else made. */
static void impossible_facts_are_refused(void **state)
{
    (void)state;
    enum { CASES = 19 };
    for (int i = 0; i < CASES; i++) {
        sample *s = make_part(true);
        hb_part_facts *part = s->header.part;
        hb_shard_writer *shard;
        switch (i) {
        case 0:
            part->u = 0;
            break;
        case 1:
            part->u = 64 * HB_MAX_LIMBS + 1;
            break;
        case 2:
            part->w = 0;
            break;
        case 3:
            part->w = 63;
            break;
        case 4:
            part->from[0] = 'A';
            break;
        case 5:
            part->from[0] = 0;
            break;
        case 6:
            part->row = 1500;
            break;
        case 7:
            part->rows = 1494;
            break;
        case 8:
            part->rows = 0;
            break;
        case 9:
            part->columns = 0;
            break;
        case 10:
            part->column[1] = 3;
            break;
        case 11:
            s->header.seeded = true;
            break;
        case 13:
            part->owners = 0x09; /* two */
            break;
        case 14:
            part->owners = 0x1d; /* four */
            break;
        case 15:
            part->owners = 0x29; /* one of whom is none of five */
            break;
        case 16:
            part->owners = 0;
            break;
        case 17:
            s->header.spec.joint.threshold = 5; /* nobody has to be named */
            break;
        case 12:
            s->header.spec.joint = (hb_joint_spec){.owners = 0};
            break;
        default:
            part->row = UINT64_MAX;
            break;
        }
        assert_ok(begin_dataset(in_scratch("impossible.part"), true));
        const hb_status st = hb_shard_create(in_scratch("impossible.part"), &s->header, 0, 0, 1, &shard);
        assert_int_equal(st, HB_EDATA);
        hb_dataset_abandon(in_scratch("impossible.part"));
        free_sample(s);
    }
}

static void changed_facts_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"/index.h5", "/part-00001.h5"};
    static const char *const numbers[] = {"u", "w", "owners"}, *const arrays[] = {"/rows", "/columns"};
    char name[128], path[192];
    hb_dataset *dataset;
    sample *s = make_part(true);
    snprintf(name, sizeof name, "%s", in_scratch("changed.part"));
    for (size_t f = 0; f < 2; f++) {
        snprintf(path, sizeof path, "%s%s", name, files[f]);
        for (size_t i = 0; i < 3; i++) {
            write_part(name, s);
            tamper(path, "/", numbers[i], i == 2 ? 0x1a : 50); /* three others */
            assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
        }
        for (size_t i = 0; i < 2; i++) {
            write_part(name, s);
            tamper_dataset(path, arrays[i], 1);
            assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
        }
        write_part(name, s);
        tamper_text(path, "/", "from", "bob");
        assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
        write_part(name, s);
        tamper_text(path, "/", "format", "HEB1");
        assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
    }
    /* A dataset is no part by its name alone. */
    sample *plain = make_sample(false, 100, 2, 1, 3);
    plain->header.spec.joint = five;
    digest_sample(plain);
    write_sample(name, plain, 1, true);
    snprintf(path, sizeof path, "%s/index.h5", name);
    tamper_text(path, "/", "format", "HEBP1");
    assert_refused(open_part(name, &dataset), HB_EDATA, "index.h5");
    free_sample(plain);
    free_sample(s);
}

typedef struct damaged {
    const char *name;
    const hb_part_facts *facts;
    uint8_t sum[HB_DIGEST_BYTES];
} damaged;

/* Rows are left to who computes sums. */
static bool is_refused(const char *path, void *context)
{
    (void)path;
    const damaged *x = context;
    hb_dataset *dataset;
    uint8_t sum[HB_DIGEST_BYTES], signature[HB_SIGNATURE_BYTES];
    if (open_part(x->name, &dataset) != HB_OK) {
        return true;
    }
    hb_dataset_sum(dataset, sum);
    sign(NULL, x->sum, signature);
    assert_memory_equal(sum, x->sum, sizeof sum);
    assert_memory_equal(hb_dataset_signature(dataset), signature, sizeof signature);
    assert_facts(hb_dataset_header(dataset)->part, x->facts);
    hb_dataset_close(dataset);
    return false;
}

static void damage_is_seen(void **state)
{
    (void)state;
    char name[128], path[192];
    hb_dataset *dataset;
    sample *s = make_part(true);
    snprintf(name, sizeof name, "%s", in_scratch("damaged.part"));
    snprintf(path, sizeof path, "%s/index.h5", name);
    write_part(name, s);
    damaged x = {.name = name, .facts = s->header.part};
    assert_ok(open_part(name, &dataset));
    hb_dataset_sum(dataset, x.sum);
    hb_dataset_close(dataset);
    damage_flip(path, is_refused, &x, NULL, 0, HB_SIGNATURE_BYTES + 2 * HB_DIGEST_BYTES);
    free_sample(s);
}

HB_UNIT(dataset_part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_survive),
        cmocka_unit_test(impossible_facts_are_refused),
        cmocka_unit_test(changed_facts_are_refused),
        cmocka_unit_test(damage_is_seen),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
