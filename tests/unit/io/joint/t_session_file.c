/* Files of sessions: round trips, sessions that no owner may take part in, damage. */
#include "unit/damage.h"

#include "io/joint/session_file.h"
#include "reference/joint_world.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {30, 31, 32}, 3, 65537};

static void assert_same(const hb_session_file *file, const joint_world *w)
{
    const hb_joint_session *a = &file->session, *b = &w->session;
    assert_true(hb_params_same(&file->spec, &w->params->spec));
    assert_int_equal(file->spec.joint.owners, b->owners);
    assert_int_equal(file->spec.joint.threshold, b->threshold);
    assert_int_equal(file->spec.joint.results, b->results);
    assert_memory_equal(file->spec.joint.session, w->id, sizeof w->id);
    assert_memory_equal(file->id, w->id, sizeof file->id);
    assert_int_equal(a->owners, b->owners);
    assert_memory_equal(a->cards, b->cards, b->owners * sizeof *b->cards);
    assert_int_equal(a->threshold, b->threshold);
    assert_int_equal(a->results, b->results);
    assert_int_equal(a->relin_limbs, b->relin_limbs);
    assert_int_equal(a->rotation_count, b->rotation_count);
    for (uint32_t i = 0; i < b->rotation_count; i++) {
        assert_int_equal(a->rotations[i].element, b->rotations[i].element);
        assert_int_equal(a->rotations[i].limbs, b->rotations[i].limbs);
    }
    assert_memory_equal(a->nonce, b->nonce, sizeof a->nonce);
    assert_memory_equal(a->params_digest, b->params_digest, sizeof a->params_digest);
}

static void sessions_survive(void **state)
{
    (void)state;
    static const uint32_t owners[] = {2, 3, JOINT_MOST};
    for (size_t k = 0; k < sizeof owners / sizeof *owners; k++) {
        joint_world w;
        hb_session_file file;
        char name[32];
        joint_world_open(&w, &chain, owners[k], 1);
        memset(w.cards[1].name, 'p', 32); /* the longest */
        for (uint32_t i = 2; i < owners[k]; i++) {
            w.cards[i].name[0] = 'q';
        }
        memset(w.session.nonce, 0x6e, sizeof w.session.nonce);
        w.session.rotation_count = (uint32_t)k; /* none, too */
        w.session.relin_limbs = k == 1 ? 0 : 1;
        w.session.threshold = owners[k] > 3 ? owners[k] - 1 : 2; /* all, and some */
        hb_joint_session_id(w.id, &w.session);
        snprintf(name, sizeof name, "session-%zu.h5", k);
        assert_ok(hb_joint_session_check(&w.session, w.params));
        assert_ok(hb_session_file_write(in_scratch(name), &w.params->spec, &w.session));
        assert_ok(hb_session_file_read(in_scratch(name), &file));
        assert_same(&file, &w);
        hb_session_file_clear(&file);
        assert_refused(hb_session_file_write(in_scratch(name), &w.params->spec, &w.session), HB_ECREATE, "exists");
        joint_world_close(&w);
    }
    hb_session_file none;
    assert_refused(hb_session_file_read(in_scratch("none.h5"), &none), HB_ENOINPUT, "none.h5");
}

/* Sessions that somebody made by hand: the file is whole, and the session no good. */
static void bad_sessions_are_refused(void **state)
{
    (void)state;
    joint_world w;
    hb_session_file file;
    joint_world_open(&w, &chain, 3, 1);
    const hb_joint_session good = w.session;
    const hb_owner_card card = w.cards[1];
    for (int i = 0; i < 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "bad-%d.h5", i);
        static const char *const words[] = {"2 to 64 of",   "threshold", "no results",        "no such level",
                                            "out of range", "two cards", "1 to 32 characters"};
        switch (i) {
        case 0:
            w.session.owners = 1;
            break;
        case 1:
            w.session.threshold = 4; /* of 3 */
            break;
        case 2:
            w.session.results = 0;
            break;
        case 3:
            w.session.relin_limbs = 3;
            break;
        case 4:
            w.rotations[0].element = 2048;
            break;
        case 5:
            w.cards[1] = w.cards[0];
            break;
        default:
            w.cards[1].name[5] = '/';
            break;
        }
        assert_ok(hb_session_file_write(in_scratch(name), &w.params->spec, &w.session));
        assert_refused(hb_session_file_read(in_scratch(name), &file), HB_EDATA, words[i]);
        assert_null(file.cards);
        w.session = good;
        w.cards[1] = card;
        w.rotations[0].element = 3;
    }
    w.session.params_digest[0] ^= 1; /* in the id, and not that of the parameters */
    assert_ok(hb_session_file_write(in_scratch("bad-id.h5"), &w.params->spec, &w.session));
    assert_refused(hb_session_file_read(in_scratch("bad-id.h5"), &file), HB_EDATA, "its id is not");
    joint_world_close(&w);
}

static bool session_refused(const char *path, void *context)
{
    hb_session_file file;
    if (hb_session_file_read(path, &file) != HB_OK) {
        return true;
    }
    assert_same(&file, context);
    hb_session_file_clear(&file);
    return false;
}

static void damaged_sessions_are_refused(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chain, 2, 1);
    const char *path = in_scratch("session.h5");
    assert_ok(hb_session_file_write(path, &w.params->spec, &w.session));
    damage_flip(path, session_refused, &w, NULL, 0, 2 * 3 * HB_CARD_KEY_BYTES + HB_CARD_KEY_BYTES);
    damage_cut(path, session_refused, &w);
    joint_world_close(&w);
}

static void bytes_behind_names_are_refused(void **state)
{
    (void)state;
    joint_world w;
    hb_session_file file;
    size_t bytes, at = 0;
    const char *path = in_scratch("behind.h5");
    joint_world_open(&w, &chain, 2, 1);
    strcpy(w.cards[1].name, "owner-01-long");
    assert_ok(hb_session_file_write(path, &w.params->spec, &w.session));
    uint8_t *image = slurp(path, &bytes);
    while (at < bytes && memcmp(image + at, "owner-00\0\0\0\0\0owner-01-long", 26) != 0) {
        at++;
    }
    assert_true(at < bytes);
    image[at + 10] = 'x';
    spit(path, image, bytes);
    assert_refused(hb_session_file_read(path, &file), HB_EDATA, "has bytes behind the end of a name");
    free(image);
    joint_world_close(&w);
}

HB_UNIT(session_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_survive),
        cmocka_unit_test(bad_sessions_are_refused),
        cmocka_unit_test(damaged_sessions_are_refused),
        cmocka_unit_test(bytes_behind_names_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
