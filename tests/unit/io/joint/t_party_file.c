/* Files of owners' secrets: round trips, in the clear and sealed, modes, damage. */
#include "unit/damage.h"

#include "io/joint/party_file.h"
#include "unit/unit.h"

static const hb_seed root = {{1, 2, 3}}, with = {{4}}, other = {{5}};
static const hb_key_seal_how cheap = {.passes = 1, .memory = 8192, .salt = {1, 2, 3}};

static void assert_alice(const hb_party_file *party)
{
    hb_owner_card card;
    uint8_t print[HB_DIGEST_BYTES];
    assert_ok(hb_party_card(&card, &root, "alice"));
    hb_card_fingerprint(print, &card);
    assert_string_equal(party->name, "alice");
    assert_memory_equal(party->card, print, sizeof print);
    assert_memory_equal(&party->root, &root, sizeof root);
}

static void parties_survive(void **state)
{
    (void)state;
    const char *path = in_scratch(HB_PARTY_FILE);
    hb_party_file party, read;
    struct stat info;
    assert_refused(hb_party_file_init(&party, "Alice", &root), HB_EUSAGE, "1 to 32 characters");
    assert_ok(hb_party_file_init(&party, "alice", &root));
    assert_ok(hb_party_file_write(path, &party));
    assert_refused(hb_party_file_write(path, &party), HB_ECREATE, "exists");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_ok(hb_party_file_read(path, &read));
    assert_alice(&read);
    hb_party_file_clear(&read);
    hb_party_file_clear(&party);
    static const mode_t modes[] = {0640, 0604, 0620, 0601};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_refused(hb_party_file_read(path, &read), HB_EPERM, "chmod 600");
    }
    assert_refused(hb_party_file_read(in_scratch("none.h5"), &read), HB_ENOINPUT, "none.h5");
}

static void sealed_parties_open_with_their_key_alone(void **state)
{
    (void)state;
    const char *path = in_scratch("sealed.h5");
    hb_party_file party, read;
    assert_ok(hb_party_file_init(&party, "alice", &root));
    assert_ok(hb_party_file_seal(&party, &cheap, &with));
    assert_memory_not_equal(&party.root, &root, sizeof root);
    assert_ok(hb_party_file_write(path, &party));
    hb_party_file_clear(&party);
    size_t bytes;
    uint8_t *data = slurp(path, &bytes);
    assert_null(memmem(data, bytes, &root, sizeof root));
    free(data);
    assert_ok(hb_party_file_read(path, &read));
    assert_non_null(read.seal);
    assert_refused(hb_party_file_unseal(&read, path, &other), HB_EPERM, "the passphrase is not that of this key");
    read.name[0] = 'b'; /* what stands beside the box counts */
    assert_refused(hb_party_file_unseal(&read, path, &with), HB_EPERM, "passphrase");
    read.name[0] = 'a';
    assert_ok(hb_party_file_unseal(&read, path, &with));
    assert_null(read.seal);
    assert_alice(&read);
    hb_party_file_clear(&read);
}

/* A name has up to 32 characters. */
static void long_names_survive(void **state)
{
    (void)state;
    static const char *const names[] = {"a123456789012345678901234567890", "a1234567890123456789012345678901"};
    const char *path = in_scratch("long.h5");
    for (size_t i = 0; i < 2; i++) {
        hb_party_file party, read;
        assert_ok(hb_party_file_init(&party, names[i], &root));
        assert_ok(hb_party_file_write(path, &party));
        assert_ok(hb_party_file_read(path, &read));
        assert_string_equal(read.name, names[i]);
        hb_party_file_clear(&read);
        hb_party_file_clear(&party);
        assert_int_equal(unlink(path), 0);
    }
}

static bool party_refused(const char *path, void *context)
{
    (void)context;
    hb_party_file read;
    hb_status st = hb_party_file_read(path, &read);
    if (st == HB_OK && read.seal != NULL) {
        st = hb_party_file_unseal(&read, path, &with);
    }
    if (st == HB_OK) {
        assert_alice(&read);
    }
    hb_party_file_clear(&read);
    return st != HB_OK;
}

static void damaged_parties_are_refused(void **state)
{
    (void)state;
    for (int sealed = 0; sealed < 2; sealed++) {
        const char *path = in_scratch(sealed ? "d-sealed.h5" : "d.h5");
        hb_party_file party;
        assert_ok(hb_party_file_init(&party, "alice", &root));
        if (sealed) {
            assert_ok(hb_party_file_seal(&party, &cheap, &with));
        }
        assert_ok(hb_party_file_write(path, &party));
        hb_party_file_clear(&party);
        damage_flip(path, party_refused, NULL, NULL, 0, HB_SEED_BYTES + HB_DIGEST_BYTES);
        damage_cut(path, party_refused, NULL);
    }
}

HB_UNIT(party_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parties_survive),
        cmocka_unit_test(long_names_survive),
        cmocka_unit_test(sealed_parties_open_with_their_key_alone),
        cmocka_unit_test(damaged_parties_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
