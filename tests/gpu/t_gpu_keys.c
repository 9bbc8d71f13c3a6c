/* Keys that several threads read and one queue of a GPU loads, through little memory, which is page-locked from its
 * second use on, and through much: the words are those of the CPU engine. */
#include "gpu.h"

#include <unistd.h>

#include "keys/key_files.h"
#include "scheme/params.h"

enum { MOST_KEYS = 40 };

static const uint8_t key_id[HB_KEY_ID_BYTES] = {1, 2, 3};
static hb_group *group; /* of one */

/* Keys made by the CPU engine, in files of a folder. */
typedef struct rig {
    char folder[64];
    hb_session cpu, gpu;
    hb_key_choice choice[MOST_KEYS];
    hb_switch_key key[MOST_KEYS];
    uint32_t keys;
} rig;

static void start_session(hb_session *session, const hb_params_spec *spec, bool gpu)
{
    hb_device device = {.gpu = gpu, .card = gpu_device, .memory = gpu_device.free / 2, .sharing = 1};
    assert_ok(hb_session_open_keyless(session, spec));
    assert_ok(hb_session_start(session, group, &device, NULL, NULL));
}

static void make_key(rig *r, uint32_t i)
{
    const uint32_t element = i == 0 ? HB_RELINEARIZATION : 2 * i + 1;
    const hb_seed root = {{9, (uint8_t)i}};
    const bool seeded = i % 4 != 3;
    hb_seed seeds[HB_MAX_LIMBS];
    hb_switch_key_file file;
    char *path;
    r->choice[i] = (hb_key_choice){.file = hb_key_for_all_levels(element)};
    assert_ok(hb_switch_key_file_init(&file, &r->cpu.params->spec, r->choice[i].file, seeded));
    memcpy(file.key_id, key_id, sizeof key_id);
    hb_seed_public(seeds, file.parts, &root, 0);
    assert_ok(hb_switch_key_generate(&r->key[i], &r->cpu.secret, element, &root, seeds));
    assert_ok(hb_switch_key_pack(&r->key[i], file.b, file.a));
    if (seeded) {
        memcpy(file.seeds, seeds, file.parts * sizeof *seeds);
    }
    assert_ok(hb_switch_key_path(r->folder, r->choice[i].file, &path));
    assert_ok(hb_switch_key_file_write(path, &file));
    free(path);
    hb_switch_key_file_clear(&file);
}

static void rig_open(rig *r, const char *preset)
{
    const hb_seed root = {{42}};
    hb_params_spec spec;
    memset(r, 0, sizeof *r);
    r->keys = gpu_small ? 5 : MOST_KEYS;
    snprintf(r->folder, sizeof r->folder, "/tmp/hebatch-keys-XXXXXX");
    assert_non_null(mkdtemp(r->folder));
    assert_ok(hb_params_preset(preset, &spec));
    start_session(&r->cpu, &spec, false);
    start_session(&r->gpu, &spec, true);
    int8_t *ternary = gpu_host(spec.n);
    assert_ok(hb_secret_draw(r->cpu.engine, r->cpu.params, &root, ternary));
    assert_ok(hb_secret_key_load(&r->cpu.secret, r->cpu.engine, r->cpu.params, ternary));
    free(ternary);
    for (uint32_t i = 0; i < r->keys; i++) {
        make_key(r, i);
    }
}

static void rig_close(rig *r)
{
    for (uint32_t i = 0; i < r->keys; i++) {
        char *path;
        assert_ok(hb_switch_key_path(r->folder, r->choice[i].file, &path));
        unlink(path);
        free(path);
        hb_switch_key_clear(&r->key[i]);
    }
    rmdir(r->folder);
    hb_session_close(&r->gpu);
    hb_session_close(&r->cpu);
}

/* Keys of integers can no longer be packed: these parameters switch by residues. */
static void check_key(const rig *r, const hb_switch_key *key, uint32_t i)
{
    const size_t bytes = hb_switch_key_packed_bytes(r->cpu.params);
    uint8_t *rows[4];
    for (int k = 0; k < 4; k++) {
        rows[k] = gpu_host(bytes);
    }
    assert_ptr_equal(key->engine, r->gpu.engine);
    assert_ok(hb_switch_key_pack(key, rows[0], rows[1]));
    assert_ok(hb_switch_key_pack(&r->key[i], rows[2], rows[3]));
    assert_memory_equal(rows[0], rows[2], bytes);
    assert_memory_equal(rows[1], rows[3], bytes);
    for (int k = 0; k < 4; k++) {
        free(rows[k]);
    }
}

static void load(rig *r, uint32_t threads, uint64_t most_bytes)
{
    const uint64_t before = hb_cuda_engine_bytes(r->gpu.engine);
    hb_key_files *files;
    hb_switch_keys keys = {0};
    uint64_t bytes;
    assert_ok(
        hb_key_files_open(&files, r->folder, r->gpu.params, key_id, (hb_key_choices){r->choice, r->keys}, &bytes));
    assert_ok(hb_key_files_begin(files, group, (hb_key_share){r->gpu.params, NULL, 0}, threads, most_bytes));
    assert_ok(hb_key_files_load(files, &keys, NULL, &r->gpu, threads, NULL));
    hb_key_files_close(files);
    assert_int_equal(keys.count, r->keys);
    for (uint32_t i = 0; i < keys.count; i++) {
        check_key(r, &keys.key[i], i);
    }
    hb_switch_keys_clear(&keys);
    assert_int_equal(hb_cuda_engine_bytes(r->gpu.engine), before);
}

static void keys_are_those_of_the_cpu(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "ckks-13");
    load(&r, 1, 0);
    load(&r, 4, (uint64_t)8 << 20);
    load(&r, 16, (uint64_t)1 << 30);
    rig_close(&r);
}

int main(int argc, char **argv)
{
    const int skipped = gpu_begin(argc, argv);
    if (skipped != 0) {
        return skipped;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_are_those_of_the_cpu)};
    if (hb_group_open_alone(&group) != HB_OK) {
        return 1;
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    hb_group_close(group);
    return failures;
}
