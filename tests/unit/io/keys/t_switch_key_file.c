/* Files of switching keys: round trips, names, refusals; lengths cut short and flipped bytes are refused or
 * change nothing. */
#include "scheme/params.h"
#include "unit/damage.h"

#include <hdf5.h>

#include "base/prime.h"
#include "io/dataset/file_kind.h"
#include "io/keys/keyfile.h"
#include "io/keys/switch_key_file.h"
#include "unit/literals.h"
#include "unit/unit.h"

/* Noise in the place of a key: files do not look into it. */
static void fill_named(hb_switch_key_file *key, const hb_params_spec *spec, hb_key_name name, bool seeded)
{
    assert_ok(hb_switch_key_file_init(key, spec, name, seeded));
    uint64_t state = name.element + 5;
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

static void fill_key(hb_switch_key_file *key, const hb_params_spec *spec, uint32_t element, bool seeded)
{
    fill_named(key, spec, hb_key_for_all_levels(element), seeded);
}

static hb_params_spec literal(uint32_t limbs)
{
    static const uint32_t bits[] = {20, 21, 30, 31, 32, 33};
    hb_params_spec spec = {
        .n = 1024, .key_limbs = limbs, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    assert_ok(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes));
    return spec;
}

static void make_key_of(hb_switch_key_file *key, uint32_t limbs, uint32_t element, bool seeded)
{
    const hb_params_spec spec = literal(limbs);
    fill_key(key, &spec, element, seeded);
    assert_int_equal(key->parts, limbs - 1);
    assert_int_equal(key->part_bytes, 1024 / 8 * (20 + 21 + (limbs == 3 ? 30 : 0)));
}

static void make_key(hb_switch_key_file *key, uint32_t element, bool seeded)
{
    make_key_of(key, 3, element, seeded);
}

static bool equal_rows(const hb_switch_key_file *a, const hb_switch_key_file *b)
{
    const size_t bytes = a->parts * a->part_bytes;
    if (memcmp(a->key_id, b->key_id, sizeof a->key_id) != 0 || !hb_key_name_same(a->name, b->name) ||
        a->parts != b->parts || a->part_bytes != b->part_bytes || (a->seeds == NULL) != (b->seeds == NULL) ||
        (a->a == NULL) != (b->a == NULL) || memcmp(a->b, b->b, bytes) != 0) {
        return false;
    }
    return a->seeds ? memcmp(a->seeds, b->seeds, a->parts * sizeof *a->seeds) == 0 : memcmp(a->a, b->a, bytes) == 0;
}

static bool equal(const hb_switch_key_file *a, const hb_switch_key_file *b)
{
    return same_literal(&a->spec, &b->spec) && equal_rows(a, b);
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
        assert_ok(hb_switch_key_path(scratch_folder, key.name, &path));
        assert_ok(hb_switch_key_file_write(path, &key));
        assert_refused(hb_switch_key_file_write(path, &key), HB_ECREATE, "exists already");
        assert_ok(hb_switch_key_file_read(path, &read));
        assert_true(equal(&key, &read));
        assert_ok(hb_switch_key_file_look(path, &label));
        assert_true(hb_key_name_same(label.name, key.name));
        assert_int_equal(label.parts, key.parts);
        assert_int_equal(label.seeded, seeded);
        assert_memory_equal(label.key_id, key.key_id, sizeof key.key_id);
        assert_true(same_literal(&label.spec, &key.spec));
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(label.file_bytes, info.st_size);
        assert_int_equal(info.st_mode & 07777, 0644);
        assert_true(!seeded || label.file_bytes <= hb_switch_key_file_bytes(&key.spec, key.name));
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
    key.name.element = 4;
    assert_ok(hb_switch_key_file_write(in_scratch("even.h5"), &key));
    assert_refused(hb_switch_key_file_read(in_scratch("even.h5"), &read), HB_EDATA, "no automorphism");
    assert_refused(hb_switch_key_file_look(in_scratch("even.h5"), &label), HB_EDATA, "no automorphism");
    key.name.element = 2049;
    assert_ok(hb_switch_key_file_write(in_scratch("large.h5"), &key));
    assert_refused(hb_switch_key_file_read(in_scratch("large.h5"), &read), HB_EDATA, "element");
    key.name.element = 9;
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
    assert_refused(hb_switch_key_file_init(&key, &one, hb_key_for_all_levels(3), true), HB_ECONFIG, "1 primes");
    assert_null(key.b);
}

static hb_params_spec hybrid(uint32_t special, uint32_t digit)
{
    hb_params_spec spec = literal(6);
    spec.special_limbs = special;
    spec.digit_limbs = digit;
    return spec;
}

static hb_params_spec real(bool like_seal)
{
    hb_params_spec spec = literal(4);
    spec.scheme = HB_CKKS;
    spec.bfv.plain = 0;
    spec.special_limbs = spec.digit_limbs = like_seal ? 0 : 1;
    spec.ckks = (hb_ckks_spec){.scale_bits = 20, .like_seal = like_seal};
    return spec;
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

/* Several special primes, several primes a digit, and another scheme: as many parts as there are digits. The version is
 * one that readers refuse who do not know digests of rows. */
static void other_gadgets(void **state)
{
    (void)state;
    const struct {
        hb_params_spec spec;
        uint32_t parts;
    } cases[] = {{literal(4), 3},   {hybrid(2, 1), 4}, {hybrid(2, 2), 2}, {hybrid(1, 2), 3},
                 {hybrid(3, 2), 2}, {hybrid(5, 1), 1}, {real(false), 3},  {real(true), 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_switch_key_file key, read;
        hb_switch_key_label label;
        char path[128];
        snprintf(path, sizeof path, "%s", in_scratch("hybrid.h5"));
        fill_key(&key, &cases[i].spec, 3, i % 2 == 0);
        assert_int_equal(key.parts, cases[i].parts);
        assert_ok(hb_switch_key_file_write(path, &key));
        assert_int_equal(version_of(path), 5);
        assert_ok(hb_switch_key_file_read(path, &read));
        assert_true(equal(&key, &read));
        assert_ok(hb_switch_key_file_look(path, &label));
        assert_int_equal(label.parts, cases[i].parts);
        assert_true(key.seeds == NULL || label.file_bytes <= hb_switch_key_file_bytes(&key.spec, key.name));
        assert_int_equal(unlink(path), 0);
        hb_switch_key_file_clear(&read);
        hb_switch_key_file_clear(&key);
    }
}

static void set_number(const char *path, const char *name, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

/* Numbers of digits that no parameters have, or others than those of the digest. */
static void forged_digits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t value;
        const char *why;
    } cases[] = {
        {"/params/special_limbs", 0, "'special_limbs' is 0, outside 1 to 6"},
        {"/params/special_limbs", 6, "'digit_limbs' is 2, outside 1 to 1"},
        {"/params/special_limbs", 7, "'special_limbs' is 7, outside 1 to 6"},
        {"/params/special_limbs", 3, "do not match their digest"},
        {"/params/digit_limbs", 0, "'digit_limbs' is 0, outside 1 to 4"},
        {"/params/digit_limbs", 5, "'digit_limbs' is 5, outside 1 to 4"},
        {"/params/digit_limbs", 3, "do not match their digest"},
    };
    const hb_params_spec spec = hybrid(2, 2), ours = real(false);
    hb_switch_key_file key, read;
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("forged.h5"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill_key(&key, &spec, 3, true);
        assert_ok(hb_switch_key_file_write(path, &key));
        set_number(path, cases[i].name, cases[i].value);
        assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, cases[i].why);
        assert_int_equal(unlink(path), 0);
        hb_switch_key_file_clear(&key);
    }
    fill_key(&key, &ours, 3, true);
    assert_ok(hb_switch_key_file_write(path, &key));
    set_number(path, "/params/like_seal", 1);
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "and yet name their digits");
    set_number(path, "/params/like_seal", 2);
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "'like_seal' is 2");
    set_number(path, "/params/like_seal", 0);
    set_number(path, "/params/scale_bits", 96);
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "'scale_bits' is 96, outside 20 to 95");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/params/special_limbs", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    set_number(path, "/params/scale_bits", 20);
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "and do not name them");
    assert_int_equal(unlink(path), 0);
    hb_switch_key_file_clear(&key);
}

static void lists_of_a_directory(void **state)
{
    (void)state;
    static const char *const names[] = {
        "galois-9.h5",      "galois-3.h5",           "relin.h5",         "galois-4.h5",    "galois-09.h5",
        "galois-x.h5",      "galois-3.h5.a",         "relin.h5.partial", "galois-.h5",     "galois-262143.h5",
        "galois-262145.h5", "relin-20.h5",           "galois-9-20.h5",   "galois-9-21.h5", "galois-9-020.h5",
        "galois-9-64.h5",   "galois-9-20-3.h5",      "relin-0.h5",       "relin--3.h5",    "to-sparse.h5",
        "from-sparse.h5",   "to-sparse-3.h5",        "from-sparse-.h5",  "galois-9-.h5",   "sparse.h5",
        "relin-3",          "galois-3-4294967297.h5"};
    static const hb_key_name expected[] = {
        {HB_KEY_RELINEARIZATION, 0, 0}, {HB_KEY_RELINEARIZATION, 0, 20}, {HB_KEY_GALOIS, 3, 0},
        {HB_KEY_GALOIS, 9, 0},          {HB_KEY_GALOIS, 9, 21},          {HB_KEY_GALOIS, 9, 20},
        {HB_KEY_GALOIS, 262143, 0},     {HB_KEY_TO_SPARSE, 0, 0},        {HB_KEY_FROM_SPARSE, 0, 0}};
    enum { COUNT = sizeof expected / sizeof *expected };
    hb_key_names found;
    hb_file_kind kind;
    char folder[128], path[256];
    snprintf(folder, sizeof folder, "%s", in_scratch("names"));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_ok(hb_switch_key_list(folder, &found));
    assert_int_equal(found.count, 0);
    assert_null(found.name);
    assert_ok(hb_file_kind_of(folder, &kind));
    assert_int_equal(kind, HB_FILE_DATASET);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        spit(path, "", 0);
    }
    assert_ok(hb_switch_key_list(folder, &found));
    assert_int_equal(found.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(hb_key_name_same(found.name[i], expected[i]));
    }
    free(found.name);
    assert_ok(hb_file_kind_of(folder, &kind));
    assert_int_equal(kind, HB_FILE_KEYS);
    assert_refused(hb_switch_key_list(in_scratch("nowhere"), &found), HB_ENOINPUT, "No such file");
}

/* Keys for levels below the highest, and those of the sparse secret: as many parts and limbs as these take. */
static void levels(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    assert_ok(hb_params_preset("boot-test", &spec));
    assert_ok(hb_params_open(&spec, &params));
    const hb_key_name names[] = {{HB_KEY_GALOIS, 5, 0},
                                 {HB_KEY_GALOIS, 5, 20},
                                 {HB_KEY_RELINEARIZATION, 0, 1},
                                 {HB_KEY_TO_SPARSE, 0, 0},
                                 {HB_KEY_FROM_SPARSE, 0, 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hb_switch_key_file key, read;
        hb_switch_key_label label;
        char *path;
        fill_named(&key, &spec, names[i], i % 2 == 0);
        const hb_gadget *gadget = names[i].sort == HB_KEY_TO_SPARSE ? &params->sparse_gadget : &params->gadget;
        const hb_gadget_level *level = &gadget->levels[hb_key_name_limbs(&spec, names[i])];
        assert_int_equal(key.parts, level->digits);
        assert_int_equal(key.part_bytes, hb_packed_bytes(&params->ring, level->switch_ids, level->switch_limbs));
        assert_ok(hb_switch_key_path(scratch_folder, names[i], &path));
        assert_ok(hb_switch_key_file_write(path, &key));
        assert_ok(hb_switch_key_file_read(path, &read));
        assert_true(hb_params_same(&key.spec, &read.spec) && equal_rows(&key, &read));
        assert_ok(hb_switch_key_file_look(path, &label));
        assert_true(hb_key_name_same(label.name, names[i]));
        assert_true(i % 2 != 0 || label.file_bytes <= hb_switch_key_file_bytes(&spec, names[i]));
        const hb_key_purpose purpose = hb_key_purpose_of_name(&spec, names[i]);
        assert_true(hb_key_name_same(hb_key_name_of(&spec, &purpose), names[i]));
        assert_int_equal(unlink(path), 0);
        free(path);
        hb_switch_key_file_clear(&read);
        hb_switch_key_file_clear(&key);
    }
    hb_params_close(params);
}

static void set_attribute(const char *path, const char *name, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (H5Aexists(file, name) > 0) {
        H5Adelete(file, name);
    }
    hid_t space = H5Screate(H5S_SCALAR), at = H5Acreate2(file, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(at, H5T_NATIVE_UINT64, &value) >= 0);
    H5Aclose(at);
    H5Sclose(space);
    H5Fclose(file);
}

static void set_kind(const char *path, const char *kind)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(H5Adelete(file, "kind") >= 0 && H5Tset_size(type, strlen(kind)) >= 0);
    hid_t at = H5Acreate2(file, "kind", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(at, type, kind) >= 0);
    H5Aclose(at);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
}

/* Levels that there are not, or that the rows are not of, and purposes that the parameters do not have. */
static void forged_levels(void **state)
{
    (void)state;
    static const struct {
        uint64_t limbs;
        const char *why;
    } cases[] = {{0, "no level below the highest"},
                 {31, "no level below the highest"},
                 {32, "'limbs' is 32"},
                 {UINT64_MAX, "'limbs' is"},
                 {19, "b"},
                 {21, "b"}};
    const hb_params_spec plain = real(false);
    hb_params_spec spec;
    hb_switch_key_file key, read;
    assert_ok(hb_params_preset("boot-test", &spec));
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("level.h5"));
    fill_named(&key, &spec, (hb_key_name){HB_KEY_GALOIS, 5, 20}, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(hb_switch_key_file_write(path, &key));
        set_attribute(path, "limbs", cases[i].limbs);
        assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, cases[i].why);
        assert_int_equal(unlink(path), 0);
    }
    hb_switch_key_file_clear(&key);
    /* The same rows under another purpose. */
    fill_named(&key, &spec, (hb_key_name){HB_KEY_FROM_SPARSE, 0, 0}, true);
    assert_ok(hb_switch_key_file_write(path, &key));
    set_kind(path, "relinearization");
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "checksum");
    set_kind(path, "to sparse secret");
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "seed");
    assert_int_equal(unlink(path), 0);
    hb_switch_key_file_clear(&key);
    fill_key(&key, &plain, HB_RELINEARIZATION, true);
    assert_ok(hb_switch_key_file_write(path, &key));
    set_kind(path, "from sparse secret");
    assert_refused(hb_switch_key_file_read(path, &read), HB_EDATA, "its parameters have none");
    assert_int_equal(unlink(path), 0);
    hb_switch_key_file_clear(&key);
}

/* Tries a changed file; true if it is refused, which names it. */
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

static void check_damage(const hb_params_spec *spec, hb_key_name name, bool seeded)
{
    hb_switch_key_file key;
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("damaged.h5"));
    fill_named(&key, spec, name, seeded);
    const size_t each_held = seeded ? sizeof *key.seeds : key.part_bytes + HB_DIGEST_BYTES;
    const size_t held = key.parts * (key.part_bytes + HB_DIGEST_BYTES + each_held); /* of a digest a part, at least */
    assert_ok(hb_switch_key_file_write(path, &key));
    const size_t each = key.parts * key.part_bytes;
    const damage_rows rows[] = {{key.b, each}, {key.a, each}};
    damage_flip(path, is_refused, &key, rows, seeded ? 1 : 2, held);
    damage_cut(path, is_refused, &key);
    assert_int_equal(unlink(path), 0);
    hb_switch_key_file_clear(&key);
}

static void damage(void **state)
{
    (void)state;
    const hb_params_spec spec = literal(2);
    hb_params_spec ours = literal(3);
    ours.scheme = HB_CKKS;
    ours.bfv.plain = 0;
    ours.special_limbs = ours.digit_limbs = 1;
    ours.ckks.scale_bits = 20;
    check_damage(&spec, hb_key_for_all_levels(3), true);
    check_damage(&spec, hb_key_for_all_levels(3), false);
    check_damage(&ours, hb_key_for_all_levels(3), true);
    check_damage(&ours, (hb_key_name){HB_KEY_GALOIS, 3, 1}, true);
}

HB_UNIT(switch_key_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),          cmocka_unit_test(plain_hdf5), cmocka_unit_test(refusals),
        cmocka_unit_test(lists_of_a_directory), cmocka_unit_test(damage),     cmocka_unit_test(other_gadgets),
        cmocka_unit_test(forged_digits),        cmocka_unit_test(levels),     cmocka_unit_test(forged_levels),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
