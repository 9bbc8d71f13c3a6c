/* Files of switching keys: round trips, names, refusals; every truncation and a flip of every byte is refused or
 * changes nothing. */
#include "scheme/params.h"
#include "unit/damage.h"

#include <hdf5.h>

#include "base/prime.h"
#include "io/dataset/file_kind.h"
#include "io/keys/keyfile.h"
#include "io/keys/switch_key_file.h"

/* Noise in the place of a key: files do not look into it. */
static void make_key_of(hb_switch_key_file *key, uint32_t limbs, uint32_t element, bool seeded)
{
    hb_params_spec spec = {
        .n = 1024, .key_limbs = limbs, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    assert_ok(hb_create_primes(spec.n, (const uint32_t[]){20, 21, 30}, spec.key_limbs, spec.primes));
    assert_ok(hb_switch_key_file_init(key, &spec, element, seeded));
    assert_int_equal(key->parts, limbs - 1);
    assert_int_equal(key->part_bytes, 1024 / 8 * (20 + 21 + (limbs == 3 ? 30 : 0)));
    uint64_t state = element + 5;
    memset(key->key_id, 0xc3, sizeof key->key_id);
    for (size_t i = 0; i < key->parts * key->part_bytes; i++) {
        key->b[i] = (uint8_t)noise(&state);
        if (!seeded) {
            key->a[i] = (uint8_t)noise(&state);
        }
    }
    for (uint32_t j = 0; seeded && j < key->parts; j++) {
        memset(&key->seeds[j], 0x70 + (int)j, sizeof key->seeds[j]);
    }
}

static void make_key(hb_switch_key_file *key, uint32_t element, bool seeded)
{
    make_key_of(key, 3, element, seeded);
}

static bool equal(const hb_switch_key_file *a, const hb_switch_key_file *b)
{
    const size_t bytes = a->parts * a->part_bytes;
    if (memcmp(&a->spec, &b->spec, sizeof a->spec) != 0 || memcmp(a->key_id, b->key_id, sizeof a->key_id) != 0 ||
        a->element != b->element || a->parts != b->parts || a->part_bytes != b->part_bytes ||
        (a->seeds == NULL) != (b->seeds == NULL) || (a->a == NULL) != (b->a == NULL) ||
        memcmp(a->b, b->b, bytes) != 0) {
        return false;
    }
    return a->seeds ? memcmp(a->seeds, b->seeds, a->parts * sizeof *a->seeds) == 0 : memcmp(a->a, b->a, bytes) == 0;
}

static void round_trips(void **state)
{
    (void)state;
    const uint32_t elements[] = {HB_RELINEARIZATION, 3, 2047};
    umask(0);
    for (size_t i = 0; i < 6; i++) {
        hb_switch_key_file key, read;
        hb_switch_key_label label;
        hb_file_kind kind;
        char *path;
        const bool seeded = i % 2 == 0;
        make_key(&key, elements[i / 2], seeded);
        assert_ok(hb_switch_key_path(scratch_folder, key.element, &path));
        assert_ok(hb_switch_key_file_write(path, &key));
        assert_refused(hb_switch_key_file_write(path, &key), HB_ECREATE, "exists already");
        assert_ok(hb_switch_key_file_read(path, &read));
        assert_true(equal(&key, &read));
        assert_ok(hb_switch_key_file_look(path, &label));
        assert_int_equal(label.element, key.element);
        assert_int_equal(label.parts, key.parts);
        assert_int_equal(label.seeded, seeded);
        assert_memory_equal(label.key_id, key.key_id, sizeof key.key_id);
        assert_memory_equal(&label.spec, &key.spec, sizeof key.spec);
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(label.file_bytes, info.st_size);
        assert_int_equal(info.st_mode & 07777, 0644);
        assert_true(!seeded || label.file_bytes <= hb_switch_key_file_bytes(&key.spec));
        assert_ok(hb_file_kind_of(path, &kind));
        assert_int_equal(kind, HB_FILE_SWITCH_KEY);
        assert_int_equal(unlink(path), 0);
        hb_switch_key_file_clear(&read);
        assert_null(read.b);
        hb_switch_key_file_clear(&key);
        free(path);
    }
}

/* HDF5 alone sees the same key. */
static void plain_hdf5(void **state)
{
    (void)state;
    hb_switch_key_file key;
    make_key(&key, 27, true);
    assert_ok(hb_switch_key_file_write(in_scratch("plain.h5"), &key));
    hid_t file = H5Fopen(in_scratch("plain.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t element = H5Aopen(file, "element", H5P_DEFAULT), b = H5Dopen2(file, "/b", H5P_DEFAULT);
    hid_t seeds = H5Dopen2(file, "/seed", H5P_DEFAULT);
    const size_t bytes = key.parts * key.part_bytes;
    uint64_t g = 0;
    uint8_t *values = malloc(bytes);
    assert_true(H5Aread(element, H5T_NATIVE_UINT64, &g) >= 0);
    assert_int_equal(g, 27);
    assert_true(H5Dread(b, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, key.b, bytes);
    assert_true(H5Dread(seeds, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, key.seeds, key.parts * sizeof *key.seeds);
    free(values);
    H5Dclose(seeds);
    H5Dclose(b);
    H5Aclose(element);
    H5Fclose(file);
    hb_switch_key_file_clear(&key);
}

static void write_pair_file(const char *path)
{
    hb_keyfile secret = {.kind = HB_KEY_SECRET};
    assert_ok(hb_params_preset("bfv-4096", &secret.spec));
    secret.ternary = calloc(secret.spec.n, 1);
    assert_ok(hb_keyfile_write(path, &secret));
    hb_keyfile_clear(&secret);
}

static void refusals(void **state)
{
    (void)state;
    hb_switch_key_file key, read;
    hb_switch_key_label label;
    make_key(&key, 9, true);
    key.element = 4;
    assert_ok(hb_switch_key_file_write(in_scratch("even.h5"), &key));
    assert_refused(hb_switch_key_file_read(in_scratch("even.h5"), &read), HB_EDATA, "no automorphism");
    assert_refused(hb_switch_key_file_look(in_scratch("even.h5"), &label), HB_EDATA, "no automorphism");
    key.element = 2049;
    assert_ok(hb_switch_key_file_write(in_scratch("large.h5"), &key));
    assert_refused(hb_switch_key_file_read(in_scratch("large.h5"), &read), HB_EDATA, "element");
    key.element = 9;
    assert_ok(hb_switch_key_file_write(in_scratch("good.h5"), &key));
    assert_int_equal(symlink(in_scratch("good.h5"), in_scratch("link.h5")), 0);
    assert_refused(hb_switch_key_file_read(in_scratch("link.h5"), &read), HB_ENOINPUT, "symbolic link");
    assert_refused(hb_switch_key_file_read(in_scratch("none.h5"), &read), HB_ENOINPUT, "No such file");
    assert_refused(hb_switch_key_file_write(in_scratch("none/a.h5"), &key), HB_ECREATE, "No such file");
    spit(in_scratch("text.h5"), "not a key", 9);
    assert_refused(hb_switch_key_file_read(in_scratch("text.h5"), &read), HB_EDATA, "no HDF5 file");
    assert_null(read.b);

    write_pair_file(in_scratch("pair.h5"));
    assert_refused(hb_switch_key_file_read(in_scratch("pair.h5"), &read), HB_EDATA, "key of a pair");
    hb_keyfile pair;
    assert_refused(hb_keyfile_read(in_scratch("good.h5"), &pair), HB_EDATA, "key for computing");
    hb_switch_key_file_clear(&key);

    hb_params_spec one = {.n = 1024, .key_limbs = 1, .primes = {12289}, .bfv.plain = 2, .security = {.level = 128}};
    assert_refused(hb_switch_key_file_init(&key, &one, 3, true), HB_ECONFIG, "one prime");
    assert_null(key.b);
}

/* Key switching that is not SEAL's has no place in files. */
static void other_gadgets(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_keyfile secret = {.kind = HB_KEY_SECRET};
    assert_ok(hb_params_preset("bfv-8192", &secret.spec));
    secret.ternary = calloc(secret.spec.n, 1);
    for (uint32_t alpha = 1; alpha <= 2; alpha++) {
        secret.spec.special_limbs = 3 - alpha;
        secret.spec.digit_limbs = alpha;
        assert_refused(hb_switch_key_file_init(&key, &secret.spec, 3, true), HB_EUNAVAILABLE, "several special primes");
        assert_null(key.b);
        assert_refused(hb_keyfile_write(in_scratch("hybrid.h5"), &secret), HB_EUNAVAILABLE, "several special primes");
        assert_int_not_equal(access(in_scratch("hybrid.h5"), F_OK), 0);
    }
    hb_keyfile_clear(&secret);
}

static void lists_of_a_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"galois-9.h5",  "galois-3.h5",      "relin.h5",        "galois-4.h5",
                                        "galois-09.h5", "galois-x.h5",      "galois-3.h5.a",   "relin.h5.partial",
                                        "galois-.h5",   "galois-262143.h5", "galois-262145.h5"};
    static const uint32_t expected[] = {HB_RELINEARIZATION, 3, 9, 262143};
    uint32_t *elements, count;
    hb_file_kind kind;
    char folder[128], path[256];
    snprintf(folder, sizeof folder, "%s", in_scratch("names"));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_ok(hb_switch_key_list(folder, &elements, &count));
    assert_int_equal(count, 0);
    assert_null(elements);
    assert_ok(hb_file_kind_of(folder, &kind));
    assert_int_equal(kind, HB_FILE_DATASET);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        spit(path, "", 0);
    }
    assert_ok(hb_switch_key_list(folder, &elements, &count));
    assert_int_equal(count, 4);
    assert_memory_equal(elements, expected, sizeof expected);
    free(elements);
    assert_ok(hb_file_kind_of(folder, &kind));
    assert_int_equal(kind, HB_FILE_KEYS);
    assert_refused(hb_switch_key_list(in_scratch("nowhere"), &elements, &count), HB_ENOINPUT, "No such file");
}

/* Tries a changed file; true if it is refused. */
static bool is_refused(const char *path, void *context)
{
    const hb_switch_key_file *key = context;
    hb_switch_key_file read;
    if (hb_switch_key_file_read(path, &read) != HB_OK) {
        assert_null(read.b);
        return true;
    }
    assert_true(equal(&read, key));
    hb_switch_key_file_clear(&read);
    return false;
}

static void check_damage(bool seeded)
{
    hb_switch_key_file key;
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch(seeded ? "seeded.h5" : "full.h5"));
    make_key_of(&key, 2, 3, seeded);
    const size_t held =
        key.parts * key.part_bytes + (seeded ? key.parts * sizeof *key.seeds : key.parts * key.part_bytes);
    assert_ok(hb_switch_key_file_write(path, &key));
    damage_flip(path, is_refused, &key, held);
    damage_cut(path, is_refused, &key, 4096);
    hb_switch_key_file_clear(&key);
}

static void damage(void **state)
{
    (void)state;
    check_damage(true);
    check_damage(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),          cmocka_unit_test(plain_hdf5), cmocka_unit_test(refusals),
        cmocka_unit_test(lists_of_a_directory), cmocka_unit_test(damage),     cmocka_unit_test(other_gadgets),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
