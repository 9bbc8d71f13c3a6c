/* Keys that several threads read ahead and load: as many threads, from as much memory, as a caller may ask for; which
 * failure is told; and that a file that was opened is not looked for again. */
#include "unit/scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/prime.h"
#include "keys/key_files.h"
#include "mpi/group/group_private.h"
#include "rlwe/keys.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, KEYS = 37, MUCH = 1 << 30 }; /* keys: more than the slots of a ring */

static const uint8_t key_id[HB_KEY_ID_BYTES] = {1, 2, 3};
static hb_group *group; /* of one */

/* Keys of a folder, in memory as well. */
typedef struct made {
    hb_session session;
    char folder[64];
    hb_key_choice choice[KEYS];
    hb_switch_key key[KEYS];
} made;
static made all;

static void make_key(uint32_t i)
{
    const uint32_t element = i == 0 ? HB_RELINEARIZATION : 2 * i + 1;
    const hb_seed root = {{9, (uint8_t)i}};
    const bool seeded = i % 3 != 0;
    hb_seed seeds[HB_MAX_LIMBS];
    hb_switch_key_file file;
    char *path;
    all.choice[i] = (hb_key_choice){.file = hb_key_for_all_levels(element)};
    assert_ok(hb_switch_key_file_init(&file, &all.session.params->spec, all.choice[i].file, seeded));
    memcpy(file.key_id, key_id, sizeof key_id);
    hb_seed_public(seeds, file.parts, &root, 0);
    assert_ok(hb_switch_key_generate(&all.key[i], &all.session.secret, element, &root, seeds));
    assert_ok(hb_switch_key_pack(&all.key[i], file.b, file.a));
    if (seeded) {
        memcpy(file.seeds, seeds, file.parts * sizeof *seeds);
    }
    assert_ok(hb_switch_key_path(all.folder, all.choice[i].file, &path));
    assert_ok(hb_switch_key_file_write(path, &file));
    free(path);
    hb_switch_key_file_clear(&file);
}

static int make_keys(void **state)
{
    hb_params_spec spec = {.n = N, .key_limbs = 3, .bfv.plain = 61441, .security = {.level = 128}, .insecure = true};
    hb_device device = {.gpu = false};
    int8_t ternary[N];
    const hb_seed root = {{7}};
    if (scratch_make(state) != 0) {
        return -1;
    }
    assert_ok(hb_create_primes(N, (const uint32_t[]){30, 30, 31}, 3, spec.primes));
    assert_ok(hb_session_open_keyless(&all.session, &spec));
    assert_ok(hb_session_start(&all.session, group, &device, NULL, NULL));
    assert_ok(hb_secret_draw(all.session.engine, all.session.params, &root, ternary));
    assert_ok(hb_secret_key_load(&all.session.secret, all.session.engine, all.session.params, ternary));
    snprintf(all.folder, sizeof all.folder, "%s", scratch_folder);
    for (uint32_t i = 0; i < KEYS; i++) {
        make_key(i);
    }
    return 0;
}

static int drop_keys(void **state)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        hb_switch_key_clear(&all.key[i]);
    }
    hb_session_close(&all.session);
    return scratch_remove(state);
}

static const char *path_of(uint32_t i)
{
    static char paths[4][128];
    static unsigned turn;
    char *own = paths[turn++ % 4], *path;
    assert_ok(hb_switch_key_path(all.folder, all.choice[i].file, &path));
    snprintf(own, sizeof paths[0], "%s", path);
    free(path);
    return own;
}

static void check_key(const hb_switch_key *key, uint32_t i)
{
    assert_ptr_equal(key->engine, all.session.engine);
    assert_int_equal(key->element, all.key[i].element);
    assert_int_equal(key->limbs, all.key[i].limbs);
    assert_memory_equal(key->parts.data, all.key[i].parts.data, hb_switch_key_bytes(all.session.params));
}

/* Writes another value into a byte of a file, and returns the one that was there. */
static uint8_t change(const char *path, uint64_t at, uint8_t value)
{
    uint8_t before = 0;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &before, 1, (off_t)at), 1);
    assert_int_equal(pwrite(fd, &value, 1, (off_t)at), 1);
    close(fd);
    return before;
}

/* Keys with all limbs, but those that are held. */
static hb_key_share everything(const hb_switch_keys *held)
{
    return (hb_key_share){all.session.params, held, 0};
}

/* Brings all keys by so many threads through so much memory; a failure is that of key `fails`. */
static void bring(uint32_t first_threads, uint32_t threads, uint64_t most_bytes, uint32_t fails)
{
    const hb_key_choices choices = {all.choice, KEYS};
    hb_key_files *files;
    hb_switch_keys keys = {0};
    uint64_t bytes;
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes));
    assert_ok(hb_key_files_begin(files, group, everything(NULL), first_threads, most_bytes));
    if (fails < KEYS) {
        assert_refused(hb_key_files_load(files, &keys, NULL, &all.session, threads, NULL), HB_EDATA, path_of(fails));
        assert_non_null(strstr(hb_last_error()->text, "does not match its checksum: the file is damaged"));
        assert_int_equal(keys.count, 0);
    } else {
        assert_ok(hb_key_files_load(files, &keys, NULL, &all.session, threads, NULL));
        assert_int_equal(keys.count, KEYS);
    }
    hb_key_files_close(files);
    for (uint32_t i = 0; i < keys.count; i++) {
        check_key(&keys.key[i], i);
    }
    hb_switch_keys_clear(&keys);
}

/* The keys are the same whatever the threads and the memory; none: this thread does it all. */
static void any_number_of_threads_brings_them(void **state)
{
    (void)state;
    const uint32_t threads[][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 5}, {8, 8}, {8, 1}, {0, 3}};
    const uint64_t bytes[] = {0, 40000, (uint64_t)1 << 30};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
            bring(threads[t][0], threads[t][1], bytes[b], KEYS);
        }
    }
}

/* Two files are damaged: the failure that is told is the first in the order of the keys, also where the other one is
 * found before. */
static void the_first_failure_is_told(void **state)
{
    (void)state;
    const uint32_t damaged[][2] = {{11, 12}, {0, 1}, {35, 36}, {3, 30}};
    for (size_t d = 0; d < sizeof damaged / sizeof *damaged; d++) {
        uint8_t before[2];
        uint64_t at[2];
        for (int k = 0; k < 2; k++) {
            hb_switch_key_source source;
            assert_ok(hb_switch_key_source_open(path_of(damaged[d][k]), &source));
            at[k] = source.b_offset + (k == 0 ? source.label.parts * source.part_bytes - 1 : 0); /* the last byte */
            hb_switch_key_source_close(&source);
            before[k] = change(path_of(damaged[d][k]), at[k], 0xff);
            before[k] == 0xff ? (void)change(path_of(damaged[d][k]), at[k], 0) : (void)0;
        }
        for (uint32_t threads = 0; threads <= 8; threads += 4) {
            bring(threads, threads, (uint64_t)1 << 20, damaged[d][0]);
        }
        for (int k = 0; k < 2; k++) {
            (void)change(path_of(damaged[d][k]), at[k], before[k]);
        }
    }
    bring(2, 2, 0, KEYS);
}

/* As a job does it: keys in the order in which they are chosen, from files that were opened before; keys that are held
 * are not read again, and those that are not chosen go. */
static void chosen_ones_are_loaded(void **state)
{
    (void)state;
    hb_key_choice first[] = {all.choice[20], all.choice[3], all.choice[0]};
    hb_key_choice then[] = {all.choice[3], all.choice[7], all.choice[20], all.choice[8]};
    hb_key_files *files;
    hb_switch_keys keys = {0};
    char hidden[64];
    uint64_t bytes, sum = 0;
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, (hb_key_choices){first, 3}, &bytes));
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(hb_key_name_same(files->source[i].label.name, first[i].file));
        sum += files->source[i].label.file_bytes;
    }
    assert_int_equal(bytes, sum);
    snprintf(hidden, sizeof hidden, "%.50s-hidden", all.folder);
    assert_int_equal(rename(all.folder, hidden), 0);
    assert_ok(hb_key_files_begin(files, group, everything(NULL), 2, MUCH));
    assert_ok(hb_key_files_load(files, &keys, NULL, &all.session, 2, NULL));
    hb_key_files_close(files);
    assert_int_equal(rename(hidden, all.folder), 0);
    assert_int_equal(keys.count, 3);
    check_key(&keys.key[0], 20);
    check_key(&keys.key[1], 3);
    check_key(&keys.key[2], 0);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, (hb_key_choices){then, 4}, &bytes));
    assert_ok(hb_key_files_begin(files, group, everything(&keys), 2, MUCH));
    assert_true(files->source[0].fd < 0 && files->source[1].fd >= 0);
    assert_ok(hb_key_files_load(files, &keys, NULL, &all.session, 2, NULL));
    hb_key_files_close(files);
    assert_int_equal(keys.count, 4);
    check_key(&keys.key[0], 20);
    check_key(&keys.key[1], 3);
    check_key(&keys.key[2], 7);
    check_key(&keys.key[3], 8);
    hb_switch_keys_clear(&keys);
}

/* A job may end at any time: before it begins to read, while it reads, and without a key that is wanted. */
static void reading_may_end_early(void **state)
{
    (void)state;
    const hb_key_choices choices = {all.choice, KEYS}, none = {all.choice, 0};
    hb_key_files *files;
    uint64_t bytes;
    hb_switch_keys keys = {0};
    double rate = 0;
    hb_key_files_close(NULL);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes));
    hb_key_files_close(files);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes));
    assert_ok(hb_key_files_begin(files, group, everything(NULL), 2, MUCH));
    hb_key_files_close(files);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, none, &bytes));
    assert_ok(hb_key_files_begin(files, group, everything(NULL), 2, MUCH));
    assert_ok(hb_key_files_load(files, &keys, NULL, &all.session, 2, NULL));
    assert_int_equal(keys.count, 0);
    hb_key_files_close(files);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes));
    assert_ok(hb_key_files_time(files, everything(NULL), 4, &rate));
    assert_true(rate > 0);
    hb_key_files_close(files);
}

/* Members that share limbs read the rows of their own: all rows once, and of seeded keys the seeds, and digests of all
 * rows, each. */
static void members_read_their_rows(void **state)
{
    (void)state;
    const hb_key_choices choices = {all.choice, KEYS};
    hb_params *params = all.session.params;
    hb_key_files *files;
    uint64_t bytes, whole = 0, own = 0, most = 0, others = 0;
    assert_ok(hb_key_files_open(&files, all.folder, params, key_id, choices, &bytes));
    whole = hb_key_files_choose(files, everything(NULL));
    assert_true(whole < bytes && whole > bytes / 2); /* files have heads, and gaps before rows */
    assert_ok(hb_params_divide(params, 2));
    for (uint32_t member = 0; member < 2; member++) {
        const uint64_t reads = hb_key_files_choose(files, (hb_key_share){params, NULL, member});
        most = reads > most ? reads : most;
        own += reads;
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        const hb_switch_key_label *label = &files->source[i].label;
        const uint64_t sums = (label->seeded ? 1 : 2) * (uint64_t)label->parts * params->key_limbs * HB_DIGEST_BYTES;
        others += sums + (label->seeded ? label->parts * sizeof(hb_seed) : 0);
    }
    assert_int_equal(own, whole + others);
    /* One of them has two of the three primes. */
    assert_in_range(most, whole / 3 * 2, whole / 3 * 2 + others);
    hb_key_files_close(files);
    assert_ok(hb_params_divide(params, 1));
}

/* Slots are whole pages, and no more than hold a key: large pages where it fills one. */
static void slots_suit_keys(void **state)
{
    (void)state;
    const size_t large = HB_KEY_LARGE_PAGE, sizes[] = {1, 4096, 4097, 460000, large - 1, large, large + 1, 60000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hb_key_ring ring;
        uint8_t *memory;
        const size_t page = sizes[i] <= large - HB_KEY_SMALL_PAGE ? HB_KEY_SMALL_PAGE : large;
        hb_key_ring_init(&ring, 3, sizes[i]);
        assert_true(ring.bytes >= sizes[i] && ring.bytes < sizes[i] + page && ring.bytes % page == 0);
        assert_true(hb_key_ring_first(&ring) >= sizeof(hb_key_slots) && hb_key_ring_first(&ring) % page == 0);
        assert_int_equal(hb_key_ring_shared_bytes(&ring), hb_key_ring_first(&ring) + 3 * ring.bytes);
        assert_ok(hb_key_ring_room(&ring, 2, &memory));
        assert_int_equal((uintptr_t)memory % page, 0);
        memset(memory, 1, ring.bytes);
        hb_key_ring_clear(&ring, NULL);
    }
}

/* With fewer descriptors than files the others are opened again. */
static void there_may_be_more_files_than_descriptors(void **state)
{
    (void)state;
    const hb_key_choices choices = {all.choice, KEYS};
    struct rlimit before, few;
    hb_key_files *files;
    uint64_t bytes;
    hb_switch_keys keys = {0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){.rlim_cur = 32, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes));
    assert_ok(hb_key_files_begin(files, group, everything(NULL), 2, MUCH));
    assert_ok(hb_key_files_load(files, &keys, NULL, &all.session, 2, NULL));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    hb_key_files_close(files);
    assert_int_equal(keys.count, KEYS);
    for (uint32_t i = 0; i < KEYS; i++) {
        check_key(&keys.key[i], i);
    }
    hb_switch_keys_clear(&keys);
}

/* A file that ends early, or is not there, is refused as soon as it is opened; keys that were there stay. */
static void damage_is_refused(void **state)
{
    (void)state;
    const hb_key_choices choices = {all.choice, KEYS};
    hb_key_files *files;
    uint64_t bytes;
    hb_switch_keys keys = {0};
    struct stat info;
    char path[128], kept[160];
    snprintf(path, sizeof path, "%s", path_of(7));
    snprintf(kept, sizeof kept, "%s.kept", path);
    assert_int_equal(stat(path, &info), 0);
    uint8_t *content = malloc((size_t)info.st_size);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, content, (size_t)info.st_size), info.st_size);
    close(fd);
    assert_int_equal(rename(path, kept), 0);
    assert_refused(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes), HB_ENOINPUT,
                   path);
    assert_null(files);
    spit(path, content, (size_t)info.st_size - 1);
    assert_refused(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes), HB_EDATA,
                   "it is damaged or cut short");
    content[info.st_size - 9] ^= 4;
    spit(path, content, (size_t)info.st_size);
    assert_ok(hb_key_files_open(&files, all.folder, all.session.params, key_id, choices, &bytes));
    assert_ok(hb_key_files_begin(files, group, everything(NULL), 2, MUCH));
    assert_refused(hb_key_files_load(files, &keys, NULL, &all.session, 2, NULL), HB_EDATA,
                   "does not match its checksum");
    assert_non_null(strstr(hb_last_error()->text, path));
    assert_int_equal(keys.count, 0);
    hb_key_files_close(files);
    assert_int_equal(rename(kept, path), 0);
    free(content);
}

/* A rank of a host with two, of which each is a thread here. */
typedef struct rank {
    hb_group group;
    hb_session session;
    hb_key_choices choices;
    hb_status status;
    hb_error error;
    uint32_t loaded; /* keys that are right */
} rank;
static pthread_mutex_t one_for_hdf5 = PTHREAD_MUTEX_INITIALIZER;
static int shared_fd; /* of the memory that they share; -1: there is none */

static hb_status share(hb_group *own, size_t bytes, hb_shared *shared)
{
    (void)own;
    if (shared_fd >= 0) {
        assert_int_equal(ftruncate(shared_fd, (off_t)bytes), 0);
        shared->fd = dup(shared_fd);
        shared->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
        assert_true(shared->memory != MAP_FAILED);
    }
    return HB_OK;
}

static const hb_group_ops rank_ops = {.share = share};

static void *load_as_rank(void *context)
{
    rank *r = context;
    hb_key_files *files;
    uint64_t bytes;
    hb_switch_keys keys = {0};
    pthread_mutex_lock(&one_for_hdf5);
    r->status = hb_key_files_open(&files, all.folder, r->session.params, key_id, r->choices, &bytes);
    pthread_mutex_unlock(&one_for_hdf5);
    if (r->status == HB_OK) {
        r->status = hb_key_files_begin(files, &r->group, (hb_key_share){r->session.params, NULL, 0}, 3, 50000);
        r->status = r->status == HB_OK ? hb_key_files_load(files, &keys, NULL, &r->session, 3, NULL) : r->status;
        hb_key_files_close(files);
    }
    r->error = *hb_last_error();
    r->loaded = keys.count;
    for (uint32_t i = 0; i < keys.count; i++) {
        r->loaded -= memcmp(keys.key[i].parts.data, all.key[i].parts.data, hb_switch_key_bytes(r->session.params)) != 0;
    }
    hb_switch_keys_clear(&keys);
    return NULL;
}

/* Both load the choices, each its own. */
static void load_on_two(rank ranks[2], hb_key_choices first, hb_key_choices second, bool shares)
{
    pthread_t other;
    shared_fd = shares ? memfd_create("keys", MFD_CLOEXEC) : -1;
    assert_true(!shares || shared_fd >= 0);
    ranks[0].choices = first;
    ranks[1].choices = second;
    assert_int_equal(pthread_create(&other, NULL, load_as_rank, &ranks[1]), 0);
    (void)load_as_rank(&ranks[0]);
    assert_int_equal(pthread_join(other, NULL), 0);
    if (shares) {
        close(shared_fd);
    }
}

/* Ranks of a host bring keys for one another; where one fails, or wants other keys, all of them fail. */
static void ranks_share_what_they_read(void **state)
{
    (void)state;
    static rank ranks[2];
    const hb_key_choices choices = {all.choice, KEYS}, others = {all.choice + 1, KEYS - 1};
    hb_device device = {.gpu = false};
    for (int k = 0; k < 2; k++) {
        ranks[k].group = (hb_group){.ops = &rank_ops, .rank = k, .size = 2, .node_rank = k, .node_size = 2};
        assert_ok(hb_session_open_keyless(&ranks[k].session, &all.session.params->spec));
        assert_ok(hb_session_start(&ranks[k].session, group, &device, NULL, NULL));
    }
    for (int shares = 0; shares < 2; shares++) {
        load_on_two(ranks, choices, choices, shares);
        assert_string_equal(ranks[0].status != HB_OK ? ranks[0].error.text : "", "");
        assert_string_equal(ranks[1].status != HB_OK ? ranks[1].error.text : "", "");
        assert_true(ranks[0].loaded == KEYS && ranks[1].loaded == KEYS);
    }
    load_on_two(ranks, choices, others, true);
    assert_true(ranks[0].status == HB_EDATA || ranks[1].status == HB_EDATA);
    assert_true(ranks[0].status != HB_OK && ranks[1].status != HB_OK);
    assert_non_null(strstr(ranks[ranks[1].status == HB_EDATA].error.text, "has another file for this key"));

    hb_switch_key_source source;
    assert_ok(hb_switch_key_source_open(path_of(20), &source));
    hb_switch_key_source_close(&source);
    const uint8_t before = change(path_of(20), source.b_offset, 0xff);
    (void)change(path_of(20), source.b_offset, before ^ 1);
    load_on_two(ranks, choices, choices, true);
    assert_int_equal(ranks[0].status, HB_EDATA); /* it is the one that reads key 20 */
    assert_non_null(strstr(ranks[0].error.text, "does not match its checksum"));
    assert_int_equal(ranks[1].status, HB_EPEER);
    assert_true(ranks[0].loaded == 0 && ranks[1].loaded == 0);
    (void)change(path_of(20), source.b_offset, before);
    for (int k = 0; k < 2; k++) {
        hb_session_close(&ranks[k].session);
    }
}

/* They have the id of the same pair, and other owners. */
static void keys_of_other_owners_are_refused(void **state)
{
    (void)state;
    hb_params_spec spec = all.session.params->spec;
    hb_params *params;
    hb_key_files *files;
    uint64_t bytes;
    spec.joint = (hb_joint_spec){.owners = 3, .threshold = 3, .results = 1};
    assert_ok(hb_params_open(&spec, &params));
    assert_refused(hb_key_files_open(&files, all.folder, params, key_id, (hb_key_choices){all.choice, 1}, &bytes),
                   HB_EDATA, "has other parameters or owners than the data");
    hb_params_close(params);
}

HB_UNIT(key_files)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_brings_them),
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(chosen_ones_are_loaded),
        cmocka_unit_test(reading_may_end_early),
        cmocka_unit_test(members_read_their_rows),
        cmocka_unit_test(slots_suit_keys),
        cmocka_unit_test(there_may_be_more_files_than_descriptors),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(ranks_share_what_they_read),
        cmocka_unit_test(keys_of_other_owners_are_refused),
    };
    if (hb_seed_start() != HB_OK || hb_group_open_alone(&group) != HB_OK) {
        return 1;
    }
    const int failures = cmocka_run_group_tests(tests, make_keys, drop_keys);
    hb_group_close(group);
    return failures;
}
