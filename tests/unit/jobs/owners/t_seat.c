/* Owners at a session, each of whom looks at the folder and does what is next, in any order; joint keys come of it. Who
 * does not keep to the steps is refused. */
#include "reference/joint_table.h"

#include "io/keys/keyfile.h"
#include "io/keys/switch_key_file.h"
#include "owners/folder.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"

/* The product of 5 and 7 under keys that were read from files. */
static void check_product(table *t, const hb_keyfile *file, const hb_switch_key *relin)
{
    const hb_params *p = t->w.params;
    hb_engine *e = t->w.engine;
    hb_public_key key;
    hb_encryptor *x;
    hb_evaluator *ev;
    hb_decryptor *d;
    hb_batch plain;
    hb_ciphertexts a, wide;
    const hb_seed root = {{1}};
    const hb_evaluator_requirements requirements = {.limbs = p->data_limbs, .count = 1, .size = 2, .switching = true};
    assert_ok(hb_public_key_load(&key, e, p, file->packed_b, NULL, &file->public_seed));
    assert_ok(hb_encryptor_open(e, NULL, &key, HB_BINOMIAL, 2, &x));
    assert_ok(hb_plaintexts_alloc(&plain, e, p, p->data_limbs, 2));
    memset(plain.data, 0, 2 * p->spec.n * sizeof *plain.data);
    plain.data[0] = 5;
    plain.data[p->spec.n] = 7;
    assert_ok(hb_ciphertexts_alloc(&a, e, p, 2, 2, p->data_limbs));
    assert_ok(hb_encrypt(x, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1), NULL, plain, &root, 0));
    hb_ciphertexts one, two;
    hb_ciphertexts *const each[] = {&one, &two};
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(hb_ciphertexts_alloc(each[i], e, p, 2, 1, p->data_limbs));
        for (uint32_t c = 0; c < 2; c++) {
            assert_ok(hb_copy(e, hb_ciphertexts_component(*each[i], c),
                              hb_batch_slice(hb_ciphertexts_component(a, c), i, 1)));
        }
    }
    assert_ok(hb_ciphertexts_alloc(&wide, e, p, 3, 1, p->data_limbs));
    assert_ok(hb_evaluator_open(e, p, &requirements, &ev));
    assert_ok(hb_evaluator_multiply(ev, wide, one, two));
    assert_ok(hb_evaluator_relinearize(ev, one, wide, relin));
    assert_ok(hb_decryptor_open(e, &t->w.sum, p->data_limbs, 1, &d));
    const hb_batch phase = hb_ciphertexts_component(one, 0), result = hb_batch_slice(plain, 0, 1);
    assert_ok(hb_phase(d, phase, phase, hb_ciphertexts_component(one, 1)));
    assert_ok(hb_decrypt(d, result, phase));
    assert_int_equal(plain.data[0], 35);
    for (size_t i = 1; i < p->spec.n; i++) {
        assert_int_equal(plain.data[i], 0);
    }
    hb_decryptor_close(d);
    hb_evaluator_close(ev);
    hb_encryptor_close(x);
    hb_ciphertexts *const all[] = {&a, &one, &two, &wide};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, &all[i]->all);
    }
    hb_batch_free(e, &plain);
    hb_public_key_clear(&key);
}

/* The files of keys are those of the sums, and compute. */
static void check_keys(table *t)
{
    joint_world *w = &t->w;
    char path[256];
    hb_keyfile file;
    hb_switch_key_file rotation, relin;
    hb_switch_key key;
    joint_make_keys(w);
    assert_ok(hb_keyfile_read(join_path(path, sizeof path, t->keys, "public.h5"), &file));
    assert_int_equal(file.spec.joint.owners, OWNERS);
    assert_memory_equal(file.spec.joint.session, w->id, sizeof w->id);
    uint8_t *packed = malloc(file.packed_bytes);
    assert_ok(hb_public_key_pack(&w->public_key, packed, NULL));
    assert_memory_equal(packed, file.packed_b, file.packed_bytes);
    free(packed);
    for (uint32_t k = 0; k < JOINT_ROTATIONS; k++) {
        const char *const names[] = {"galois-3.h5", "galois-2047-2.h5"};
        assert_ok(hb_switch_key_file_read(join_path(path, sizeof path, t->keys, names[k]), &rotation));
        assert_memory_equal(rotation.key_id, file.key_id, sizeof file.key_id);
        packed = malloc(rotation.parts * rotation.part_bytes);
        assert_ok(hb_switch_key_pack(&w->rotation[k], packed, NULL));
        assert_memory_equal(packed, rotation.b, rotation.parts * rotation.part_bytes);
        free(packed);
        hb_switch_key_file_clear(&rotation);
    }
    assert_ok(hb_switch_key_file_read(join_path(path, sizeof path, t->keys, "relin.h5"), &relin));
    assert_null(relin.seeds);
    assert_ok(hb_switch_key_load(&key, w->engine, w->params, HB_RELINEARIZATION, relin.b, relin.a, NULL));
    check_product(t, &file, &key);
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&relin);
    hb_keyfile_clear(&file);
}

/* An owner compares keys that are there with what all contributions add up to. */
static void check_comparison(table *t)
{
    uint8_t id[HB_KEY_ID_BYTES];
    char path[2][256];
    assert_ok(hb_seat_check(&t->seat[1], t->state[1], t->keys, id));
    assert_memory_equal(id, t->key_id, sizeof id);
    join_path(path[0], sizeof path[0], t->keys, "galois-3.h5");
    join_path(path[1], sizeof path[1], t->keys, "galois-5.h5");
    assert_int_equal(rename(path[0], path[1]), 0);
    assert_refused(combine(t, true), HB_EDATA, "has a key for element 5");
    join_path(path[1], sizeof path[1], t->keys, "galois-2047-2.h5");
    join_path(path[0], sizeof path[0], t->keys, "relin.h5"); /* a key in the place of another */
    assert_int_equal(unlink(path[0]), 0);
    assert_int_equal(rename(path[1], path[0]), 0);
    assert_int_equal(unlink(join_path(path[1], sizeof path[1], t->keys, "galois-5.h5")), 0);
    assert_refused(hb_seat_check(&t->seat[1], t->state[1], t->keys, id), HB_EDATA, "relin.h5");
}

static void keys_come_of_steps(void **state)
{
    (void)state;
    table t;
    table_open(&t, "steps");
    expect(&t, 1, true, false, "commit-owner-00.h5, commit-owner-02.h5");
    expect(&t, 1, false, false, "commit-owner-00.h5, commit-owner-02.h5");
    expect(&t, 0, true, false, "commit-owner-02.h5");
    join_path(t.keys, sizeof t.keys, t.folder, "keys");
    assert_int_equal(mkdir(t.keys, 0755), 0);
    assert_refused(combine(&t, false), HB_ENOINPUT, "commit-owner-02.h5");
    expect(&t, 2, true, false, "first-owner-00.h5, first-owner-01.h5"); /* commits, and opens at once */
    expect(&t, 0, true, false, "first-owner-01.h5");
    expect(&t, 1, true, false, "second-owner-00.h5, second-owner-02.h5");
    expect(&t, 2, true, false, "second-owner-00.h5");
    expect(&t, 0, true, true, "");
    expect(&t, 1, false, true, "");
    assert_refused(combine(&t, true), HB_ENOINPUT, "public.h5 is missing");
    assert_ok(combine(&t, false));
    check_keys(&t);
    assert_ok(combine(&t, false)); /* what is there stays */
    check_comparison(&t);
    table_close(&t);
}

/* An interrupted step is done again, and makes the same bytes. */
static void steps_can_be_made_again(void **state)
{
    (void)state;
    table t;
    char path[160];
    size_t bytes, more;
    table_open(&t, "again");
    commit_all(&t);
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(&t, i));
    }
    join_path(path, sizeof path, t.folder, "first-owner-01.h5");
    uint8_t *one = slurp(path, &bytes);
    assert_int_equal(unlink(path), 0);
    assert_ok(step(&t, 1));
    assert_true(t.progress.did);
    uint8_t *two = slurp(path, &more);
    assert_int_equal(bytes, more);
    assert_memory_equal(one, two, bytes);
    free(one);
    free(two);
    assert_int_equal(unlink(t.state[1]), 0); /* what was opened is not known any more */
    assert_refused(step(&t, 1), HB_EDATA, "begin a new session");
    table_close(&t);
}

/* Two runs at a time could both find nothing made, and each make round 2 of other sums. */
static void one_run_at_a_time(void **state)
{
    (void)state;
    table t;
    uint8_t id[HB_KEY_ID_BYTES];
    int lock;
    table_open(&t, "at-a-time");
    assert_ok(hb_joint_state_lock(t.state[0], &lock));
    assert_refused(step(&t, 0), HB_ECREATE, "state-0.h5.lock");
    assert_refused(hb_seat_check(&t.seat[0], t.state[0], t.folder, id), HB_ECREATE, "state-0.h5.lock");
    assert_false(is_there(t.state[0]));
    assert_ok(step(&t, 1)); /* another owner */
    assert_int_equal(close(lock), 0);
    assert_ok(step(&t, 0));
    table_close(&t);
}

/* Who opens something else than he committed to, as others' contributions are there by then. */
static void rogue_contributions_are_refused(void **state)
{
    (void)state;
    table t;
    table_open(&t, "rogue");
    commit_all(&t);
    assert_ok(step(&t, 0));
    t.seat[1].own.bytes[0] ^= 1; /* other draws */
    assert_refused(step(&t, 1), HB_EDATA, "first-owner-01.h5: not what owner-01 committed to");
    assert_refused(step(&t, 0), HB_EDATA, "first-owner-01.h5: not what owner-01 committed to");
    table_close(&t);
}

/* Who commits again when he has seen what was opened for his first commitment. */
static void commitments_stand(void **state)
{
    (void)state;
    table t;
    char path[160];
    table_open(&t, "again-committed");
    commit_all(&t);
    assert_ok(step(&t, 0)); /* opened */
    assert_int_equal(unlink(join_path(path, sizeof path, t.folder, "commit-owner-01.h5")), 0);
    assert_int_equal(unlink(t.state[1]), 0);
    t.seat[1].own.bytes[0] ^= 1;
    assert_ok(step(&t, 1));
    assert_refused(step(&t, 0), HB_EDATA, "was opened for other commitments: begin a new session");
    table_close(&t);
}

/* Who was given other contributions to round 1 than all others have, and made round 2 of them. */
static void other_inputs_are_told(void **state)
{
    (void)state;
    table t;
    char path[160];
    const uint8_t inputs[HB_DIGEST_BYTES] = {7};
    table_open(&t, "other-inputs");
    commit_all(&t);
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(&t, i));
    }
    const hb_message_subject subject = {.kind = HB_MESSAGE_SECOND,
                                        .session = &t.file.session,
                                        .id = t.file.id,
                                        .params = t.w.params,
                                        .from = &t.w.cards[1]};
    hb_message_writer *writer;
    uint8_t body[HB_DIGEST_BYTES], *row;
    assert_ok(hb_message_writer_open(join_path(path, sizeof path, t.folder, "second-owner-01.h5"), &subject, &writer));
    const hb_message_parts *parts = hb_message_writer_parts(writer);
    const hb_message_part *h2 = &parts->part[hb_message_find(parts, "relin", "h2")];
    row = calloc(1, h2->row_bytes);
    for (uint32_t j = 0; j < h2->rows; j++) {
        assert_ok(hb_message_put(writer, hb_message_find(parts, "relin", "h2"), j, row));
    }
    free(row);
    assert_ok(hb_message_put(writer, hb_message_find(parts, NULL, "inputs"), 0, inputs));
    assert_ok(hb_message_finish(writer, &t.w.owner[1].root, body));
    hb_message_writer_close(writer);
    assert_refused(step(&t, 0), HB_EDATA, "second-owner-01.h5 was made from other first-*.h5 than are here");
    table_close(&t);
}

/* Files that are signed by the owner's card, and are not what his root gives. */
static void own_files_are_compared(void **state)
{
    (void)state;
    table t;
    table_open(&t, "own");
    t.seat[1].own.bytes[0] ^= 1;
    assert_ok(step(&t, 1));
    move(&t, "commit-owner-01.h5", "aside");
    assert_int_equal(unlink(t.state[1]), 0);
    t.seat[1].own.bytes[0] ^= 1;
    assert_ok(step(&t, 1));
    move(&t, "commit-owner-01.h5", "good");
    move(&t, "aside", "commit-owner-01.h5");
    assert_refused(step(&t, 1), HB_EDATA, "commit-owner-01.h5: is not what your party file gives");
    move(&t, "good", "commit-owner-01.h5");
    commit_all(&t);
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(&t, i));
    }
    assert_ok(step(&t, 0));
    move(&t, "second-owner-00.h5", "good");
    t.seat[0].own.bytes[0] ^= 1;
    assert_refused(step(&t, 0), HB_EDATA, "second-owner-00.h5: is not what your party file gives");
    t.seat[0].own.bytes[0] ^= 1;
    assert_refused(step(&t, 0), HB_EDATA, "second-owner-00.h5: is not what your party file gives");
    hb_joint_state known; /* a run that was killed before it noted what it had made */
    assert_ok(hb_joint_state_read(t.state[0], &known));
    memset(known.second, 0, sizeof known.second);
    assert_ok(hb_joint_state_write(t.state[0], &known, false));
    assert_refused(step(&t, 0), HB_EDATA, "second-owner-00.h5: is not what your party file gives");
    move(&t, "good", "second-owner-00.h5");
    assert_ok(step(&t, 0));
    table_close(&t);
}

/* Without his state nobody knows which files an owner opened, whichever of them is left. */
static void remains_need_their_state(void **state)
{
    (void)state;
    static const char *const kinds[] = {"commit", "first", "second"};
    table t;
    table_open(&t, "remains");
    commit_all(&t);
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(&t, i));
    }
    assert_ok(step(&t, 0));
    hb_joint_state known;
    assert_ok(hb_joint_state_read(t.state[0], &known));
    assert_int_equal(unlink(t.state[0]), 0);
    for (size_t k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s-owner-00.h5", kinds[k]);
        assert_refused(step(&t, 0), HB_EDATA, name);
        assert_false(is_there(t.state[0]));
        move(&t, name, kinds[k]);
    }
    strcpy(known.name, "owner-01");
    assert_ok(hb_joint_state_write(t.state[0], &known, true));
    assert_refused(step(&t, 0), HB_EDATA, "is the state of owner-01, not of owner-00");
    assert_refused(hb_seat_check(&t.seat[0], t.state[0], t.folder, t.key_id), HB_EDATA, "is the state of owner-01");
    table_close(&t);
}

/* The state of a session that is done is made again, but for parts, of which the folder does not know. */
static void lost_states_are_made_again(void **state)
{
    (void)state;
    table t;
    hb_joint_state known, made;
    table_open(&t, "lost");
    finish(&t);
    assert_ok(hb_joint_state_read(t.state[1], &known));
    assert_int_equal(unlink(t.state[1]), 0);
    expect(&t, 1, true, true, "");
    assert_true(t.progress.again);
    assert_string_equal(t.progress.made.text, "");
    assert_ok(hb_joint_state_read(t.state[1], &made));
    assert_false(known.parts);
    known.parts = 1; /* which parts were made nobody knows now */
    assert_memory_equal(&known, &made, sizeof made);
    expect(&t, 1, false, true, "");
    assert_false(t.progress.again);
    table_close(&t);
}

/* Nothing that does not fit is taken for the end of a session. */
static void other_remains_make_no_state(void **state)
{
    (void)state;
    static const char *const files[] = {"commit-owner-02.h5", "first-owner-00.h5", "second-owner-02.h5",
                                        "second-owner-00.h5"};
    table t;
    table_open(&t, "other-remains");
    t.seat[1].own.bytes[0] ^= 1; /* his party file will not give what is there */
    finish(&t);
    t.seat[1].own.bytes[0] ^= 1;
    assert_int_equal(unlink(t.state[1]), 0);
    assert_refused(step(&t, 1), HB_EDATA, "first-owner-01.h5: is not what your party file gives");
    assert_false(is_there(t.state[1]));
    assert_int_equal(unlink(t.state[0]), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        move(&t, files[i], "aside");
        assert_refused(step(&t, 0), HB_EDATA, "begin a new session");
        move(&t, "aside", files[i]);
    }
    move(&t, "second-owner-00.h5", "aside");
    move(&t, "second-owner-02.h5", "second-owner-00.h5");
    move(&t, "aside", "second-owner-02.h5");
    assert_refused(step(&t, 0), HB_EDATA, "second-owner-00.h5: is of owner-02");
    assert_false(is_there(t.state[0]));
    table_close(&t);
}

/* A list of files ends with how many more there are, and not amid a name. */
static void many_missing_files_are_counted(void **state)
{
    (void)state;
    hb_owner_card cards[HB_MOST_OWNERS] = {{.name = ""}};
    hb_joint_session session = {.cards = cards, .owners = HB_MOST_OWNERS};
    const hb_message_subject like = {.kind = HB_MESSAGE_COMMIT, .session = &session};
    hb_joint_all *all = malloc(sizeof *all);
    hb_name_list missing;
    for (int i = 0; i < HB_MOST_OWNERS; i++) {
        snprintf(cards[i].name, sizeof cards[i].name, "a-name-of-thirty-two-characte-%02d", i);
    }
    assert_ok(hb_joint_open_all(all, &like, in_scratch("nothing"), &missing));
    assert_string_equal(missing.text + strlen(missing.text) - strlen("characte-04.h5 and 59 more"),
                        "characte-04.h5 and 59 more");
    hb_joint_close_all(all);
    session.owners = 5; /* they fit */
    assert_ok(hb_joint_open_all(all, &like, in_scratch("nothing"), &missing));
    assert_string_equal(missing.text + strlen(missing.text) - strlen("characte-04.h5"), "characte-04.h5");
    hb_joint_close_all(all);
    free(all);
}

static void strangers_have_no_seat(void **state)
{
    (void)state;
    table t;
    hb_party_file party;
    hb_seat seat;
    const hb_seed root = {{0x77}};
    table_open(&t, "strangers");
    assert_ok(hb_party_file_init(&party, "owner-01", &root)); /* the name alone is not enough */
    assert_refused(hb_seat_open(&seat, t.w.engine, t.w.params, &t.file, t.folder, &party), HB_EDATA, "no card");
    hb_party_file_clear(&party);
    table_close(&t);
}

HB_UNIT(seat)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_come_of_steps),         cmocka_unit_test(steps_can_be_made_again),
        cmocka_unit_test(one_run_at_a_time),          cmocka_unit_test(rogue_contributions_are_refused),
        cmocka_unit_test(commitments_stand),          cmocka_unit_test(strangers_have_no_seat),
        cmocka_unit_test(other_inputs_are_told),      cmocka_unit_test(own_files_are_compared),
        cmocka_unit_test(remains_need_their_state),   cmocka_unit_test(many_missing_files_are_counted),
        cmocka_unit_test(lost_states_are_made_again), cmocka_unit_test(other_remains_make_no_state),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
