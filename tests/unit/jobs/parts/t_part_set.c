/* The owners that decrypt: which texts name them, and the secrets of any such set add up to that of all. */
#include "unit/scratch.h"

#include "joint/sealing.h"
#include "parts/part_set.h"
#include "reference/joint_shares.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {40, 41, 42, 43}, 4, 65537};
enum { OWNERS = 4 };

/* A session and the owners who make parts, without files but their states. */
typedef struct table {
    joint_world w;
    joint_shares shares;
    hb_part_owner owner[OWNERS];
    char state[OWNERS][128];
} table;

static void table_open(table *t, uint32_t threshold, const char *name)
{
    joint_world *w = &t->w;
    const uint8_t inputs[HB_DIGEST_BYTES] = {7};
    memset(t, 0, sizeof *t);
    joint_world_open(w, &chain, OWNERS, 9);
    joint_threshold(w, threshold, 9);
    joint_deal(w, &t->shares);
    const hb_params *p = w->params;
    const size_t bytes = hb_packed_bytes(&p->ring, p->ids, p->key_limbs);
    uint8_t *packed = malloc(bytes);
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_part_owner *o = &t->owner[i];
        snprintf(t->state[i], sizeof t->state[i], "%s-%u", in_scratch(name), (unsigned)i);
        o->session.session = w->session;
        memcpy(o->session.id, w->id, sizeof w->id);
        memcpy(o->party.name, w->cards[i].name, sizeof o->party.name);
        o->own = w->owner[i].own;
        o->state_path = t->state[i];
        hb_joint_state state = hb_joint_state_begin(HB_JOINT_SESSION, o->party.name, w->id);
        state.share = malloc(bytes + HB_SEAL_BYTES);
        memcpy(state.inputs, inputs, sizeof inputs);
        assert_ok(hb_share_pack(w->engine, p, packed, t->shares.share[i]));
        hb_share_keep(state.share, &o->own, inputs, packed, bytes);
        state.share_bytes = bytes + HB_SEAL_BYTES;
        assert_ok(hb_joint_state_write(o->state_path, &state, true));
        hb_joint_state_clear(&state);
    }
    free(packed);
}

static void table_close(table *t)
{
    joint_shares_free(&t->w, &t->shares);
    joint_world_close(&t->w);
}

static void sets_are_of_exactly_so_many(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "owner-00",
                                        "owner-00,owner-01",
                                        "owner-00,owner-01,owner-02,owner-03",
                                        "owner-00,owner-01,owner-01",
                                        "owner-00,owner-01,owner-04",
                                        "owner-00,owner-01,owner-02,",
                                        "owner-00, owner-01,owner-02",
                                        "owner-00,owner-01,owner-0",
                                        NULL};
    table t;
    hb_part_set set;
    table_open(&t, 3, "sets");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(hb_part_set_read(&set, wrong[i], &t.owner[0]), HB_EUSAGE,
                       "--owners: exactly 3 of owner-00, owner-01, owner-02, owner-03");
        hb_part_set_clear(&set);
    }
    assert_refused(hb_part_set_read(&set, "owner-00,owner-01,owner-02", &t.owner[3]), HB_EUSAGE, "is none of them");
    hb_part_set_clear(&set);
    assert_ok(hb_part_set_read(&set, "owner-03,owner-00,owner-02", &t.owner[2]));
    assert_int_equal(set.bits, 0xd);
    assert_int_equal(set.count, 3);
    assert_int_equal(set.self, 1);
    assert_int_equal(set.point[2], 4);
    assert_string_equal(set.card[2].name, "owner-03");
    hb_part_set_clear(&set);
    assert_null(set.state.share);
    table_close(&t);
    table_open(&t, OWNERS, "all"); /* where all decrypt nobody has to name them, and no share is looked for */
    assert_int_equal(unlink(t.state[1]), 0);
    assert_ok(hb_part_set_read(&set, NULL, &t.owner[1]));
    assert_true(set.bits == 0 && set.count == OWNERS && set.self == 1);
    hb_part_set_clear(&set);
    assert_ok(hb_part_set_read(&set, "owner-01,owner-00,owner-03,owner-02", &t.owner[1]));
    assert_true(set.bits == 0 && set.count == OWNERS && set.self == 1);
    hb_part_set_clear(&set);
    snprintf(t.owner[1].party.name, sizeof t.owner[1].party.name, "mallory");
    assert_refused(hb_part_set_read(&set, NULL, &t.owner[1]), HB_EDATA, "no card of the session is that of mallory");
    hb_part_set_clear(&set);
    table_close(&t);
}

static void secrets_of_a_set_add_up(void **state)
{
    (void)state;
    static const char *const texts[] = {"owner-00,owner-01,owner-03", NULL};
    for (uint32_t i = 0; i < 2; i++) {
        table t;
        table_open(&t, i == 0 ? 3 : OWNERS, i == 0 ? "add-some" : "add-all");
        const hb_params *p = t.w.params;
        hb_batch sum = joint_polynomials(&t.w, 1);
        assert_ok(hb_clear(t.w.engine, sum));
        for (uint32_t k = 0; k < OWNERS; k++) {
            hb_part_set set;
            hb_secret_key key;
            if (i == 0 && k == 2) {
                continue;
            }
            assert_ok(hb_part_set_read(&set, texts[i], &t.owner[k]));
            assert_ok(hb_part_set_secret(&key, &set, &t.owner[k], t.w.engine, p));
            assert_ok(hb_add(t.w.engine, sum, sum, key.s));
            hb_secret_key_clear(&key);
            hb_part_set_clear(&set);
        }
        assert_memory_equal(sum.data, t.w.sum.s.data, p->key_limbs * p->spec.n * sizeof(uint64_t));
        hb_batch_free(t.w.engine, &sum);
        table_close(&t);
    }
}

static void bad_shares_are_refused(void **state)
{
    (void)state;
    const char *const names = "owner-00,owner-01,owner-02";
    table t;
    hb_part_set set;
    hb_secret_key key = {0};
    hb_joint_state read;
    table_open(&t, 3, "bad");
    assert_ok(hb_joint_state_read(t.state[0], &read));
    read.share[5] ^= 1; /* the file is whole */
    assert_ok(hb_joint_state_write(t.state[0], &read, false));
    assert_ok(hb_part_set_read(&set, names, &t.owner[0]));
    assert_refused(hb_part_set_secret(&key, &set, &t.owner[0], t.w.engine, t.w.params), HB_EDATA,
                   "is not what this owner kept");
    hb_part_set_clear(&set);
    read.share_bytes--;
    assert_ok(hb_joint_state_write(t.state[0], &read, false));
    assert_ok(hb_part_set_read(&set, names, &t.owner[0]));
    assert_refused(hb_part_set_secret(&key, &set, &t.owner[0], t.w.engine, t.w.params), HB_EDATA, "other parameters");
    hb_part_set_clear(&set);
    read.id[0] ^= 1;
    assert_ok(hb_joint_state_write(t.state[0], &read, false));
    assert_refused(hb_part_set_read(&set, names, &t.owner[0]), HB_EDATA, "another session");
    hb_part_set_clear(&set);
    read.id[0] ^= 1;
    hb_joint_state none = read;
    none.share = NULL;
    none.share_bytes = 0;
    assert_ok(hb_joint_state_write(t.state[0], &none, false));
    assert_refused(hb_part_set_read(&set, names, &t.owner[0]), HB_EDATA, "has no share of the secret");
    hb_part_set_clear(&set);
    hb_joint_state_clear(&read);
    table_close(&t);
}

HB_UNIT(part_set)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_of_exactly_so_many),
        cmocka_unit_test(secrets_of_a_set_add_up),
        cmocka_unit_test(bad_shares_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
