/* Which keys of a directory serve a job, and that only those of the right pair, parameters and name are loaded. */
#include <inttypes.h>

#include "unit/scratch.h"

#include "base/prime.h"
#include "keys/key_files.h"
#include "ring/galois.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024 };

static const uint8_t key_id[HB_KEY_ID_BYTES] = {1, 2, 3};

static void make_spec(hb_params_spec *spec, uint64_t plain)
{
    *spec = (hb_params_spec){.n = N, .key_limbs = 3, .bfv.plain = plain, .security = {.level = 128}, .insecure = true};
    assert_ok(hb_create_primes(N, (const uint32_t[]){30, 30, 31}, 3, spec->primes));
}

static hb_group *group; /* of one */

/* A session on the CPU. */
static void start_session(hb_session *session, uint64_t plain)
{
    hb_params_spec spec;
    hb_device device = {.gpu = false};
    make_spec(&spec, plain);
    assert_ok(hb_session_open_keyless(session, &spec));
    assert_ok(hb_session_start(session, group, &device, NULL, NULL));
}

/* With a secret key, drawn from a fixed seed. */
static void open_session(hb_session *session)
{
    int8_t ternary[N];
    const hb_seed root = {{7}};
    start_session(session, 61441);
    assert_ok(hb_secret_draw(session->engine, session->params, &root, ternary));
    assert_ok(hb_secret_key_load(&session->secret, session->engine, session->params, ternary));
}

/* Makes the key and its file, seeded or with both components; the key stays with the caller. */
static void make_file(const hb_session *session, const char *folder, uint32_t element, bool seeded, hb_switch_key *key)
{
    const hb_seed root = {{9, (uint8_t)element}};
    hb_seed seeds[HB_MAX_LIMBS];
    hb_switch_key_file file;
    char *path;
    assert_ok(hb_switch_key_file_init(&file, &session->params->spec, hb_key_for_all_levels(element), seeded));
    memcpy(file.key_id, key_id, sizeof key_id);
    hb_seed_public(seeds, file.parts, &root, 0);
    assert_ok(hb_switch_key_generate(key, &session->secret, element, &root, seeds));
    assert_ok(hb_switch_key_pack(key, file.b, file.a));
    if (seeded) {
        memcpy(file.seeds, seeds, file.parts * sizeof *seeds);
    }
    assert_ok(hb_switch_key_path(folder, hb_key_for_all_levels(element), &path));
    assert_ok(hb_switch_key_file_write(path, &file));
    free(path);
    hb_switch_key_file_clear(&file);
}

static const char *new_folder(const char *name)
{
    const char *path = in_scratch(name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static void touch_key(const char *folder, uint32_t element)
{
    char *path;
    assert_ok(hb_switch_key_path(folder, hb_key_for_all_levels(element), &path));
    spit(path, "", 0);
    free(path);
}

static void check_found(const char *folder, const hb_params *params, const hb_key_requests *request,
                        const uint32_t *expected, uint32_t expected_count)
{
    hb_key_choices found;
    assert_ok(hb_key_store_find(&found, folder, params, key_id, request));
    assert_int_equal(found.count, expected_count);
    assert_true(found.count > 0 || found.key == NULL);
    for (uint32_t i = 0; i < found.count; i++) {
        assert_true(hb_key_name_same(found.key[i].file, hb_key_for_all_levels(expected[i])));
        assert_int_equal(found.key[i].limbs, 0);
    }
    free(found.key);
}

static void keys_are_found_by_their_names(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    make_spec(&spec, 61441);
    assert_ok(hb_params_open(&spec, &params));
    char folder[128];
    snprintf(folder, sizeof folder, "%s", new_folder("names"));
    const uint32_t left = hb_galois_rotation(N, 3, 1), right = hb_galois_rotation(N, 3, -1),
                   four = hb_galois_rotation(N, 3, 4), three = hb_galois_rotation(N, 3, 3), swap = hb_galois_swap(N);
    hb_key_request list[] = {{.source = HB_FROM_SQUARE},
                             {.source = HB_FROM_AUTOMORPHISM, .element = left, .step = 1},
                             {.source = HB_FROM_AUTOMORPHISM, .element = three, .step = 3},
                             {.source = HB_FROM_AUTOMORPHISM, .element = right, .step = -1},
                             {.source = HB_FROM_AUTOMORPHISM, .element = swap, .step = 0}};
    const hb_key_requests nothing = {.request = NULL}, all = {list, 5};
    check_found(folder, params, &nothing, NULL, 0);

    hb_key_choice any;
    hb_key_choices found = {&any, 1};
    assert_refused(hb_key_store_find(&found, folder, params, key_id, &all), HB_ENOINPUT, "a product of ciphertexts");
    assert_null(found.key);
    assert_int_equal(found.count, 0);
    assert_non_null(strstr(hb_last_error()->text, "--key secret.h5 --relin --swap --rotations 1,3,-1"));
    touch_key(folder, HB_RELINEARIZATION);
    touch_key(folder, left);
    touch_key(folder, swap);
    assert_refused(hb_key_store_find(&found, folder, params, key_id, &all), HB_ENOINPUT, "for rotate(x,3)");
    assert_non_null(strstr(hb_last_error()->text, "--key secret.h5 --rotations 3,-1"));
    touch_key(folder, four);
    assert_refused(hb_key_store_find(&found, folder, params, key_id, &all), HB_ENOINPUT, "for rotate(x,3)");
    touch_key(folder, right);
    check_found(folder, params, &all, (const uint32_t[]){HB_RELINEARIZATION, swap, left, right, four},
                5); /* 3 = -1 + 4 */
    touch_key(folder, three);
    check_found(folder, params, &all, (const uint32_t[]){HB_RELINEARIZATION, swap, left, three, right}, 5);
    hb_params_close(params);
}

/* A message that has no room for all rotations names some in whole and counts the others. */
static void many_rotations_are_counted(void **state)
{
    (void)state;
    enum { MANY = 200 };
    hb_params_spec spec;
    hb_params *params;
    make_spec(&spec, 61441);
    assert_ok(hb_params_open(&spec, &params));
    hb_key_request list[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        list[i] = (hb_key_request){.source = HB_FROM_AUTOMORPHISM,
                                   .element = hb_galois_rotation(N, 3, i + 1),
                                   .step = 1000000 + (int64_t)i * i,
                                   .exact = true};
    }
    hb_key_choices found;
    const char *folder = new_folder("many");
    assert_refused(hb_key_store_find(&found, folder, params, key_id, &(hb_key_requests){list, MANY}), HB_ENOINPUT,
                   "for rotate(x,1000000), nor for ");
    const char *text = hb_last_error()->text, *more = strstr(text, "nor for "), *steps = strstr(text, " --rotations ");
    assert_true(more != NULL && steps != NULL);
    uint32_t others = 0, named = 1;
    assert_int_equal(sscanf(more, "nor for %u more rotations", &others), 1);
    for (const char *at = steps; *at != '\0'; at++) {
        named += *at == ',';
    }
    assert_int_equal(named + others, MANY);
    char last[32];
    snprintf(last, sizeof last, ",%" PRId64, list[named - 1].step);
    assert_string_equal(text + strlen(text) - strlen(last), last);
    hb_params_close(params);
}

/* For all levels. */
static hb_key_choices choices(const uint32_t *elements, uint32_t count)
{
    static hb_key_choice list[8];
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (hb_key_choice){.file = hb_key_for_all_levels(elements[i])};
    }
    return (hb_key_choices){list, count};
}

/* Loads those of the keys that are not held yet, counts them, and drops all others. */
static hb_status load_others(hb_switch_keys *keys, const hb_session *session, const char *folder,
                             const uint8_t id[HB_KEY_ID_BYTES], hb_key_choices wanted, uint32_t *loaded)
{
    hb_key_files *files;
    uint64_t bytes;
    HB_TRY(hb_key_files_open(&files, folder, session->params, id, wanted, &bytes));
    hb_status st = hb_key_files_begin(files, group, (hb_key_share){session->params, keys, 0}, 2, (uint64_t)1 << 30);
    *loaded = files->reader.count;
    st = st == HB_OK ? hb_key_files_load(files, keys, NULL, session, 2, NULL) : st;
    hb_key_files_close(files);
    return st;
}

static hb_status load(hb_switch_keys *keys, const hb_session *session, const char *folder,
                      const uint8_t id[HB_KEY_ID_BYTES], hb_key_choices wanted)
{
    uint32_t loaded;
    HB_TRY(load_others(keys, session, folder, id, wanted, &loaded));
    assert_int_equal(loaded, wanted.count);
    return HB_OK;
}

static void keys_of_others_are_refused(void **state)
{
    (void)state;
    const uint8_t other_id[HB_KEY_ID_BYTES] = {1, 2, 4};
    hb_key_choice each[] = {
        {.file = hb_key_for_all_levels(3)}, {.file = hb_key_for_all_levels(9)}, {.file = hb_key_for_all_levels(5)}};
    const hb_key_choices three = {&each[0], 1}, nine = {&each[1], 1}, five = {&each[2], 1};
    hb_session session, other;
    hb_switch_key key;
    hb_switch_keys ring = {0};
    open_session(&session);
    char folder[128], from[256], to[256];
    snprintf(folder, sizeof folder, "%s", new_folder("others"));
    make_file(&session, folder, 3, true, &key);
    assert_refused(load(&ring, &session, folder, other_id, three), HB_EDATA, "belongs to key 010203");
    start_session(&other, 12289);
    assert_refused(load(&ring, &other, folder, key_id, three), HB_EDATA, "other parameters");
    snprintf(from, sizeof from, "%s/galois-3.h5", folder);
    snprintf(to, sizeof to, "%s/galois-9.h5", folder);
    assert_int_equal(link(from, to), 0);
    assert_refused(load(&ring, &session, folder, key_id, nine), HB_EDATA, "key of rotate(x,1)");
    assert_refused(load(&ring, &session, folder, key_id, five), HB_ENOINPUT, "galois-5.h5");
    assert_int_equal(ring.count, 0);
    FILE *file = fopen(from, "r+b");
    assert_int_equal(fseek(file, -100, SEEK_END), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, -100, SEEK_END), 0);
    assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
    fclose(file);
    assert_refused(load(&ring, &session, folder, key_id, three), HB_EDATA, "checksum");
    assert_null(ring.key);
    hb_switch_key_clear(&key);
    hb_session_close(&other);
    hb_session_close(&session);
}

/* A session without keys, for one of two plain moduli. */
static void open_residue(hb_session *session, uint32_t residue)
{
    hb_params_spec spec;
    make_spec(&spec, 61441);
    spec.bfv.plain_count = 2;
    spec.bfv.plains[0] = 61441;
    spec.bfv.plains[1] = 12289;
    const hb_params_spec of = hb_spec_of_residue(&spec, residue);
    assert_ok(hb_session_open_keyless(session, &of));
    memcpy(session->key_id, key_id, sizeof key_id);
}

static void start_residue(hb_session *session, uint32_t residue)
{
    hb_device device = {.gpu = false};
    open_residue(session, residue);
    assert_ok(hb_session_start(session, group, &device, NULL, NULL));
}

/* For the second modulus the keys are the same as if they had been loaded for it. */
static void check_as_loaded(const hb_session *session, const char *folder, const uint32_t *elements, uint32_t count)
{
    hb_session fresh;
    start_residue(&fresh, session->params->spec.bfv.residue);
    assert_ok(load(&fresh.switch_keys, &fresh, folder, key_id, choices(elements, count)));
    assert_int_equal(session->switch_keys.count, count);
    for (uint32_t i = 0; i < count; i++) {
        const hb_switch_key *one = hb_switch_keys_find(&session->switch_keys, elements[i]),
                            *other = hb_switch_keys_find(&fresh.switch_keys, elements[i]);
        assert_true(one->params == session->params && one->gadget == &session->params->gadget);
        assert_int_equal(one->limbs, other->limbs);
        assert_memory_equal(one->parts.data, other->parts.data, hb_switch_key_bytes(fresh.params));
        assert_memory_equal(one->parts.ids, other->parts.ids, one->parts.limbs * sizeof *one->parts.ids);
    }
    hb_session_close(&fresh);
}

/* The next plain modulus takes over the loaded keys, and loads only missing ones. */
static void keys_serve_all_plain_moduli(void **state)
{
    (void)state;
    uint32_t first_wants[] = {HB_RELINEARIZATION, 3, 2047}, second_wants[] = {2047, 5, HB_RELINEARIZATION};
    hb_session owner, first, second, third, other;
    hb_switch_key key;
    int8_t ternary[N];
    const hb_seed root = {{7}};
    char folder[128];
    snprintf(folder, sizeof folder, "%s", new_folder("residues"));
    start_residue(&owner, 0);
    assert_ok(hb_secret_draw(owner.engine, owner.params, &root, ternary));
    assert_ok(hb_secret_key_load(&owner.secret, owner.engine, owner.params, ternary));
    for (size_t i = 0; i < 4; i++) {
        make_file(&owner, folder, (uint32_t[]){HB_RELINEARIZATION, 3, 5, 2047}[i], true, &key);
        hb_switch_key_clear(&key);
    }
    hb_session_close(&owner);

    start_residue(&first, 0);
    assert_ok(load(&first.switch_keys, &first, folder, key_id, choices(first_wants, 3)));
    assert_ok(hb_session_fork(&first, 3));
    const hb_engine *engine = first.engine, *queue = first.queue[1];

    start_session(&other, 61441); /* of one plain modulus */
    memcpy(other.key_id, key_id, sizeof key_id);
    assert_refused(hb_session_take(&other, &first), HB_EDATA, "other parameters");
    hb_session_close(&other);
    open_residue(&second, 1);

    assert_ok(hb_session_take(&second, &first));
    assert_null(first.engine);
    hb_session_close(&first);
    assert_true(second.engine == engine && second.params->spec.bfv.plain == 12289);
    uint32_t loaded = 0; /* 5; and 3 goes */
    assert_ok(load_others(&second.switch_keys, &second, folder, key_id, choices(second_wants, 3), &loaded));
    assert_int_equal(loaded, 1);
    assert_null(hb_switch_keys_find(&second.switch_keys, 3));
    assert_non_null(hb_switch_keys_find(&second.switch_keys, 5));
    check_as_loaded(&second, folder, second_wants, 3);
    assert_ok(hb_session_fork(&second, 2)); /* fewer workers, and more again */
    assert_true(second.queue[1] == queue && second.queue[2] == NULL);
    assert_ok(hb_session_fork(&second, 3));
    assert_non_null(second.queue[2]);

    open_residue(&third, 0);
    assert_ok(hb_session_take(&third, &second));
    check_as_loaded(&third, folder, second_wants, 3);
    hb_session_close(&third);
}

/* Loads the keys of a job into its session, with those that rest there; counts those that are read. */
static void load_job(hb_session *session, const char *folder, uint32_t *elements, uint32_t count, uint32_t *loaded)
{
    hb_key_files *files;
    uint64_t bytes;
    const hb_key_choices wanted = choices(elements, count);
    assert_ok(hb_key_files_open(&files, folder, session->params, key_id, wanted, &bytes));
    assert_ok(
        hb_key_files_begin(files, group, (hb_key_share){session->params, &session->resting, 0}, 2, (uint64_t)1 << 30));
    *loaded = files->reader.count;
    assert_ok(hb_key_files_load(files, &session->switch_keys, &session->resting, session, 2, NULL));
    hb_key_files_close(files);
    assert_int_equal(session->switch_keys.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(hb_switch_keys_find(&session->switch_keys, elements[i]));
    }
}

/* A later session finds the keys of earlier ones, as long as their files are the same; those that rest longest go
 * first, and a key that came from no file goes at once. */
static void keys_rest_between_jobs(void **state)
{
    (void)state;
    uint32_t three[] = {HB_RELINEARIZATION, 3, 5}, one[] = {5}, loaded;
    hb_session owner, first, second, third;
    hb_switch_key key;
    int8_t ternary[N];
    const hb_seed root = {{7}};
    char folder[128], path[160];
    snprintf(folder, sizeof folder, "%s", new_folder("rest"));
    start_session(&owner, 61441);
    memcpy(owner.key_id, key_id, sizeof key_id);
    assert_ok(hb_secret_draw(owner.engine, owner.params, &root, ternary));
    assert_ok(hb_secret_key_load(&owner.secret, owner.engine, owner.params, ternary));
    for (size_t i = 0; i < 3; i++) {
        make_file(&owner, folder, three[i], true, &key);
        hb_switch_key_clear(&key);
    }
    start_session(&first, 61441);
    first.resting_most = UINT64_MAX;
    load_job(&first, folder, three, 3, &loaded);
    assert_int_equal(loaded, 3);
    hb_session_leave(&first);
    load_job(&first, folder, one, 1, &loaded);
    assert_true(loaded == 0 && first.resting.count == 2);

    /* The copy is another file, whatever it holds. */
    snprintf(path, sizeof path, "%s/galois-3.h5", folder);
    assert_int_equal(remove(path), 0);
    make_file(&owner, folder, 3, true, &key);
    assert_ok(hb_switch_keys_add(&first.switch_keys, &key)); /* that came from no file */
    hb_session_leave(&first);
    assert_true(first.switch_keys.count == 0 && first.resting.count == 3);
    hb_session_close(&owner);
    assert_ok(hb_session_open_keyless(&second, &first.params->spec));
    assert_ok(hb_session_take(&second, &first));
    load_job(&second, folder, three, 3, &loaded);
    assert_int_equal(loaded, 1);
    assert_int_equal(second.resting.count, 1); /* the old one */

    hb_session_leave(&second);
    assert_ok(hb_session_open_keyless(&third, &second.params->spec));
    assert_ok(hb_session_take(&third, &second));
    assert_int_equal(third.resting.count, 4);
    third.resting_most = hb_switch_key_bytes(third.params) + 1; /* of one */
    load_job(&third, folder, one, 1, &loaded);
    assert_true(loaded == 0 && third.resting.count <= 1);
    hb_session_leave(&third);
    third.resting_most = 0;
    load_job(&third, folder, three, 3, &loaded);
    assert_true(loaded >= 1 && third.resting.count == 0);
    hb_session_close(&third);
}

/* Missing keys are asked of the owner of the secret key, and never of another pair's. */
static void advice_is_about_the_right_pair(void **state)
{
    (void)state;
    const uint8_t other_id[HB_KEY_ID_BYTES] = {1, 2, 4};
    hb_key_request five = {.source = HB_FROM_AUTOMORPHISM, .element = hb_galois_rotation(N, 3, 5), .step = 5};
    const hb_key_requests request = {&five, 1};
    hb_session session;
    hb_switch_key key;
    hb_key_choices found;
    open_session(&session);
    char folder[128], secret[256];
    snprintf(folder, sizeof folder, "%s", new_folder("advice"));
    make_file(&session, folder, 3, true, &key);
    const hb_params *params = session.params;
    assert_refused(hb_key_store_find(&found, folder, params, key_id, &request), HB_ENOINPUT,
                   "the owner of the secret key 010203");
    snprintf(secret, sizeof secret, "%s/" HB_KEYFILE_SECRET, folder);
    spit(secret, "", 0);
    assert_refused(hb_key_store_find(&found, folder, params, key_id, &request), HB_ENOINPUT, "make it");
    assert_non_null(strstr(hb_last_error()->text, secret));
    assert_refused(hb_key_store_find(&found, folder, params, other_id, &request), HB_EDATA, "belong to key 010203");
    assert_null(strstr(hb_last_error()->text, "keygen"));
    assert_refused(hb_key_store_find(&found, secret, params, key_id, &request), HB_ENOINPUT, "no directory");
    assert_refused(hb_key_store_find(&found, in_scratch("none"), params, key_id, &request), HB_ENOINPUT,
                   "No such file");
    hb_switch_key_clear(&key);
    hb_session_close(&session);
}

static void keys_have_names_for_people(void **state)
{
    (void)state;
    const hb_params_spec spec = {.n = N}, large = {.n = 131072};
    assert_string_equal(hb_key_text_of(&spec, hb_key_for_all_levels(HB_RELINEARIZATION)).text, "relinearization key");
    assert_string_equal(hb_key_text_of(&spec, hb_key_for_all_levels(hb_galois_swap(N))).text, "key of swap(x)");
    assert_string_equal(hb_key_text_of(&spec, hb_key_for_all_levels(hb_galois_rotation(N, 3, -200))).text,
                        "key of rotate(x,-200)");
    assert_string_equal(
        hb_key_text_of(&large, hb_key_for_all_levels(262144 - hb_galois_rotation(131072, 3, -32767))).text,
        "key of rotate(swap(x),-32767)");
    const hb_params_spec real = {.scheme = HB_CKKS, .n = N};
    assert_string_equal(hb_key_text_of(&real, hb_key_for_all_levels(hb_galois_swap(N))).text, "key of conj(x)");
    assert_string_equal(hb_key_text_of(&real, hb_key_for_all_levels(hb_galois_rotation(N, 5, 3))).text,
                        "key of rotate(x,3)");
    assert_string_equal(hb_key_text_of(&real, hb_key_for_all_levels(2 * N - hb_galois_rotation(N, 5, 3))).text,
                        "key of rotate(conj(x),3)");
}

HB_UNIT(key_store)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_by_their_names), cmocka_unit_test(many_rotations_are_counted),
        cmocka_unit_test(keys_of_others_are_refused),    cmocka_unit_test(advice_is_about_the_right_pair),
        cmocka_unit_test(keys_have_names_for_people),    cmocka_unit_test(keys_serve_all_plain_moduli),
        cmocka_unit_test(keys_rest_between_jobs),
    };
    if (hb_seed_start() != HB_OK || hb_group_open_alone(&group) != HB_OK) {
        return 1;
    }
    const int failures = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    hb_group_close(group);
    return failures;
}
