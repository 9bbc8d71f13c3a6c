/* Files of switching keys that are opened once and read later: by which descriptors, from what bytes, and what is
 * refused when the file has changed in between. */
#include "unit/scratch.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>

#include "base/prime.h"
#include "io/keys/switch_key_file.h"
#include "unit/unit.h"

enum { N = 4096, ELEMENT = 5 };

/* Noise in the place of a key: files do not look into it. */
static const char *make_file(const char *name, hb_switch_key_file *key, bool seeded)
{
    hb_params_spec spec = {.n = N, .key_limbs = 4, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    uint64_t state = 1;
    assert_ok(hb_create_primes(N, (const uint32_t[]){30, 31, 40, 41}, spec.key_limbs, spec.primes));
    assert_ok(hb_switch_key_file_init(key, &spec, hb_key_for_all_levels(ELEMENT), seeded));
    memset(key->key_id, 0x5a, sizeof key->key_id);
    for (size_t i = 0; i < key->parts * key->part_bytes; i++) {
        key->b[i] = (uint8_t)noise(&state);
        if (!seeded) {
            key->a[i] = (uint8_t)noise(&state);
        }
    }
    for (uint32_t j = 0; seeded && j < key->parts; j++) {
        memset(&key->seeds[j], 0x21 + (int)j, sizeof key->seeds[j]);
    }
    const char *path = in_scratch(name);
    assert_ok(hb_switch_key_file_write(path, key));
    return path;
}

/* Reads the source, and compares the key with the one that was written. */
static void check_read(const hb_switch_key_source *source, const char *path, const hb_switch_key_file *key)
{
    const size_t rows = key->parts * key->part_bytes;
    uint8_t *memory = malloc(hb_switch_key_source_bytes(source));
    assert_non_null(memory);
    assert_ok(hb_switch_key_source_read(source, path, memory));
    const hb_packed_key read = hb_switch_key_source_rows(source, memory);
    assert_memory_equal(read.b, key->b, rows);
    assert_true((read.a != NULL) == (key->a != NULL) && (read.seeds != NULL) == (key->seeds != NULL));
    if (read.a != NULL) {
        assert_memory_equal(read.a, key->a, rows);
    } else {
        assert_memory_equal(read.seeds, key->seeds, key->parts * sizeof *key->seeds);
    }
    free(memory);
}

static void refuse_read(const hb_switch_key_source *source, const char *path, const char *why)
{
    uint8_t *memory = malloc(hb_switch_key_source_bytes(source));
    assert_non_null(memory);
    assert_refused(hb_switch_key_source_read(source, path, memory), HB_EDATA, why);
    free(memory);
}

/* The process may have one descriptor more than it has: who opens the file a second time meanwhile finds none. */
static void it_is_opened_once(void **state)
{
    (void)state;
    struct rlimit before, one;
    for (int seeded = 0; seeded < 2; seeded++) {
        hb_switch_key_file key;
        hb_switch_key_source source;
        const char *path = make_file(seeded ? "once-seeded.h5" : "once.h5", &key, seeded);
        const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
        assert_true(next >= 0);
        close(next);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        one = (struct rlimit){.rlim_cur = (rlim_t)next + 1, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &one), 0);
        const hb_status st = hb_switch_key_source_open(path, &source);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_ok(st);
        assert_int_equal(source.fd, next);
        assert_int_equal(unlink(path), 0); /* nor is it looked for again */
        check_read(&source, path, &key);
        hb_switch_key_source_close(&source);
        assert_int_equal(source.fd, -1);
        hb_switch_key_source_close(&source);
        hb_switch_key_file_clear(&key);
    }
}

static void a_closed_one_is_opened_again(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_switch_key_source source;
    const char *path = make_file("closed.h5", &key, true);
    assert_ok(hb_switch_key_source_open(path, &source));
    hb_switch_key_source_close(&source);
    check_read(&source, path, &key);
    assert_int_equal(source.fd, -1);
    assert_int_equal(unlink(path), 0);
    uint8_t *memory = malloc(hb_switch_key_source_bytes(&source));
    assert_refused(hb_switch_key_source_read(&source, path, memory), HB_ENOINPUT, "No such file");
    free(memory);
    hb_switch_key_file_clear(&key);
}

/* A key is compared with the facts that its file told when it was opened. */
static void changes_in_between_are_refused(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_switch_key_source source;
    const char *path = make_file("changed.h5", &key, true);
    assert_ok(hb_switch_key_source_open(path, &source));
    const uint64_t places[] = {source.offset[0], source.offset[1], source.offset[1] + key.parts * key.part_bytes - 1};
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint8_t byte, changed;
        assert_int_equal(pread(fd, &byte, 1, (off_t)places[i]), 1);
        changed = byte ^ 0x10;
        assert_int_equal(pwrite(fd, &changed, 1, (off_t)places[i]), 1);
        refuse_read(&source, path, "does not match its checksum: the file is damaged");
        assert_int_equal(pwrite(fd, &byte, 1, (off_t)places[i]), 1);
        check_read(&source, path, &key);
    }
    assert_int_equal(ftruncate(fd, (off_t)(source.label.file_bytes - 1)), 0);
    refuse_read(&source, path, "ends early, at byte");
    close(fd);
    hb_switch_key_source_close(&source);
    assert_refused(hb_switch_key_source_open(path, &source), HB_EDATA, "it is damaged or cut short");
    assert_int_equal(source.fd, -1);
    hb_switch_key_file_clear(&key);
}

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *to)
{
    (void)info;
    uint8_t value[256];
    const hid_t at = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(at), space = H5Aget_space(at);
    const hid_t made = H5Acreate2(*(hid_t *)to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aget_storage_size(at) <= sizeof value && H5Aread(at, type, value) >= 0 &&
                H5Awrite(made, type, value) >= 0);
    H5Aclose(made);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(at);
    return 0;
}

/* Writes the same key with its facts behind its rows, as h5repack or another program may. */
static void write_backwards(const char *path, const char *to)
{
    const char *const objects[] = {"b", "a", "params"};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110) >= 0);
    hid_t from = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), made = H5Fcreate(to, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert_true(from >= 0 && made >= 0);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        assert_true(H5Ocopy(from, objects[i], made, objects[i], H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    assert_true(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &made) >= 0);
    H5Fclose(made);
    H5Fclose(from);
    H5Pclose(access);
}

static void facts_may_stand_anywhere(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_switch_key_source source;
    char path[256], other[256];
    snprintf(path, sizeof path, "%s", make_file("forwards.h5", &key, false));
    snprintf(other, sizeof other, "%s", in_scratch("backwards.h5"));
    write_backwards(path, other);
    hid_t file = H5Fopen(other, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t primes = H5Dopen2(file, "params/primes", H5P_DEFAULT);
    assert_true(H5Dget_offset(primes) > (32 << 10)); /* behind what is read first */
    H5Dclose(primes);
    H5Fclose(file);
    assert_ok(hb_switch_key_source_open(other, &source));
    assert_string_equal(hb_last_error()->text, "");
    check_read(&source, other, &key);
    hb_switch_key_source_close(&source);
    hb_switch_key_file_clear(&key);
}

HB_UNIT(switch_key_source)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_opened_once),
        cmocka_unit_test(a_closed_one_is_opened_again),
        cmocka_unit_test(changes_in_between_are_refused),
        cmocka_unit_test(facts_may_stand_anywhere),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
