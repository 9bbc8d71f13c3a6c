/* States of owners: round trips, steps that are made once, states of others, damage. */
#include "unit/damage.h"

#include "io/joint/state_file.h"
#include "unit/unit.h"

static hb_joint_state sample(void)
{
    hb_joint_state state = {.name = "alice", .parts = 18};
    memset(state.id, 0x11, sizeof state.id);
    memset(state.commitments, 0x22, sizeof state.commitments);
    memset(state.first, 0x55, sizeof state.first);
    memset(state.second, 0x66, sizeof state.second);
    memset(state.key_id, 0x44, sizeof state.key_id);
    return state;
}

static void assert_equal(const hb_joint_state *a, const hb_joint_state *b)
{
    assert_int_equal(a->purpose, b->purpose);
    assert_string_equal(a->name, b->name);
    assert_memory_equal(a->id, b->id, sizeof a->id);
    assert_memory_equal(a->commitments, b->commitments, sizeof a->commitments);
    assert_memory_equal(a->inputs, b->inputs, sizeof a->inputs);
    assert_memory_equal(a->first, b->first, sizeof a->first);
    assert_memory_equal(a->second, b->second, sizeof a->second);
    assert_memory_equal(a->key_id, b->key_id, sizeof a->key_id);
    assert_int_equal(a->parts, b->parts);
    assert_int_equal(a->share_bytes, b->share_bytes);
    assert_true(a->share_bytes == 0 || memcmp(a->share, b->share, a->share_bytes) == 0);
    assert_int_equal(a->checked.count, b->checked.count);
    assert_true(a->checked.count == 0 ||
                memcmp(a->checked.sum, b->checked.sum, a->checked.count * sizeof *a->checked.sum) == 0);
}

static void states_survive(void **state)
{
    (void)state;
    const char *path = in_scratch("joint-1.h5");
    hb_joint_state one = sample(), read;
    struct stat info;
    assert_refused(hb_joint_state_read(path, &read), HB_ENOINPUT, "joint-1.h5");
    assert_ok(hb_joint_state_write(path, &one, true));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_ok(hb_joint_state_read(path, &read));
    assert_equal(&read, &one);
    assert_refused(hb_joint_state_write(path, &one, true), HB_ECREATE, "joint-1.h5");
    one.parts = 0;
    one.purpose = HB_JOINT_TRIAL;
    memset(one.name, 'a', sizeof one.name - 1); /* as long as a name may be */
    memset(one.inputs, 0x33, sizeof one.inputs);
    assert_ok(hb_joint_state_write(path, &one, false));
    assert_ok(hb_joint_state_read(path, &read));
    assert_equal(&read, &one);
    assert_int_equal(chmod(path, 0640), 0);
    assert_refused(hb_joint_state_read(path, &read), HB_EPERM, "chmod 600");
}

/* A share in its box, of whatever length; without it the file is the same as ever. */
static void shares_survive(void **state)
{
    (void)state;
    static const size_t lengths[] = {17, 4096, 300001};
    const char *path = in_scratch("joint-3.h5");
    hb_joint_state one = sample(), read;
    assert_ok(hb_joint_state_write(path, &one, true));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        one.share_bytes = lengths[i];
        one.share = malloc(one.share_bytes);
        for (size_t k = 0; k < one.share_bytes; k++) {
            one.share[k] = (uint8_t)(k * 37 + i);
        }
        assert_ok(hb_joint_state_write(path, &one, false));
        assert_ok(hb_joint_state_read(path, &read));
        assert_equal(&read, &one);
        hb_joint_state_clear(&read);
        assert_null(read.share);
        free(one.share);
    }
    one.share = NULL;
    one.share_bytes = 0;
    assert_ok(hb_joint_state_write(path, &one, false));
    assert_ok(hb_joint_state_read(path, &read));
    assert_null(read.share);
    assert_equal(&read, &one);
}

/* The list of keys, with a share and without. */
static void lists_of_keys_survive(void **state)
{
    (void)state;
    const char *path = in_scratch("joint-4.h5");
    hb_joint_state one = sample(), read;
    uint8_t share[100] = {1, 2, 3};
    assert_ok(hb_joint_state_write(path, &one, true));
    for (size_t i = 0; i < 1200; i++) {
        const uint8_t sum[HB_DIGEST_BYTES] = {(uint8_t)i, (uint8_t)(i >> 8), 7};
        assert_ok(hb_checked_keys_add(&one.checked, sum));
        if (i % 400 != 0) {
            continue;
        }
        one.share = i > 0 ? share : NULL;
        one.share_bytes = i > 0 ? sizeof share : 0;
        assert_ok(hb_joint_state_write(path, &one, false));
        assert_ok(hb_joint_state_read(path, &read));
        assert_equal(&read, &one);
        assert_ok(hb_checked_keys_require(&read.checked, "k.h5", sum));
        const uint8_t other[HB_DIGEST_BYTES] = {(uint8_t)i, (uint8_t)(i >> 8), 6};
        assert_refused(hb_checked_keys_require(&read.checked, "k.h5", other), HB_EDATA,
                       "k.h5: is none of the keys that you compared");
        hb_joint_state_clear(&read);
        assert_refused(hb_checked_keys_require(&read.checked, "k.h5", sum), HB_EDATA, "k.h5");
    }
    hb_checked_keys_clear(&one.checked);
}

static void steps_are_made_once(void **state)
{
    (void)state;
    hb_joint_state one = {.name = "alice"};
    const uint8_t a[HB_DIGEST_BYTES] = {1}, b[HB_DIGEST_BYTES] = {2};
    assert_ok(hb_joint_state_set(one.commitments, a, "first-alice.h5", "opened for other commitments",
                                 "begin a new session"));
    assert_ok(hb_joint_state_set(one.commitments, a, "first-alice.h5", "opened for other commitments",
                                 "begin a new session"));
    assert_refused(
        hb_joint_state_set(one.commitments, b, "first-alice.h5", "opened for other commitments", "begin a new session"),
        HB_EDATA, "first-alice.h5 was opened for other commitments: begin a new session");
    assert_ok(
        hb_joint_state_set(one.inputs, b, "second-alice.h5", "made from other first ones", "begin a new session"));
    assert_ok(
        hb_joint_state_set(one.inputs, b, "second-alice.h5", "made from other first ones", "begin a new session"));
    assert_refused(
        hb_joint_state_set(one.inputs, a, "second-alice.h5", "made from other first ones", "begin a new session"),
        HB_EDATA, "second-alice.h5 was made from other first ones: begin a new session");
    assert_memory_equal(one.commitments, a, sizeof a);
    assert_memory_equal(one.inputs, b, sizeof b);
}

/* A state is for one purpose, one owner and one id. */
static void other_states_are_refused(void **state)
{
    (void)state;
    const uint8_t id[HB_DIGEST_BYTES] = {1}, other[HB_DIGEST_BYTES] = {2};
    for (int i = 0; i < HB_JOINT_PURPOSES; i++) {
        const hb_joint_purpose purpose = (hb_joint_purpose)i, wrong = (hb_joint_purpose)((i + 1) % HB_JOINT_PURPOSES);
        const hb_joint_state one = hb_joint_state_begin(purpose, "alice", id);
        char words[80];
        assert_ok(hb_joint_state_check(&one, "s.h5", purpose, "alice", id));
        snprintf(words, sizeof words, "s.h5: is the state of another %s: take", hb_joint_purpose_words[i]);
        assert_refused(hb_joint_state_check(&one, "s.h5", purpose, "alice", other), HB_EDATA, words);
        assert_refused(hb_joint_state_check(&one, "s.h5", purpose, "bob", id), HB_EDATA,
                       "s.h5: is the state of alice, not of bob: take");
        snprintf(words, sizeof words, "s.h5: is the state of a %s, not of a %s: take", hb_joint_purpose_words[i],
                 hb_joint_purpose_words[wrong]);
        assert_refused(hb_joint_state_check(&one, "s.h5", wrong, "alice", id), HB_EDATA, words);
    }
}

static bool state_refused(const char *path, void *context)
{
    hb_joint_state read;
    if (hb_joint_state_read(path, &read) != HB_OK) {
        return true;
    }
    assert_equal(&read, context);
    hb_joint_state_clear(&read);
    return false;
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    const char *path = in_scratch("joint-2.h5");
    hb_joint_state one = sample();
    assert_ok(hb_joint_state_write(path, &one, true));
    damage_flip(path, state_refused, &one, NULL, 0, 5 * HB_DIGEST_BYTES + HB_KEY_ID_BYTES);
    damage_cut(path, state_refused, &one);
    uint8_t share[40];
    memset(share, 0x77, sizeof share);
    one.share = share;
    one.share_bytes = sizeof share;
    assert_ok(hb_joint_state_write(path, &one, false));
    damage_flip(path, state_refused, &one, NULL, 0, 5 * HB_DIGEST_BYTES + HB_KEY_ID_BYTES + sizeof share);
    damage_cut(path, state_refused, &one);
    const uint8_t sums[2][HB_DIGEST_BYTES] = {{9, 8}, {7, 6}};
    assert_ok(hb_checked_keys_add(&one.checked, sums[0]));
    assert_ok(hb_checked_keys_add(&one.checked, sums[1]));
    assert_ok(hb_joint_state_write(path, &one, false));
    damage_flip(path, state_refused, &one, NULL, 0, 5 * HB_DIGEST_BYTES + HB_KEY_ID_BYTES + sizeof share + sizeof sums);
    damage_cut(path, state_refused, &one);
    hb_checked_keys_clear(&one.checked);
}

HB_UNIT(state_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_survive),           cmocka_unit_test(shares_survive),
        cmocka_unit_test(lists_of_keys_survive),    cmocka_unit_test(steps_are_made_once),
        cmocka_unit_test(other_states_are_refused), cmocka_unit_test(damaged_states_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
