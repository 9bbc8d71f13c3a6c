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

static hb_status read_into(const hb_switch_key_source *source, const char *path, uint8_t *memory)
{
    return hb_switch_key_source_read(source, path, memory, memory + hb_switch_key_source_a_place(source));
}

/* Reads the source, and compares the key with the one that was written. */
static void check_read(const hb_switch_key_source *source, const char *path, const hb_switch_key_file *key)
{
    const size_t rows = key->parts * key->part_bytes;
    uint8_t *memory = malloc(hb_switch_key_source_bytes(source));
    assert_non_null(memory);
    assert_ok(read_into(source, path, memory));
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
    assert_refused(read_into(source, path, memory), HB_EDATA, why);
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
    assert_refused(read_into(&source, path, memory), HB_ENOINPUT, "No such file");
    free(memory);
    hb_switch_key_file_clear(&key);
}

/* Facts of files that were not changed are taken over; any change makes a file another one. */
static void known_files_are_found_by_their_state(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_switch_key_source first, again;
    hb_known_keys known = {.source = NULL};
    const char *path = make_file("known.h5", &key, true);
    assert_ok(hb_switch_key_source_open_known(path, &known, &first));
    assert_int_equal(known.count, 1);
    assert_int_equal(known.source[0].fd, -1);
    known.source[0].a_offset++; /* by which it is told from what the file says */
    assert_ok(hb_switch_key_source_open_known(path, &known, &again));
    assert_int_equal(again.a_offset, first.a_offset + 1);
    assert_memory_equal(again.origin, first.origin, sizeof first.origin);
    assert_int_equal(known.count, 1);
    hb_switch_key_source_close(&first);
    hb_switch_key_source_close(&again);
    known.source[0].a_offset--;
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(chmod(path, 0600), 0);
    assert_ok(hb_switch_key_source_open_known(path, &known, &again));
    assert_int_equal(known.count, 2);
    check_read(&again, path, &key);
    assert_memory_not_equal(again.origin, known.source[0].origin, sizeof again.origin);
    hb_switch_key_source_close(&again);
    assert_int_equal(truncate(path, 5000), 0);
    assert_refused(hb_switch_key_source_open_known(path, &known, &again), HB_EDATA, "it is damaged or cut short");
    assert_int_equal(known.count, 2); /* only what was checked */
    hb_known_keys_clear(&known);
    hb_switch_key_file_clear(&key);
}

/* The oldest one goes where all places are taken. */
static void as_many_files_are_known_as_there_are_places(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_switch_key_source source;
    hb_known_keys known = {.source = NULL};
    const char *path = make_file("places.h5", &key, true);
    assert_ok(hb_switch_key_source_open_known(path, &known, &source));
    hb_switch_key_source_close(&source);
    for (uint32_t i = 0; i < HB_KNOWN_KEYS_MOST; i++) {
        known.source[i].state[0] ^= 1; /* as that of another file */
        known.count = HB_KNOWN_KEYS_MOST;
    }
    known.next = HB_KNOWN_KEYS_MOST - 1;
    assert_ok(hb_switch_key_source_open_known(path, &known, &source));
    hb_switch_key_source_close(&source);
    assert_memory_equal(known.source[HB_KNOWN_KEYS_MOST - 1].origin, source.origin, sizeof source.origin);
    assert_int_equal(known.next, 0);
    assert_int_equal(known.count, HB_KNOWN_KEYS_MOST);
    hb_known_keys_clear(&known);
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
    const uint64_t places[] = {source.a_offset, source.b_offset, source.b_offset + key.parts * key.part_bytes - 1};
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

static const size_t row_bytes[] = {N / 8 * 30, N / 8 * 31, N / 8 * 40, N / 8 * 41};

/* The digests of rows of a component, from number `first` on, are those of the rows. */
static void check_sums(int fd, const hb_switch_key_source *source, size_t first, const hb_switch_key_file *key,
                       const uint8_t *row)
{
    for (size_t i = 0; i < (size_t)key->parts * 4; i++) {
        uint8_t own[HB_DIGEST_BYTES], found[HB_DIGEST_BYTES];
        hb_digest_row(own, row, row_bytes[i % 4]);
        assert_int_equal(pread(fd, found, sizeof found, (off_t)(source->sum_offset + (first + i) * sizeof found)),
                         sizeof found);
        assert_memory_equal(found, own, sizeof own);
        row += row_bytes[i % 4];
    }
}

/* Reads some rows, and compares them with those of the key. */
static void check_chosen(hb_switch_key_source *source, const char *path, const hb_switch_key_file *key,
                         hb_key_rows rows)
{
    hb_switch_key_source_choose(source, rows);
    const size_t bytes = hb_switch_key_source_bytes(source), behind = hb_switch_key_source_a_place(source);
    uint8_t *memory = malloc(bytes + 1);
    assert_non_null(memory);
    memory[bytes] = 0x77;
    assert_ok(read_into(source, path, memory));
    assert_int_equal(memory[bytes], 0x77);
    const hb_packed_key read = hb_switch_key_source_rows(source, memory);
    assert_true(read.own && read.b == memory);
    const uint8_t *at = read.b, *at_a = read.a, *row = key->b;
    size_t taken = 0;
    for (uint32_t j = 0; j < key->parts; j++) {
        for (uint32_t l = 0; l < 4; l++) {
            if (j < rows.parts && (rows.primes >> l & 1) != 0) {
                assert_memory_equal(at + taken, row, row_bytes[l]);
                assert_true(at_a == NULL || memcmp(at_a + taken, key->a + (row - key->b), row_bytes[l]) == 0);
                taken += row_bytes[l];
            }
            row += row_bytes[l];
        }
    }
    assert_true(behind >= taken && behind < taken + sizeof(uint64_t));
    if (key->seeds != NULL) {
        assert_memory_equal(read.seeds, key->seeds, key->parts * sizeof *key->seeds);
    }
    const size_t sums = (size_t)key->parts * 4 * HB_DIGEST_BYTES;
    const size_t rest = key->seeds != NULL ? sums + key->parts * sizeof *key->seeds : 2 * sums + taken;
    assert_int_equal(hb_switch_key_source_reads(source), taken + rest);
    free(memory);
}

/* Any rows of any parts; damage of other rows is not seen, that of a chosen one is, and that of any digest. */
static void rows_may_be_chosen(void **state)
{
    (void)state;
    static const hb_key_rows choices[] = {{3, 15}, {3, 5}, {2, 10}, {1, 8}, {3, 0}, {0, 15}, {9, 0xff}};
    for (int seeded = 0; seeded < 2; seeded++) {
        hb_switch_key_file key;
        hb_switch_key_source source;
        const char *path = make_file(seeded ? "chosen-seeded.h5" : "chosen.h5", &key, seeded);
        assert_ok(hb_switch_key_source_open(path, &source));
        assert_true(source.sum_bytes == (seeded ? 1 : 2) * key.parts * 4 * HB_DIGEST_BYTES);
        for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
            check_chosen(&source, path, &key, choices[i]);
        }
        const int fd = open(path, O_RDWR | O_CLOEXEC);
        check_sums(fd, &source, seeded ? 0 : (size_t)key.parts * 4, &key, key.b);
        if (!seeded) {
            check_sums(fd, &source, 0, &key, key.a);
        }
        const uint8_t changed = (uint8_t)(key.b[0] ^ 1); /* of the row of prime 0 in part 0 */
        assert_int_equal(pwrite(fd, &changed, 1, (off_t)source.b_offset), 1);
        check_chosen(&source, path, &key, (hb_key_rows){3, 14});
        check_chosen(&source, path, &key, (hb_key_rows){0, 15});
        hb_switch_key_source_choose(&source, (hb_key_rows){1, 1});
        refuse_read(&source, path, "does not match its checksum: the file is damaged");
        assert_int_equal(pwrite(fd, key.b, 1, (off_t)source.b_offset), 1);
        check_chosen(&source, path, &key, (hb_key_rows){1, 1});
        uint8_t sum;
        const off_t last = (off_t)(source.sum_offset + key.parts * 4 * HB_DIGEST_BYTES - 1);
        assert_int_equal(pread(fd, &sum, 1, last), 1);
        sum ^= 4;
        assert_int_equal(pwrite(fd, &sum, 1, last), 1);
        refuse_read(&source, path, "does not match its checksum: the file is damaged");
        close(fd);
        hb_switch_key_source_close(&source);
        hb_switch_key_file_clear(&key);
    }
}

/* A file of an older program, whose one checksum is over all rows: they may be chosen, and all are checked. */
static void old_files_are_read_whole(void **state)
{
    (void)state;
    hb_switch_key_file key;
    hb_switch_key_source source;
    char path[128];
    size_t bytes;
    uint8_t *content = slurp(HB_TESTS_VECTORS "/keys2018/galois-3.h5", &bytes);
    snprintf(path, sizeof path, "%s", in_scratch("old.h5"));
    spit(path, content, bytes);
    assert_ok(hb_switch_key_file_read(path, &key));
    assert_ok(hb_switch_key_source_open(path, &source));
    assert_int_equal(source.sum_bytes, 0);
    for (uint64_t prime = 0; prime < key.spec.key_limbs; prime++) {
        hb_switch_key_source_choose(&source, (hb_key_rows){1, (uint64_t)1 << prime});
        uint8_t *memory = malloc(hb_switch_key_source_bytes(&source));
        assert_non_null(memory);
        assert_ok(read_into(&source, path, memory));
        size_t before = 0;
        for (uint64_t l = 0; l < prime; l++) {
            hb_switch_key_source other = source;
            hb_switch_key_source_choose(&other, (hb_key_rows){1, (uint64_t)1 << l});
            before += other.taken_bytes;
        }
        assert_memory_equal(memory, key.b + before, source.taken_bytes);
        assert_memory_equal(memory + hb_switch_key_source_a_place(&source), key.seeds, key.parts * sizeof *key.seeds);
        assert_int_equal(hb_switch_key_source_reads(&source), bytes);
        free(memory);
    }
    content[source.b_offset] ^= 1; /* prime 0, which is not chosen */
    spit(path, content, bytes);
    refuse_read(&source, path, "does not match its checksum: the file is damaged");
    hb_switch_key_source_close(&source);
    hb_switch_key_file_clear(&key);
    free(content);
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
    const char *const objects[] = {"b", "a", "row_sums", "params"};
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
        cmocka_unit_test(known_files_are_found_by_their_state),
        cmocka_unit_test(as_many_files_are_known_as_there_are_places),
        cmocka_unit_test(changes_in_between_are_refused),
        cmocka_unit_test(rows_may_be_chosen),
        cmocka_unit_test(old_files_are_read_whole),
        cmocka_unit_test(facts_may_stand_anywhere),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
