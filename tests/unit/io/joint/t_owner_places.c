/* Places of an owner's files. */
#include "unit/damage.h"

#include "io/joint/place.h"
#include "unit/unit.h"

static const uint8_t id[HB_DIGEST_BYTES] = {0x01, 0xab, 0x00, 0xff, 0x77}, later[HB_DIGEST_BYTES] = {0xde, 0xad, 0, 1};

static void expect(char *path, const char *wanted)
{
    assert_string_equal(path, wanted);
    free(path);
}

static void files_stand_beside_the_party(void **state)
{
    (void)state;
    char *path;
    assert_ok(hb_joint_place(&path, "alice/party.h5", id, HB_STATE_ENDING));
    expect(path, "alice/joint-01ab00ff.h5");
    assert_ok(hb_joint_place(&path, "/k/p.h5", id, HB_LEDGER_ENDING));
    expect(path, "/k/joint-01ab00ff.parts");
}

static void files_stand_beside_the_state(void **state)
{
    (void)state;
    char *path;
    assert_ok(hb_joint_place_beside(&path, "alice/joint-01ab00ff.h5", NULL, HB_LEDGER_ENDING));
    expect(path, "alice/joint-01ab00ff.parts");
    assert_ok(hb_joint_place_beside(&path, "alice/joint-01ab00ff.h5", later, HB_STATE_ENDING));
    expect(path, "alice/joint-01ab00ff-dead0001.h5");
    assert_ok(hb_joint_place_beside(&path, "bare", later, HB_STATE_ENDING)); /* a name without the ending */
    expect(path, "bare-dead0001.h5");
    assert_ok(hb_joint_place_beside(&path, ".h5", NULL, HB_STATE_ENDING));
    expect(path, ".h5.h5");
}

HB_UNIT(owner_places)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_stand_beside_the_party),
        cmocka_unit_test(files_stand_beside_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
