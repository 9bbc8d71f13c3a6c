/* Sessions: what they refuse, and that their id and seeds depend on all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/joint_world.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {36, 40, 50}, 3, 65537};

static void expect(joint_world *w, hb_status status)
{
    assert_int_equal(hb_joint_session_check(&w->session, w->params), status);
}

static void bad_sessions_are_refused(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chain, 3, 1);
    const hb_joint_session good = w.session;
    const hb_owner_card card = w.cards[1];
    expect(&w, HB_OK);

    static const char *const names[] = {"", "Owner", "owner 1", "owner_1", "../x", "owner-00", "owner-02", "a"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        memset(w.cards[1].name, 0, sizeof w.cards[1].name);
        strcpy(w.cards[1].name, names[i]);
        expect(&w, HB_EUSAGE);
    }
    memset(w.cards[1].name, 'p', sizeof w.cards[1].name); /* no end */
    expect(&w, HB_EUSAGE);
    w.cards[1].name[32] = 0;
    w.cards[2].name[0] = 'q';
    expect(&w, HB_OK);
    w.cards[2].name[0] = 'o';
    w.cards[1] = card;

    w.session.owners = 1;
    expect(&w, HB_EUSAGE);
    w.session.owners = HB_MOST_OWNERS + 1;
    expect(&w, HB_EUSAGE);
    w.session = good;
    for (uint32_t threshold = 0; threshold <= 5; threshold++) {
        w.session.threshold = threshold;
        expect(&w, threshold == 2 || threshold == 3 ? HB_OK : HB_EUSAGE);
    }
    w.session = good;
    w.session.results = 0;
    expect(&w, HB_EUSAGE);
    w.session = good;
    w.session.params_digest[31] ^= 1;
    expect(&w, HB_EDATA);
    w.session = good;
    w.session.security.level = 192; /* than these parameters claim */
    expect(&w, HB_EDATA);
    w.session = good;
    w.session.insecure = !good.insecure;
    expect(&w, HB_EDATA);
    w.session = good;
    w.session.relin_limbs = w.params->data_limbs + 1;
    expect(&w, HB_EDATA);
    w.session.relin_limbs = 0;
    expect(&w, HB_OK);
    const hb_joint_rotation bad[] = {{2, 2}, {2049, 2}, {3, 0}, {3, 3}, {2047, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        w.rotations[0] = bad[i];
        expect(&w, HB_EDATA);
    }
    w.rotations[0] = (hb_joint_rotation){3, 1};
    expect(&w, HB_OK);
    joint_world_close(&w);
}

static void parameters_without_switching_or_of_ckks_are_refused(void **state)
{
    (void)state;
    const joint_chain one = {1024, {40}, 1, 65537};
    joint_world w;
    memset(&w, 0, sizeof w);
    joint_world_open(&w, &one, 2, 1);
    expect(&w, HB_ECONFIG);
    w.session.relin_limbs = w.session.rotation_count = 0;
    expect(&w, HB_OK);
    joint_world_close(&w);
    hb_params_spec spec;
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w.params), HB_OK);
    hb_joint_session_for(&w.session, w.params);
    expect(&w, HB_ECONFIG);
    hb_params_close(w.params);
}

/* Every field changes the id, and no two of these sessions have the same one. */
static void ids_depend_on_every_field(void **state)
{
    (void)state;
    enum { IDS = 18 };
    joint_world w;
    uint8_t ids[IDS][HB_DIGEST_BYTES];
    joint_world_open(&w, &chain, 3, 1);
    for (int i = 0; i < IDS; i++) {
        joint_session_of(&w, 3);
        hb_joint_session *s = &w.session;
        switch (i) {
        case 1:
            s->owners = 2;
            break;
        case 2:
            s->threshold = 2;
            break;
        case 3:
            s->results++;
            break;
        case 4:
            s->relin_limbs = 1;
            break;
        case 5:
            s->rotation_count = 1;
            break;
        case 6:
            w.rotations[0].element = 5;
            break;
        case 7:
            w.rotations[1].limbs = 1;
            break;
        case 8:
            s->nonce[0] ^= 1;
            break;
        case 9:
            s->params_digest[0] ^= 1;
            break;
        case 10:
            w.cards[2].name[7] = '9';
            break;
        case 11:
            w.cards[2].sign[31] ^= 1;
            break;
        case 12:
            w.cards[0].box[0] ^= 1;
            break;
        case 13:
            s->security.level = 192;
            break;
        case 14:
            s->security.table = HB_SECURITY_2024;
            break;
        case 15:
            s->security.quantum = true;
            break;
        case 16:
            s->insecure = !s->insecure;
            break;
        case 17:
            s->secret = HB_BINOMIAL;
            break;
        default:
            break;
        }
        hb_joint_session_id(ids[i], s);
        for (int j = 0; j < i; j++) {
            assert_memory_not_equal(ids[i], ids[j], sizeof ids[i]);
        }
    }
    joint_world_close(&w);
}

static void seeds_are_all_different(void **state)
{
    (void)state;
    enum { EACH = 3, SEEDS = 1 + 3 * EACH };
    const uint8_t id[HB_DIGEST_BYTES] = {1}, other[HB_DIGEST_BYTES] = {2};
    hb_seed seeds[SEEDS];
    hb_joint_public_seed(&seeds[0], id);
    hb_joint_switch_seeds(seeds + 1, EACH, id, HB_RELINEARIZATION);
    hb_joint_switch_seeds(seeds + 1 + EACH, EACH, id, 3);
    hb_joint_switch_seeds(seeds + 1 + 2 * EACH, EACH, other, 3);
    for (size_t i = 0; i < SEEDS; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(&seeds[i], &seeds[j], sizeof seeds[i]);
        }
    }
}

HB_UNIT(session)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_sessions_are_refused),
        cmocka_unit_test(parameters_without_switching_or_of_ckks_are_refused),
        cmocka_unit_test(ids_depend_on_every_field),
        cmocka_unit_test(seeds_are_all_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
