/* Later rounds of a session: keys under the same secret, with public polynomials and errors of their own. */
#include "reference/joint_table.h"

#include "io/keys/switch_key_file.h"
#include "owners/rounds.h"
#include "reference/joint_oracle.h"

static hb_status write_round(const table *t, const hb_joint_round *round)
{
    char path[160], name[32];
    snprintf(name, sizeof name, "more-%u.h5", (unsigned)round->number);
    return hb_more_file_write(join_path(path, sizeof path, t->folder, name), &t->file, round);
}

/* Begins the next round of these keys; returns what that gives. */
static hb_status try_more(const table *t, const hb_keygen_request *keys)
{
    hb_joint_rounds rounds;
    hb_more_file next = {.rotations = NULL};
    hb_status st = hb_joint_rounds_open(&rounds, t->folder, &t->file, t->w.params);
    st = st == HB_OK ? hb_joint_rounds_next(&next, &rounds, &t->file, keys, t->w.params) : st;
    st = st == HB_OK ? write_round(t, &next.round) : st;
    hb_more_file_clear(&next);
    hb_joint_rounds_close(&rounds);
    return st;
}

static void more(const table *t, const char *rotations)
{
    assert_ok(try_more(t, &(hb_keygen_request){.rotations = rotations}));
}

/* All steps of all owners in a later round. */
static void finish_more(table *t)
{
    for (uint32_t i = 0; i < 4 * OWNERS; i++) {
        (void)step(t, i % OWNERS);
    }
    for (uint32_t i = 0; i < OWNERS; i++) {
        expect(t, i, false, true, "");
    }
}

static void combine_all(table *t)
{
    join_path(t->keys, sizeof t->keys, t->folder, "keys");
    (void)mkdir(t->keys, 0755);
    assert_ok(combine(t, false));
    assert_ok(combine(t, true));
}

static hb_switch_key_file read_key(const table *t, const char *name)
{
    char path[256];
    hb_switch_key_file file;
    assert_ok(hb_switch_key_file_read(join_path(path, sizeof path, t->keys, name), &file));
    return file;
}

/* A file's key is one of the sum of all secrets, with the errors that are proven and expected. */
static void check_file(const table *t, const char *name, uint32_t element)
{
    const joint_world *w = &t->w;
    hb_switch_key_file file = read_key(t, name);
    hb_switch_key key;
    hb_batch x;
    assert_ok(hb_batch_alloc(w->engine, &x, 1, w->params->key_limbs, w->params->ids));
    assert_ok(hb_switch_key_load(&key, w->engine, w->params, element, file.b, file.a, file.seeds));
    if (element == HB_RELINEARIZATION) {
        assert_ok(hb_mul(w->engine, x, w->sum.s, w->sum.s));
        joint_check_switch_key(w, &key, x, w->params->key_shape.relin);
    } else {
        joint_automorphism(w, x, element);
        joint_check_switch_key(w, &key, x, w->params->key_shape.galois);
    }
    hb_batch_free(w->engine, &x);
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&file);
}

static void later_rounds_make_keys(void **state)
{
    (void)state;
    table t;
    uint8_t before[HB_KEY_ID_BYTES];
    table_open(&t, "more");
    more(&t, "1,2"); /* one of which the session makes: element 3; the other, 9, is new */
    commit_all(&t);  /* of the session first */
    assert_false(is_there(in_scratch("more/more-1-commit-owner-00.h5")));
    for (uint32_t i = 0; i < 2 * OWNERS; i++) {
        assert_ok(step(&t, i % OWNERS));
    }
    assert_ok(step(&t, 0));
    assert_string_equal(t.progress.waiting.text, "more-1-first-owner-01.h5, more-1-first-owner-02.h5");
    join_path(t.keys, sizeof t.keys, t.folder, "keys");
    assert_int_equal(mkdir(t.keys, 0755), 0);
    assert_refused(combine(&t, false), HB_ENOINPUT, "more-1-first-owner-01.h5");
    assert_true(is_there(in_scratch("more/keys/galois-3.h5"))); /* the keys of the session are made */
    memcpy(before, t.key_id, sizeof before);
    expect(&t, 1, true, false, "more-1-first-owner-02.h5");
    assert_string_equal(t.progress.made.text, "more-1-first-owner-01.h5");
    finish_more(&t);
    assert_false(is_there(in_scratch("more/more-1-second-owner-00.h5"))); /* nothing is made of sums */
    combine_all(&t);
    assert_memory_equal(before, t.key_id, sizeof before);
    check_file(&t, "galois-3.h5", 3);
    check_file(&t, "galois-9.h5", 9);
    /* Another round behind it, and nothing that is there again. */
    more(&t, "1..3");
    finish_more(&t);
    combine_all(&t);
    check_file(&t, "galois-27.h5", 27);
    assert_refused(try_more(&t, &(hb_keygen_request){.relin = true, .rotations = "1,2,3"}), HB_ECREATE,
                   "have all of these keys already");
    assert_refused(try_more(&t, &(hb_keygen_request){.relin = false}), HB_EUSAGE, "--more makes no key");
    table_close(&t);
}

/* Where the session has no relinearization key, a later round makes one in its two steps. */
static void relinearization_comes_later(void **state)
{
    (void)state;
    table t;
    table_open_as(&t, "relin-later", (table_way){.no_relin = true});
    finish(&t);
    assert_ok(try_more(&t, &(hb_keygen_request){.relin = true}));
    finish_more(&t);
    assert_true(is_there(in_scratch("relin-later/more-1-second-owner-00.h5")));
    combine_all(&t);
    check_file(&t, "relin.h5", HB_RELINEARIZATION);
    table_close(&t);
}

/* A key for one element again, for more limbs: two keys with the same public polynomials and other errors would tell
 * the secret, so all of it is drawn anew. */
static void higher_levels_are_drawn_anew(void **state)
{
    (void)state;
    table t;
    table_open(&t, "higher"); /* whose element 2047 is for 2 limbs */
    finish(&t);
    assert_ok(try_more(&t, &(hb_keygen_request){.swap = true}));
    finish_more(&t);
    combine_all(&t);
    check_file(&t, "galois-2047.h5", 2047);
    hb_switch_key_file low = read_key(&t, "galois-2047-2.h5"), high = read_key(&t, "galois-2047.h5");
    assert_int_equal(low.parts, 2);
    assert_int_equal(high.parts, 3);
    for (uint32_t j = 0; j < low.parts; j++) {
        assert_memory_not_equal(&low.seeds[j], &high.seeds[j], sizeof *low.seeds);
    }
    hb_switch_key_file_clear(&low);
    hb_switch_key_file_clear(&high);
    assert_refused(try_more(&t, &(hb_keygen_request){.swap = true}), HB_ECREATE, "all of these keys");
    table_close(&t);
}

/* A round that is given up tells nothing of the next: with the same keys it has other files. */
static void rounds_are_independent(void **state)
{
    (void)state;
    static const char name[] = "more-1-first-owner-01.h5";
    table t;
    char path[160];
    size_t bytes, again;
    table_open(&t, "independent");
    finish(&t);
    more(&t, "2");
    finish_more(&t);
    uint8_t *one = slurp(join_path(path, sizeof path, t.folder, name), &bytes);
    move(&t, name, "aside");
    assert_ok(step(&t, 1));
    uint8_t *two = slurp(path, &again); /* the same step, the same bytes */
    assert_int_equal(bytes, again);
    assert_memory_equal(one, two, bytes);
    free(two);
    for (uint32_t i = 0; i < OWNERS; i++) {
        char file[2][32];
        snprintf(file[0], sizeof file[0], "more-1-commit-owner-%02u.h5", (unsigned)i);
        snprintf(file[1], sizeof file[1], "more-1-first-owner-%02u.h5", (unsigned)i);
        move(&t, file[0], "gone");
        move(&t, file[1], "gone");
    }
    move(&t, "more-1.h5", "gone");
    more(&t, "2");
    finish_more(&t);
    two = slurp(path, &again);
    size_t same = 0;
    for (size_t i = 0; i < bytes && i < again; i++) {
        same += one[i] == two[i];
    }
    assert_true(same < bytes / 2); /* of the packed rows, which are most of it, one byte in 256 */
    free(one);
    free(two);
    combine_all(&t);
    check_file(&t, "galois-9.h5", 9);
    table_close(&t);
}

static void unlink_in(const table *t, const char *name)
{
    char path[160];
    assert_int_equal(unlink(join_path(path, sizeof path, t->folder, name)), 0);
}

/* An owner opens a round once, and nobody's file serves in the place of another. */
static void rounds_are_opened_once(void **state)
{
    (void)state;
    table t;
    table_open(&t, "opened");
    finish(&t);
    more(&t, "2");
    assert_ok(step(&t, 0));
    assert_ok(step(&t, 1));
    expect(&t, 2, true, false, "more-1-first-owner-00.h5, more-1-first-owner-01.h5");
    assert_ok(step(&t, 0)); /* opened */
    copy(&t, "more-1-commit-owner-01.h5", "aside");
    copy(&t, "commit-owner-01.h5", "more-1-commit-owner-01.h5");
    assert_refused(step(&t, 0), HB_EDATA, "more-1-commit-owner-01.h5: of session");
    copy(&t, "more-1-commit-owner-02.h5", "more-1-commit-owner-01.h5");
    assert_refused(step(&t, 0), HB_EDATA, "more-1-commit-owner-01.h5: is of owner-02, not owner-01");
    copy(&t, "aside", "more-1-commit-owner-01.h5");
    copy(&t, "more-1-first-owner-02.h5", "first-aside");
    copy(&t, "first-owner-02.h5", "more-1-first-owner-02.h5");
    assert_refused(step(&t, 0), HB_EDATA, "more-1-first-owner-02.h5: of session");
    copy(&t, "first-aside", "more-1-first-owner-02.h5");
    /* Owner 1, who has seen others' contributions, commits again: to those of another root. */
    hb_seat *rogue = &t.seat[1];
    hb_joint_rounds rounds;
    assert_ok(hb_joint_rounds_open(&rounds, t.folder, &t.file, t.w.params));
    assert_int_equal(rounds.count, 1);
    const hb_joint_round round = rounds.file[0].round;
    const hb_message_subject subject = {.kind = HB_MESSAGE_COMMIT,
                                        .session = &round.session,
                                        .round = 1,
                                        .id = round.id,
                                        .params = t.w.params,
                                        .from = &t.w.cards[1]};
    const uint8_t commitment[HB_DIGEST_BYTES] = {7};
    hb_message_writer *writer;
    uint8_t body[HB_DIGEST_BYTES];
    char path[160];
    unlink_in(&t, "more-1-commit-owner-01.h5");
    assert_ok(
        hb_message_writer_open(join_path(path, sizeof path, t.folder, "more-1-commit-owner-01.h5"), &subject, &writer));
    assert_ok(hb_message_put(writer, 0, 0, commitment));
    assert_ok(hb_message_finish(writer, &rogue->root, body));
    hb_message_writer_close(writer);
    assert_refused(step(&t, 0), HB_EDATA,
                   "more-1-first-owner-00.h5 was opened for other commitments: begin another round");
    assert_refused(step(&t, 1), HB_EDATA, "more-1-commit-owner-01.h5: is not what your party file gives");
    hb_joint_rounds_close(&rounds);
    table_close(&t);
}

/* The path of the state of round 1. */
static char *later_state(const table *t, uint32_t owner, char *path, size_t size)
{
    hb_joint_rounds rounds;
    assert_ok(hb_joint_rounds_open(&rounds, t->folder, &t->file, t->w.params));
    const uint8_t *id = rounds.file[0].round.id;
    snprintf(path, size, "%.*s-%02x%02x%02x%02x.h5", (int)strlen(t->state[owner]) - 3, t->state[owner], id[0], id[1],
             id[2], id[3]);
    hb_joint_rounds_close(&rounds);
    return path;
}

/* As of the session: made again where the round is done, and not before. */
static void lost_states_of_rounds_are_made_again(void **state)
{
    (void)state;
    table t;
    char path[192];
    hb_joint_state known, made;
    table_open(&t, "lost-later");
    finish(&t);
    more(&t, "2");
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(&t, i));
    }
    later_state(&t, 0, path, sizeof path);
    assert_int_equal(unlink(path), 0);
    assert_refused(step(&t, 0), HB_EDATA, "what was opened is not known; begin another round");
    assert_false(is_there(path));
    unlink_in(&t, "more-1-commit-owner-00.h5");
    finish_more(&t);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_ok(hb_joint_state_read(path, &known));
    assert_int_equal(unlink(path), 0);
    expect(&t, 0, true, true, "");
    assert_true(t.progress.again);
    assert_ok(hb_joint_state_read(path, &made));
    assert_memory_equal(&known, &made, sizeof made);
    assert_false(made.parts);
    table_close(&t);
}

/* Files of rounds that nobody may join. */
static void bad_rounds_are_refused(void **state)
{
    (void)state;
    table t, other;
    hb_more_file next = {.rotations = NULL};
    hb_joint_rounds rounds;
    table_open(&t, "bad-rounds");
    finish(&t);
    more(&t, "2");
    move(&t, "more-1.h5", "more-2.h5");
    assert_refused(step(&t, 0), HB_EDATA, "more-2.h5: is round 1 of its session, not 2");
    move(&t, "more-2.h5", "aside");
    more(&t, "2,3");
    move(&t, "more-1.h5", "more-3.h5"); /* as by two people who do not see each other's */
    assert_ok(hb_joint_rounds_open(&rounds, in_scratch("none"), &t.file, t.w.params));
    assert_int_equal(rounds.count, 0);
    assert_ok(hb_joint_rounds_next(&next, &rounds, &t.file, &(hb_keygen_request){.rotations = "2"}, t.w.params));
    next.round.number = 3;
    hb_joint_round_id(next.round.id, t.file.id, &next.round);
    unlink_in(&t, "more-3.h5");
    move(&t, "aside", "more-1.h5");
    assert_ok(write_round(&t, &next.round));
    hb_joint_rounds_close(&rounds);
    hb_more_file_clear(&next);
    assert_refused(step(&t, 0), HB_EDATA, "more-3.h5: makes the key of element 9, which is made before it");
    assert_refused(combine(&t, false), HB_EDATA, "more-3.h5: makes the key of element 9, which is made before it");
    unlink_in(&t, "more-1.h5");
    finish_more(&t); /* a gap is fine */
    table_open_as(&other, "other-session", (table_way){.no_relin = true});
    char path[2][160];
    join_path(path[0], sizeof path[0], t.folder, "more-3.h5");
    join_path(path[1], sizeof path[1], other.folder, "more-3.h5");
    assert_int_equal(rename(path[0], path[1]), 0);
    finish(&t);
    assert_refused(try_more(&other, &(hb_keygen_request){.relin = true}), HB_EDATA, "is a round of another session");
    table_close(&other);
    table_close(&t);
}

HB_UNIT(rounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_rounds_make_keys),       cmocka_unit_test(relinearization_comes_later),
        cmocka_unit_test(higher_levels_are_drawn_anew), cmocka_unit_test(rounds_are_independent),
        cmocka_unit_test(rounds_are_opened_once),       cmocka_unit_test(lost_states_of_rounds_are_made_again),
        cmocka_unit_test(bad_rounds_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
