/* Files of later rounds: round trips, rounds that no owner may take part in, damage. */
#include "unit/damage.h"

#include "io/joint/more_file.h"
#include "reference/joint_world.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {30, 31, 32}, 3, 65537};

/* A session, and a round of it. */
typedef struct setting {
    joint_world w;
    hb_session_file of;
    hb_joint_round round;
    hb_joint_rotation rotations[2];
} setting;

static void setting_open(setting *s, const char *session)
{
    joint_world *w = &s->w;
    joint_world_open(w, &chain, 3, 1);
    assert_ok(hb_session_file_write(in_scratch(session), &w->params->spec, &w->session));
    assert_ok(hb_session_file_read(in_scratch(session), &s->of));
    s->round = (hb_joint_round){.number = 7, .session = s->of.session};
    s->rotations[0] = (hb_joint_rotation){5, 1};
    s->rotations[1] = (hb_joint_rotation){9, 2};
    s->round.session.rotations = s->rotations;
    s->round.session.rotation_count = 2;
    s->round.session.relin_limbs = 1;
    memset(s->round.session.nonce, 0x6e, sizeof s->round.session.nonce);
    hb_joint_round_id(s->round.id, s->of.id, &s->round);
}

static void setting_close(setting *s)
{
    hb_session_file_clear(&s->of);
    joint_world_close(&s->w);
}

static hb_status read_round(const setting *s, const char *path, uint32_t number, hb_more_file *file)
{
    return hb_more_file_read(path, number, &s->of, s->w.params, file);
}

static void assert_same(const hb_more_file *file, const setting *s)
{
    const hb_joint_session *a = &file->round.session, *b = &s->round.session;
    assert_int_equal(file->round.number, s->round.number);
    assert_memory_equal(file->round.id, s->round.id, sizeof s->round.id);
    assert_int_equal(a->owners, b->owners);
    assert_ptr_equal(a->cards, s->of.cards);
    assert_int_equal(a->threshold, b->threshold);
    assert_int_equal(a->relin_limbs, b->relin_limbs);
    assert_int_equal(a->rotation_count, b->rotation_count);
    for (uint32_t i = 0; i < b->rotation_count; i++) {
        assert_int_equal(a->rotations[i].element, b->rotations[i].element);
        assert_int_equal(a->rotations[i].limbs, b->rotations[i].limbs);
    }
    assert_memory_equal(a->nonce, b->nonce, sizeof a->nonce);
}

static void rounds_survive(void **state)
{
    (void)state;
    setting s;
    hb_more_file file;
    setting_open(&s, "survive-session.h5");
    for (uint32_t count = 0; count <= 2; count++) {
        char name[32];
        snprintf(name, sizeof name, "survive-%u.h5", (unsigned)count);
        s.round.session.rotation_count = count;
        s.round.session.relin_limbs = count == 2 ? 0 : 2;
        hb_joint_round_id(s.round.id, s.of.id, &s.round);
        assert_ok(hb_more_file_write(in_scratch(name), &s.of, &s.round));
        assert_refused(hb_more_file_write(in_scratch(name), &s.of, &s.round), HB_ECREATE, "exists");
        assert_ok(read_round(&s, in_scratch(name), 7, &file));
        assert_same(&file, &s);
        hb_more_file_clear(&file);
        assert_refused(read_round(&s, in_scratch(name), 6, &file), HB_EDATA, "is round 7 of its session, not 6");
        assert_refused(read_round(&s, in_scratch("survive-session.h5"), 7, &file), HB_EDATA, "is of kind 'session'");
    }
    assert_refused(read_round(&s, in_scratch("none.h5"), 7, &file), HB_ENOINPUT, "none.h5");
    setting_close(&s);
}

/* Whole files, whose rounds are no good. */
static void bad_rounds_are_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"is a round for no keys", "no such level", "odd, below 2 N",
                                        "its id is not that", "odd, below 2 N"};
    setting s;
    hb_more_file file;
    setting_open(&s, "bad-session.h5");
    const hb_joint_round good = s.round;
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "bad-%d.h5", i);
        s.round = good;
        s.rotations[1] = (hb_joint_rotation){9, 2};
        switch (i) {
        case 0:
            s.round.session.rotation_count = s.round.session.relin_limbs = 0;
            break;
        case 1:
            s.round.session.relin_limbs = 3;
            break;
        case 2:
            s.rotations[1].element = 8;
            break;
        case 3:
            break;
        default:
            s.rotations[1].element = 5; /* twice */
            break;
        }
        hb_joint_round_id(s.round.id, s.of.id, &s.round);
        s.round.id[0] ^= i == 3;
        assert_ok(hb_more_file_write(in_scratch(name), &s.of, &s.round));
        assert_refused(read_round(&s, in_scratch(name), 7, &file), HB_EDATA, words[i]);
        assert_null(file.rotations);
    }
    s.round = good;
    assert_ok(hb_more_file_write(in_scratch("of-other.h5"), &s.of, &s.round));
    s.of.id[0] ^= 1;
    assert_refused(read_round(&s, in_scratch("of-other.h5"), 7, &file), HB_EDATA, "is a round of another session");
    setting_close(&s);
}

static bool round_refused(const char *path, void *context)
{
    hb_more_file file;
    if (read_round(context, path, 7, &file) != HB_OK) {
        return true;
    }
    assert_same(&file, context);
    hb_more_file_clear(&file);
    return false;
}

static void damaged_rounds_are_refused(void **state)
{
    (void)state;
    setting s;
    setting_open(&s, "damaged-session.h5");
    const char *path = in_scratch("damaged.h5");
    assert_ok(hb_more_file_write(path, &s.of, &s.round));
    damage_flip(path, round_refused, &s, NULL, 0, 3 * HB_DIGEST_BYTES + 4 * sizeof(uint64_t));
    damage_cut(path, round_refused, &s);
    setting_close(&s);
}

HB_UNIT(more_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_survive),
        cmocka_unit_test(bad_rounds_are_refused),
        cmocka_unit_test(damaged_rounds_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
