/* Key files: round trips, modes, refusals; lengths cut short and a flip of every byte are refused or
 * change nothing. */
#include "scheme/params.h"
#include "unit/damage.h"

#include <hdf5.h>

#include "base/seed.h"
#include "io/keys/keyfile.h"
#include "joint/session.h"
#include "unit/literals.h"
#include "unit/unit.h"

static void make_secret(hb_keyfile *key)
{
    *key = (hb_keyfile){.kind = HB_KEY_SECRET};
    assert_ok(hb_params_preset("bfv-4096", &key->spec));
    memset(key->key_id, 0xc3, sizeof key->key_id);
    key->ternary = malloc(key->spec.n);
    uint64_t state = 5;
    for (size_t i = 0; i < key->spec.n; i++) {
        key->ternary[i] = (int8_t)((int)(noise(&state) % 3) - 1);
    }
}

static void make_public(hb_keyfile *key)
{
    *key = (hb_keyfile){.kind = HB_KEY_PUBLIC};
    hb_params *params;
    assert_ok(hb_params_preset("bfv-4096", &key->spec));
    assert_ok(hb_params_open(&key->spec, &params));
    key->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    key->packed_b = malloc(key->packed_bytes);
    uint64_t state = 6;
    for (size_t i = 0; i < key->packed_bytes; i++) {
        key->packed_b[i] = (uint8_t)noise(&state);
    }
    memset(&key->public_seed, 0x77, sizeof key->public_seed);
    hb_key_id(key->key_id, params, &key->public_seed, key->packed_b, NULL);
    hb_params_close(params);
}

/* As another program makes it: its second component is no seed of ours. */
static void make_public_of_another(hb_keyfile *key)
{
    hb_params *params;
    make_public(key);
    memset(&key->public_seed, 0, sizeof key->public_seed);
    key->packed_a = malloc(key->packed_bytes);
    uint64_t state = 7;
    for (size_t i = 0; i < key->packed_bytes; i++) {
        key->packed_a[i] = (uint8_t)noise(&state);
    }
    assert_ok(hb_params_open(&key->spec, &params));
    hb_key_id(key->key_id, params, NULL, key->packed_b, key->packed_a);
    hb_params_close(params);
}

static bool equal(const hb_keyfile *a, const hb_keyfile *b)
{
    if (a->kind != b->kind || !same_literal(&a->spec, &b->spec) ||
        memcmp(a->key_id, b->key_id, sizeof a->key_id) != 0) {
        return false;
    }
    return a->kind == HB_KEY_SECRET
               ? memcmp(a->ternary, b->ternary, a->spec.n) == 0
               : a->packed_bytes == b->packed_bytes && memcmp(a->packed_b, b->packed_b, a->packed_bytes) == 0 &&
                     (a->packed_a == NULL) == (b->packed_a == NULL) &&
                     (a->packed_a == NULL || memcmp(a->packed_a, b->packed_a, a->packed_bytes) == 0) &&
                     memcmp(&a->public_seed, &b->public_seed, sizeof a->public_seed) == 0;
}

static void test_round_trip(void **state)
{
    (void)state;
    hb_keyfile key, read;
    struct stat info;
    umask(0);
    make_secret(&key);
    assert_ok(hb_keyfile_write(in_scratch("secret.h5"), &key));
    assert_int_equal(stat(in_scratch("secret.h5"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_ok(hb_keyfile_read(in_scratch("secret.h5"), &read));
    assert_true(equal(&key, &read));
    hb_keyfile_clear(&read);
    assert_null(read.ternary);
    assert_refused(hb_keyfile_write(in_scratch("secret.h5"), &key), HB_ECREATE, "exists already");
    assert_refused(hb_keyfile_write(in_scratch("secret.h5/a"), &key), HB_ECREATE, "Not a directory");
    hb_keyfile_clear(&key);

    make_public(&key);
    assert_ok(hb_keyfile_write(in_scratch("public.h5"), &key));
    assert_int_equal(stat(in_scratch("public.h5"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0644);
    assert_ok(hb_keyfile_read(in_scratch("public.h5"), &read));
    assert_true(equal(&key, &read));
    hb_keyfile_clear(&read);

    key.key_id[3] ^= 1; /* another identity, with a checksum that agrees */
    assert_ok(hb_keyfile_write(in_scratch("forged.h5"), &key));
    assert_refused(hb_keyfile_read(in_scratch("forged.h5"), &read), HB_EDATA, "identity");
    key.key_id[3] ^= 1;
    key.spec.primes[0] += 2; /* parameters that cannot be */
    assert_ok(hb_keyfile_write(in_scratch("odd.h5"), &key));
    assert_refused(hb_keyfile_read(in_scratch("odd.h5"), &read), HB_EDATA, "parameters are not usable");
    hb_keyfile_clear(&key);
}

static void test_public_of_another(void **state)
{
    (void)state;
    hb_keyfile key, read;
    make_public_of_another(&key);
    assert_ok(hb_keyfile_write(in_scratch("another.h5"), &key));
    assert_ok(hb_keyfile_read(in_scratch("another.h5"), &read));
    assert_true(equal(&key, &read));
    hb_keyfile_clear(&read);
    assert_null(read.packed_a);
    size_t bytes;
    uint8_t *data = slurp(in_scratch("another.h5"), &bytes);
    for (size_t at = bytes - 3 * key.packed_bytes / 2; at < bytes; at += key.packed_bytes) { /* in b, in a */
        data[at] ^= 1;
        spit(in_scratch("another-damaged.h5"), data, bytes);
        assert_refused(hb_keyfile_read(in_scratch("another-damaged.h5"), &read), HB_EDATA, "checksum");
        data[at] ^= 1;
    }
    free(data);
    key.packed_a[17] ^= 1; /* another a, with a checksum that agrees */
    assert_ok(hb_keyfile_write(in_scratch("forged-a.h5"), &key));
    assert_refused(hb_keyfile_read(in_scratch("forged-a.h5"), &read), HB_EDATA, "identity");
    hb_keyfile_clear(&key);
}

/* HDF5 alone sees the same key. */
static void test_plain_hdf5(void **state)
{
    (void)state;
    hb_keyfile key;
    make_secret(&key);
    assert_ok(hb_keyfile_write(in_scratch("plain.h5"), &key));
    hid_t file = H5Fopen(in_scratch("plain.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t ternary = H5Dopen2(file, "/ternary", H5P_DEFAULT), primes = H5Dopen2(file, "/params/primes", H5P_DEFAULT);
    int8_t values[4096];
    uint64_t q[HB_MAX_LIMBS];
    assert_true(H5Dread(ternary, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, key.ternary, sizeof values);
    assert_true(H5Dread(primes, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, q) >= 0);
    assert_memory_equal(q, key.spec.primes, key.spec.key_limbs * sizeof q[0]);
    H5Dclose(primes);
    H5Dclose(ternary);
    H5Fclose(file);
    hb_keyfile_clear(&key);
}

static void test_refusals(void **state)
{
    (void)state;
    hb_keyfile key, read = {.kind = HB_KEY_SECRET};
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("modes.h5"));
    make_secret(&key);
    assert_ok(hb_keyfile_write(path, &key));
    const mode_t open_modes[] = {0640, 0604, 0660, 0610, 0601};
    for (size_t i = 0; i < sizeof open_modes / sizeof open_modes[0]; i++) {
        assert_int_equal(chmod(path, open_modes[i]), 0);
        assert_refused(hb_keyfile_read(path, &read), HB_EPERM, "chmod 600");
    }
    assert_int_equal(chmod(path, 0400), 0);
    assert_ok(hb_keyfile_read(path, &read));
    hb_keyfile_clear(&read);
    assert_int_equal(symlink(path, in_scratch("link.h5")), 0);
    assert_refused(hb_keyfile_read(in_scratch("link.h5"), &read), HB_ENOINPUT, "symbolic link");
    assert_refused(hb_keyfile_read(in_scratch("none.h5"), &read), HB_ENOINPUT, "No such file");
    spit(in_scratch("text.h5"), "not a key", 9);
    assert_refused(hb_keyfile_read(in_scratch("text.h5"), &read), HB_EDATA, "no HDF5 file");
    /* By the oldest format, as HDF5 1 makes files, and by a newer one, as HDF5 2 does. */
    const H5F_libver_t formats[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18};
    for (size_t i = 0; i < 2; i++) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(access, formats[i], H5F_LIBVER_V110);
        H5Fclose(H5Fcreate(in_scratch("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access));
        H5Pclose(access);
        assert_refused(hb_keyfile_read(in_scratch("other.h5"), &read), HB_EDATA,
                       i == 0 ? "not one that hebatch wrote" : "has no attribute 'format'");
    }
    assert_null(read.ternary); /* untouched throughout */
    hb_keyfile_clear(&key);
}

/* Tries a changed image; true if it is refused. */
static bool is_refused(const char *path, void *context)
{
    const hb_keyfile *key = context;
    hb_keyfile read;
    if (hb_keyfile_read(path, &read) != HB_OK) {
        return true;
    }
    assert_true(equal(&read, key));
    hb_keyfile_clear(&read);
    return false;
}

static void test_damage(void **state)
{
    (void)state;
    hb_keyfile key;
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("damaged.h5"));
    make_secret(&key);
    assert_ok(hb_keyfile_write(path, &key));
    damage_flip(path, is_refused, &key, NULL, 0, key.spec.n);
    damage_cut(path, is_refused, &key);
    hb_keyfile_clear(&key);
}

static const hb_joint_spec five_owners = {.owners = 5, .threshold = 5, .results = 20000, .session = {1, 2, 3}};

static void make_joint(hb_keyfile *key)
{
    hb_params *params;
    make_public(key);
    key->spec.joint = five_owners;
    hb_joint_public_seed(&key->public_seed, five_owners.session);
    assert_ok(hb_params_open(&key->spec, &params));
    hb_key_id(key->key_id, params, &key->public_seed, key->packed_b, NULL);
    hb_params_close(params);
}

/* A public key of several owners whose component 1 somebody chose, each with an identity and a checksum that hold. */
static void test_made_up_joint(void **state)
{
    (void)state;
    hb_keyfile key, read;
    hb_params *params;
    make_joint(&key);
    key.public_seed.bytes[31] ^= 1;
    assert_ok(hb_params_open(&key.spec, &params));
    hb_key_id(key.key_id, params, &key.public_seed, key.packed_b, NULL);
    assert_ok(hb_keyfile_write(in_scratch("made-up-seed.h5"), &key));
    assert_refused(hb_keyfile_read(in_scratch("made-up-seed.h5"), &read), HB_EDATA, "is not that of their session");
    hb_keyfile_clear(&key);
    make_public_of_another(&key);
    key.spec.joint = five_owners;
    hb_key_id(key.key_id, params, NULL, key.packed_b, key.packed_a);
    hb_params_close(params);
    assert_ok(hb_keyfile_write(in_scratch("made-up-a.h5"), &key));
    assert_refused(hb_keyfile_read(in_scratch("made-up-a.h5"), &read), HB_EDATA, "is not that of their session");
    key.spec.joint = (hb_joint_spec){.owners = 0};
    assert_ok(hb_keyfile_write(in_scratch("one-owner.h5"), &key)); /* one owner may choose */
    assert_ok(hb_keyfile_read(in_scratch("one-owner.h5"), &read));
    hb_keyfile_clear(&read);
    hb_keyfile_clear(&key);
}

/* Keys of several owners say so, also to older programs, which do not know the version. */
static void test_joint(void **state)
{
    (void)state;
    hb_keyfile key, read;
    const char *path = in_scratch("joint.h5");
    make_joint(&key);
    assert_ok(hb_keyfile_write(path, &key));
    assert_ok(hb_keyfile_read(path, &read));
    assert_true(equal(&key, &read));
    assert_int_equal(read.spec.joint.owners, 5);
    hb_keyfile_clear(&read);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), version = H5Aopen(file, "version", H5P_DEFAULT);
    uint64_t is = 0;
    assert_true(H5Aread(version, H5T_NATIVE_UINT64, &is) >= 0);
    assert_int_equal(is, 6);
    H5Aclose(version);
    H5Fclose(file);
    damage_flip(path, is_refused, &key, &(damage_rows){key.packed_b, key.packed_bytes}, 1, key.packed_bytes);
    const uint64_t versions[] = {1, 6}; /* of one owner, where there are several, and the other way round */
    for (size_t i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "version-%zu.h5", i);
        key.spec.joint = i == 0 ? five_owners : (hb_joint_spec){.owners = 0};
        assert_ok(hb_keyfile_write(in_scratch(name), &key));
        file = H5Fopen(in_scratch(name), H5F_ACC_RDWR, H5P_DEFAULT);
        version = H5Aopen(file, "version", H5P_DEFAULT);
        assert_true(H5Awrite(version, H5T_NATIVE_UINT64, &versions[i]) >= 0);
        H5Aclose(version);
        H5Fclose(file);
        assert_refused(hb_keyfile_read(in_scratch(name), &read), HB_EDATA, "says that it is of version");
    }
    static const hb_joint_spec wrong[] = {{.owners = 65, .threshold = 5, .results = 1},
                                          {.owners = 5, .threshold = 6, .results = 1},
                                          {.owners = 5, .threshold = 1, .results = 1},
                                          {.owners = 5, .threshold = 5}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char name[32];
        snprintf(name, sizeof name, "joint-%zu.h5", i);
        key.spec.joint = wrong[i];
        assert_ok(hb_keyfile_write(in_scratch(name), &key));
        assert_refused(hb_keyfile_read(in_scratch(name), &read), HB_EDATA, "outside");
    }
    hb_keyfile_clear(&key);
    make_secret(&key);
    key.spec.joint = five_owners;
    assert_ok(hb_keyfile_write(in_scratch("joint-secret.h5"), &key));
    assert_refused(hb_keyfile_read(in_scratch("joint-secret.h5"), &read), HB_EDATA, "which nobody has");
    hb_keyfile_clear(&key);
}

HB_UNIT(keyfile)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_public_of_another),
        cmocka_unit_test(test_plain_hdf5),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_damage),        cmocka_unit_test(test_joint),
        cmocka_unit_test(test_made_up_joint),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
