/* Files of keys from the secret of another pair: round trips, their mode, names; damage to what only they have. */
#include "unit/damage.h"

#include <hdf5.h>
#include <math.h>

#include "base/prime.h"
#include "io/dataset/file_kind.h"
#include "io/keys/keyfile.h"
#include "io/keys/switch_key_file.h"
#include "unit/literals.h"
#include "unit/unit.h"

static hb_params_spec literal(void)
{
    static const uint32_t bits[] = {20, 21, 30};
    hb_params_spec spec = {.n = 1024, .key_limbs = 3, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    assert_ok(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes));
    return spec;
}

/* Noise in the place of a key, as files do not look into it. One to another person's key is stored in full. */
static void make_key(hb_switch_key_file *key, bool another)
{
    const hb_params_spec spec = literal();
    uint64_t state = 3 + another;
    assert_ok(hb_switch_key_file_init(key, &spec, (hb_key_name){.sort = HB_KEY_REKEY}, !another));
    memset(key->key_id, 0xc3, sizeof key->key_id);
    for (size_t i = 0; i < sizeof key->rekey.from; i++) {
        key->rekey.from[i] = (uint8_t)(0xa0 + i);
    }
    key->rekey.another = another;
    key->rekey.error = hb_rekey_error(&spec, another, 1);
    for (size_t i = 0; i < key->parts * key->part_bytes; i++) {
        key->b[i] = (uint8_t)noise(&state);
        if (another) {
            key->a[i] = (uint8_t)noise(&state);
        }
    }
    for (uint32_t j = 0; !another && j < key->parts; j++) {
        memset(&key->seeds[j], 0x70 + (int)j, sizeof key->seeds[j]);
    }
}

static bool same_facts(const hb_rekey_facts *a, const hb_rekey_facts *b)
{
    return memcmp(a->from, b->from, sizeof a->from) == 0 && a->another == b->another && a->error == b->error;
}

static bool equal(const hb_switch_key_file *a, const hb_switch_key_file *b)
{
    const size_t bytes = a->parts * a->part_bytes;
    return same_literal(&a->spec, &b->spec) && memcmp(a->key_id, b->key_id, sizeof a->key_id) == 0 &&
           hb_key_name_same(a->name, b->name) && same_facts(&a->rekey, &b->rekey) && a->parts == b->parts &&
           a->part_bytes == b->part_bytes && memcmp(a->b, b->b, bytes) == 0 &&
           (a->a != NULL ? memcmp(a->a, b->a, bytes) == 0
                         : memcmp(a->seeds, b->seeds, a->parts * sizeof *a->seeds) == 0);
}

static uint64_t version_of(const char *path)
{
    uint64_t version = 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), attribute = H5Aopen(file, "version", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_UINT64, &version) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
    return version;
}

static void round_trips(void **state)
{
    (void)state;
    umask(0);
    for (int another = 0; another < 2; another++) {
        hb_switch_key_file key, read;
        hb_switch_key_label label;
        hb_file_kind kind;
        struct stat info;
        char path[128];
        snprintf(path, sizeof path, "%s", in_scratch("key.h5"));
        make_key(&key, another);
        assert_ok(hb_switch_key_file_write(path, &key));
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0600);
        assert_int_equal(version_of(path), 6);
        assert_ok(hb_switch_key_file_read(path, &read));
        assert_true(equal(&key, &read));
        assert_ok(hb_switch_key_file_look(path, &label));
        assert_true(same_facts(&label.rekey, &key.rekey));
        assert_int_equal(label.name.sort, HB_KEY_REKEY);
        assert_ok(hb_file_kind_of(path, &kind));
        assert_int_equal(kind, HB_FILE_SWITCH_KEY);
        hb_switch_key_file_clear(&read);
        for (unsigned mode = 0; mode < 0100; mode++) {
            assert_int_equal(chmod(path, 0600 | mode), 0);
            if (mode == 0) {
                assert_ok(hb_switch_key_file_look(path, &label));
            } else {
                assert_refused(hb_switch_key_file_read(path, &read), HB_EPERM, "others can read");
                assert_refused(hb_switch_key_file_look(path, &label), HB_EPERM, "chmod 600");
            }
        }
        assert_int_equal(unlink(path), 0);
        hb_switch_key_file_clear(&key);
    }
}

/* 1024 log2 21 and 1024 log2 (21 (2 n N + 1)), rounded up. */
static void errors_are_those_of_keys(void **state)
{
    (void)state;
    const hb_params_spec spec = literal();
    assert_int_equal(hb_rekey_error(&spec, false, 1), 4498);
    assert_int_equal(hb_rekey_error(&spec, true, 1), 15763);
    assert_int_equal(hb_rekey_error(&spec, true, 5), 18140);
}

static void set_number(const char *path, const char *name, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Adelete(file, name) >= 0);
    hid_t space = H5Screate(H5S_SCALAR), at = H5Acreate2(file, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(at, H5T_NATIVE_UINT64, &value) >= 0);
    H5Aclose(at);
    H5Sclose(space);
    H5Fclose(file);
}

static void remove_attribute(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Adelete(file, name) >= 0);
    H5Fclose(file);
}

static void set_from(const char *path)
{
    const uint8_t other[HB_KEY_ID_BYTES] = {1};
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), at = H5Aopen(file, "from_key_id", H5P_DEFAULT);
    assert_true(H5Awrite(at, H5T_NATIVE_UINT8, other) >= 0);
    H5Aclose(at);
    H5Fclose(file);
}

static void forged(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t value;
        const char *why;
    } cases[] = {
        {"another", 2, "'another' is 2"},    {"another", 0, "those of no key"}, {"error", 4498, "those of no key"},
        {"error", 15764, "those of no key"}, {"error", 18140, "checksum"}, /* of five owners */
        {"error", UINT64_MAX, "'error' is"}, {"version", 5, "version"},         {"version", 7, "version"}};
    hb_switch_key_file key, read;
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("forged.h5"));
    make_key(&key, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(hb_switch_key_file_write(path, &key));
        set_number(path, cases[i].name, cases[i].value);
        assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, cases[i].why);
        assert_int_equal(unlink(path), 0);
    }
    assert_ok(hb_switch_key_file_write(path, &key));
    set_from(path);
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "checksum");
    assert_int_equal(unlink(path), 0);
    static const char *const names[] = {"from_key_id", "another", "error"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_ok(hb_switch_key_file_write(path, &key));
        remove_attribute(path, names[i]);
        assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    hb_switch_key_file_clear(&key);
}

static bool is_refused(const char *path, void *context)
{
    const hb_switch_key_file *key = context;
    hb_switch_key_file read;
    const hb_status st = hb_switch_key_file_read(path, &read);
    if (st != HB_OK) {
        assert_true(st == HB_EDATA && strstr(hb_last_error()->text, path) != NULL);
        assert_null(read.b);
        return true;
    }
    assert_true(equal(&read, key));
    hb_switch_key_file_clear(&read);
    return false;
}

static void damage(void **state)
{
    (void)state;
    for (int another = 0; another < 2; another++) {
        hb_switch_key_file key;
        char path[128];
        snprintf(path, sizeof path, "%s", in_scratch("damaged.h5"));
        make_key(&key, another);
        assert_ok(hb_switch_key_file_write(path, &key));
        const size_t each = key.parts * key.part_bytes;
        const damage_rows rows[] = {{key.b, each}, {key.a, each}};
        damage_flip(path, is_refused, &key, rows, another ? 2 : 1, each);
        damage_cut(path, is_refused, &key);
        assert_int_equal(unlink(path), 0);
        hb_switch_key_file_clear(&key);
    }
}

static void names_in_a_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"rekey-00112233-a4b5c6d7.h5", "rekey-00112233-A4b5c6d7.h5",
                                        "rekey-0011223-a4b5c6d7.h5",  "rekey-00112233-a4b5c6d7.h5.partial",
                                        "rekey-00112233-a4b5c6d7h5",  "rekey.h5",
                                        "rekey-00102233-a4b5c6d7.h5", "relin.h5.partial"};
    char folder[128], path[256], name[HB_REKEY_NAME];
    hb_rekey_names moves;
    hb_key_names keys;
    hb_file_kind kind;
    uint8_t from[HB_KEY_ID_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44}, to[HB_KEY_ID_BYTES] = {0xa4, 0xb5, 0xc6, 0xd7};
    hb_rekey_name(name, from, to);
    assert_string_equal(name, names[0]);
    snprintf(folder, sizeof folder, "%s", in_scratch("moves"));
    assert_refused(hb_rekey_list(folder, &moves), HB_ENOINPUT, "moves");
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        spit(path, "", 0);
    }
    assert_ok(hb_rekey_list(folder, &moves));
    assert_int_equal(moves.count, 2);
    assert_string_equal(moves.name[0], names[6]);
    assert_string_equal(moves.name[1], names[0]);
    free(moves.name);
    assert_ok(hb_switch_key_list(folder, &keys));
    assert_int_equal(keys.count, 0);
    assert_ok(hb_file_kind_of(folder, &kind));
    assert_int_equal(kind, HB_FILE_KEYS);
    assert_ok(hb_key_folder_sweep(folder));
    snprintf(path, sizeof path, "%s/%s", folder, names[3]);
    assert_int_equal(access(path, F_OK), -1);
}

HB_UNIT(rekey_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips), cmocka_unit_test(errors_are_those_of_keys), cmocka_unit_test(forged),
        cmocka_unit_test(damage),      cmocka_unit_test(names_in_a_folder),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
