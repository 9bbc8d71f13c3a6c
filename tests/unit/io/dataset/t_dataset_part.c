/* Parts of decryptions are stored as datasets of one component, or two for a receiver, say what they are for, and are
 * no datasets. */
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

/* Who a part is for, and for what. */
typedef enum made_for { ALL_CELLS, SOME_CELLS, AN_OWNER, OWNERS, KINDS } made_for;

static sample *make_part(made_for kind)
{
    const bool some = kind == SOME_CELLS;
    sample *s = make_sample(false, 1500, 3, 2, 3);
    hb_header *h = &s->header;
    hb_part_facts *part = h->part = calloc(1, sizeof *h->part);
    assert_non_null(part);
    *part = (hb_part_facts){.from = "alice", .part_of = {1, 2, 3}, .u = 46, .w = 56};
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
    if (kind == AN_OWNER || kind == OWNERS) {
        memcpy(part->receiver, (uint8_t[]){4, 5, 6}, 3);
    }
    if (kind == OWNERS) {
        part->receiving = (hb_joint_spec){.owners = 3, .threshold = 2, .results = 77, .session = {1, 7}};
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
    assert_memory_equal(&a->receiving, &b->receiving, sizeof a->receiving);
    assert_true(a->u == b->u && a->w == b->w && a->some == b->some && a->row == b->row && a->rows == b->rows);
    assert_int_equal(a->columns, b->columns);
    for (uint64_t i = 0; i < a->columns; i++) {
        assert_int_equal(a->column[i], b->column[i]);
    }
}

static hb_status open_part(const char *name, hb_dataset **out)
{
    return hb_dataset_open_part(name, 0, (hb_dataset_ranks){.count = 1}, out);
}

static void round_trip(const char *name, made_for kind)
{
    const bool receives = kind == AN_OWNER || kind == OWNERS;
    sample *s = make_part(kind);
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
        if (receives) {
            assert_memory_equal(rows.c1, s->rows[u].c1, component_bytes(h, rows.count));
        }
        assert_memory_equal(hb_dataset_unit_sum(dataset, u), s->sums[u], HB_DIGEST_BYTES);
    }
    free_rows(&rows);
    hb_dataset_close(dataset);
    static const char *const names[] = {"/ct/h0/q01", "/ct/h1/q01"};
    assert_int_equal(hb_header_stored(&s->header), receives ? 2 : 1);
    for (uint32_t c = 0; c < hb_header_stored(&s->header); c++) {
        uint8_t *seen = read_virtual(name, names[c], 6 * hb_header_row_bytes(&s->header, 1));
        free(seen);
    }
    free_sample(s);
}

static void parts_survive(void **state)
{
    (void)state;
    hb_dataset *dataset;
    for (made_for kind = ALL_CELLS; kind < KINDS; kind++) {
        round_trip(in_scratch("survives.part"), kind);
    }
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
        sample *s = make_part(SOME_CELLS);
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

/* Receivers that no part is for. */
static void impossible_receivers_are_refused(void **state)
{
    (void)state;
    enum { CASES = 10 };
    for (int i = 0; i < CASES; i++) {
        sample *s = make_part(i == 8 ? SOME_CELLS : i == 9 ? ALL_CELLS : OWNERS);
        hb_part_facts *part = s->header.part;
        hb_shard_writer *shard;
        switch (i) {
        case 0:
            part->receiving.owners = 1; /* of which nothing more is said */
            break;
        case 1:
            part->receiving.owners = HB_MOST_OWNERS + 1;
            break;
        case 2:
            part->receiving.owners = 0;
            break;
        case 3:
            part->receiving.threshold = 1;
            break;
        case 4:
            part->receiving.threshold = 4;
            break;
        case 5:
            part->receiving.results = 0;
            break;
        case 6:
            memset(part->receiver, 0, sizeof part->receiver); /* owners of no key */
            break;
        case 7:
            memcpy(part->receiver, s->header.key_id, sizeof part->receiver);
            break;
        case 8:
            part->receiver[0] = 1; /* for some cells */
            break;
        default:
            part->receiving.owners = 2;
            break;
        }
        assert_ok(begin_dataset(in_scratch("impossible.part"), true));
        assert_refused(hb_shard_create(in_scratch("impossible.part"), &s->header, 0, 0, 1, &shard), HB_EDATA,
                       "a receiver that cannot be");
        hb_dataset_abandon(in_scratch("impossible.part"));
        free_sample(s);
    }
}

static void changed_receivers_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"/index.h5", "/part-00001.h5"};
    static const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"receiver_owners", 4},    {"receiver_owners", 1},
                   {"receiver_owners", 65},   {"receiver_owners", 0},
                   {"receiver_threshold", 3}, {"receiver_results", 78},
                   {"receiver_results", 0},   {"receiver_threshold", UINT64_MAX}};
    char name[128], path[192];
    hb_dataset *dataset;
    sample *s = make_part(OWNERS);
    snprintf(name, sizeof name, "%s", in_scratch("received.part"));
    for (size_t f = 0; f < 2; f++) {
        snprintf(path, sizeof path, "%s%s", name, files[f]);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            write_part(name, s);
            tamper(path, "/", numbers[i].name, numbers[i].value);
            assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
        }
        /* Others, and none: then its rows are not those of one component. */
        for (uint8_t byte = 0; byte < 2; byte++) {
            write_part(name, s);
            tamper_bytes(path, "receiver", HB_KEY_ID_BYTES, byte);
            assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
        }
        write_part(name, s);
        tamper_bytes(path, "receiver_session", HB_DIGEST_BYTES, 5);
        assert_refused(open_part(name, &dataset), HB_EDATA, files[f] + 1);
    }
    free_sample(s);
}

static void changed_facts_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"/index.h5", "/part-00001.h5"};
    static const char *const numbers[] = {"u", "w", "owners"}, *const arrays[] = {"/rows", "/columns"};
    char name[128], path[192];
    hb_dataset *dataset;
    sample *s = make_part(SOME_CELLS);
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

static void see_damage(made_for kind)
{
    char name[128], path[192];
    hb_dataset *dataset;
    sample *s = make_part(kind);
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

static void damage_is_seen(void **state)
{
    (void)state;
    see_damage(SOME_CELLS);
    see_damage(OWNERS);
}

HB_UNIT(dataset_part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_survive),
        cmocka_unit_test(impossible_facts_are_refused),
        cmocka_unit_test(impossible_receivers_are_refused),
        cmocka_unit_test(changed_facts_are_refused),
        cmocka_unit_test(changed_receivers_are_refused),
        cmocka_unit_test(damage_is_seen),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
