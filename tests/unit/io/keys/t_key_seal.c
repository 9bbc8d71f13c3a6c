/* Secret keys under a passphrase: nothing of the secret stands in the file, another passphrase opens nothing, and a
 * flip of any byte is refused or changes nothing. */
#include "scheme/params.h"
#include "unit/damage.h"

#include "base/seed.h"
#include "io/keys/key_seal.h"
#include "unit/unit.h"

/* The least that Argon2id takes. */
static const hb_key_seal_how cheap = {.passes = 1, .memory = 8192, .salt = {1, 2, 3}};
static const hb_seed with = {{5, 6, 7}}, other = {{5, 6, 8}};

static void make_secret(hb_keyfile *key, bool rooted)
{
    *key = (hb_keyfile){.kind = HB_KEY_SECRET};
    assert_ok(hb_params_preset("bfv-4096", &key->spec));
    memset(key->key_id, 0xc3, sizeof key->key_id);
    key->ternary = malloc(key->spec.n);
    uint64_t state = 5;
    for (size_t i = 0; i < key->spec.n; i++) {
        key->ternary[i] = (int8_t)((int)(noise(&state) % 3) - 1);
    }
    if (rooted) {
        assert_ok(hb_keyfile_set_root(key, &(hb_seed){{9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}));
    }
}

static bool same_secret(const hb_keyfile *a, const hb_keyfile *b)
{
    return memcmp(a->ternary, b->ternary, a->spec.n) == 0 && (a->root == NULL) == (b->root == NULL) &&
           (a->root == NULL || memcmp(a->root, b->root, sizeof *a->root) == 0);
}

static void round_trips(void **state)
{
    (void)state;
    for (int rooted = 0; rooted < 2; rooted++) {
        hb_keyfile key, open, read;
        make_secret(&key, rooted);
        make_secret(&open, rooted);
        assert_ok(hb_keyfile_seal(&key, &cheap, &with));
        assert_true(hb_keyfile_is_sealed(&key) && key.ternary == NULL && key.root == NULL);
        const char *path = in_scratch(rooted ? "rooted.h5" : "plain.h5");
        assert_ok(hb_keyfile_write(path, &key));
        size_t bytes;
        uint8_t *image = slurp(path, &bytes);
        assert_null(memmem(image, bytes, open.ternary, 32));
        assert_true(!rooted || memmem(image, bytes, open.root->seed.bytes, 16) == NULL);
        free(image);
        assert_ok(hb_keyfile_read(path, &read));
        assert_true(hb_keyfile_is_sealed(&read) && read.ternary == NULL && read.root == NULL);
        assert_refused(hb_keyfile_unseal(&read, "key", &other), HB_EPERM, "passphrase");
        assert_true(hb_keyfile_is_sealed(&read) && read.ternary == NULL && read.root == NULL);
        assert_ok(hb_keyfile_unseal(&read, "key", &with));
        assert_true(!hb_keyfile_is_sealed(&read) && same_secret(&read, &open));
        hb_keyfile_clear(&read);
        hb_keyfile_clear(&open);
        hb_keyfile_clear(&key);
    }
}

/* A key that is sealed twice looks different: its nonce is fresh. */
static void seals_differ(void **state)
{
    (void)state;
    hb_keyfile a, b;
    make_secret(&a, true);
    make_secret(&b, true);
    assert_ok(hb_keyfile_seal(&a, &cheap, &with));
    assert_ok(hb_keyfile_seal(&b, &cheap, &with));
    assert_memory_not_equal(a.seal->nonce, b.seal->nonce, sizeof a.seal->nonce);
    assert_memory_not_equal(a.seal->box, b.seal->box, a.spec.n);
    hb_keyfile_clear(&a);
    hb_keyfile_clear(&b);
}

/* The data beside a sealed secret cannot be exchanged, not even with a checksum that agrees. */
static void surroundings_count(void **state)
{
    (void)state;
    hb_keyfile key, read;
    make_secret(&key, true);
    assert_ok(hb_keyfile_seal(&key, &cheap, &with));
    key.key_id[2] ^= 1;
    assert_ok(hb_keyfile_write(in_scratch("renamed.h5"), &key));
    assert_ok(hb_keyfile_read(in_scratch("renamed.h5"), &read));
    assert_refused(hb_keyfile_unseal(&read, "key", &with), HB_EPERM, "passphrase");
    hb_keyfile_clear(&read);
    hb_keyfile_clear(&key);
}

/* A file that asks for 4 PiB or for years is refused before anything is tried. */
static void hostile_costs(void **state)
{
    (void)state;
    static const hb_key_seal_how hows[] = {{.passes = 1, .memory = (uint64_t)1 << 52},
                                           {.passes = (uint64_t)1 << 40, .memory = 8192},
                                           {.passes = 0, .memory = 8192},
                                           {.passes = 1, .memory = 8191},
                                           {.passes = UINT64_MAX, .memory = UINT64_MAX}};
    for (size_t i = 0; i < sizeof hows / sizeof hows[0]; i++) {
        char name[32];
        hb_keyfile key, read = {.ternary = NULL};
        snprintf(name, sizeof name, "hostile-%zu.h5", i);
        make_secret(&key, true);
        assert_ok(hb_keyfile_seal(&key, &hows[i], &with));
        assert_ok(hb_keyfile_write(in_scratch(name), &key));
        assert_int_equal(hb_keyfile_read(in_scratch(name), &read), HB_EDATA);
        assert_null(read.seal);
        hb_keyfile_clear(&key);
    }
}

/* Tries a changed image; true if it is refused, when it is read or when it is opened. */
static bool is_refused(const char *path, void *context)
{
    const hb_keyfile *open = context;
    hb_keyfile read;
    if (hb_keyfile_read(path, &read) != HB_OK) {
        return true;
    }
    const bool refused = hb_keyfile_is_sealed(&read) && hb_keyfile_unseal(&read, "key", &with) != HB_OK;
    assert_true(refused || same_secret(&read, open));
    hb_keyfile_clear(&read);
    return refused;
}

static void damage(void **state)
{
    (void)state;
    hb_keyfile key, open;
    char path[256];
    snprintf(path, sizeof path, "%s", in_scratch("damaged.h5"));
    make_secret(&key, true);
    make_secret(&open, true);
    assert_ok(hb_keyfile_seal(&key, &cheap, &with));
    assert_ok(hb_keyfile_write(path, &key));
    damage_flip(path, is_refused, &open, NULL, 0, key.spec.n);
    damage_cut(path, is_refused, &open);
    hb_keyfile_clear(&open);
    hb_keyfile_clear(&key);
}

/* Another passphrase takes the place of the first; the rest of a killed run does no harm. */
static void replaced(void **state)
{
    (void)state;
    hb_keyfile key, read;
    struct stat info;
    const char *path = in_scratch("changed.h5");
    make_secret(&key, true);
    assert_ok(hb_keyfile_write(path, &key));
    spit(in_scratch("changed.h5.new"), "left", 4);
    assert_ok(hb_keyfile_seal(&key, &cheap, &with));
    assert_ok(hb_keyfile_replace(path, &key));
    assert_false(is_there(in_scratch("changed.h5.new")));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_ok(hb_keyfile_read(path, &read));
    assert_ok(hb_keyfile_unseal(&read, path, &with));
    hb_keyfile_clear(&read);
    hb_keyfile_clear(&key);
}

static void derived_keys(void **state)
{
    (void)state;
    const hb_passphrase one = {"correct horse", 13}, two = {"correct horsf", 13}, zero = {"correct horse", 14};
    hb_key_seal_how how = cheap;
    hb_seed a, b;
    assert_ok(hb_key_seal_derive(&how, &one, &a));
    assert_ok(hb_key_seal_derive(&how, &one, &b));
    assert_memory_equal(&a, &b, sizeof a);
    assert_ok(hb_key_seal_derive(&how, &two, &b));
    assert_memory_not_equal(&a, &b, sizeof a);
    assert_ok(hb_key_seal_derive(&how, &zero, &b)); /* all bytes count, also 0 */
    assert_memory_not_equal(&a, &b, sizeof a);
    how.salt[15] ^= 1;
    assert_ok(hb_key_seal_derive(&how, &one, &b));
    assert_memory_not_equal(&a, &b, sizeof a);
    for (int cost = 0; cost < HB_SEAL_COSTS; cost++) {
        hb_key_seal_begin(&how, (hb_seal_cost)cost);
        assert_true(how.memory == (uint64_t)64 << 20 << 2 * cost && how.passes >= 2);
        assert_memory_not_equal(how.salt, cheap.salt, sizeof how.salt);
    }
}

HB_UNIT(key_seal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),   cmocka_unit_test(seals_differ), cmocka_unit_test(surroundings_count),
        cmocka_unit_test(hostile_costs), cmocka_unit_test(damage),       cmocka_unit_test(replaced),
        cmocka_unit_test(derived_keys)};
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
