/* Trials of joint keys: they pass with good keys, whoever decrypts, and find every mistake in keys and parts; who does
 * not keep to the steps is refused. */
#include "reference/trial_table.h"

static void good_keys_pass(void **state)
{
    (void)state;
    table t;
    open_done(&t, "pass", (table_way){.chain = NULL});
    run(&t);
    assert_int_equal(outcome.sums, 1);
    assert_int_equal(outcome.products, 1);
    assert_int_equal(outcome.rotations, 2); /* one of them at a lower level */
    assert_string_equal(outcome.left_out.text, "");
    assert_true(outcome.noise > 0 && outcome.noise <= outcome.proven + 1);
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_int_equal(ledger_count(&t, i), 4);
        assert_ok(try_step(&t, i)); /* again: nothing is made, nothing is counted */
        assert_true(t.progress.done && !t.progress.did);
        assert_int_equal(ledger_count(&t, i), 4);
    }
    table_close(&t);
}

/* Every owner's share is tried, each ciphertext by one set alone. */
static void shares_pass(void **state)
{
    (void)state;
    table t;
    open_done(&t, "shares", (table_way){.threshold = 2});
    run(&t);
    assert_int_equal(outcome.sums, 2);
    assert_int_equal(outcome.products, 1);
    assert_int_equal(outcome.rotations, 2);
    assert_int_equal(ledger_count(&t, 0), 4); /* of the first set: owners 0 and 1 */
    assert_int_equal(ledger_count(&t, 1), 5); /* of both */
    assert_int_equal(ledger_count(&t, 2), 1);
    table_close(&t);
}

/* Each step that was killed makes the same bytes. */
static void steps_can_be_made_again(void **state)
{
    (void)state;
    static const char *const kinds[] = {"input-commit", "input", "opened", "part-commit", "part"};
    table t;
    open_done(&t, "again", (table_way){.threshold = 2});
    run(&t);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char name[48], path[160];
        size_t bytes, more;
        snprintf(name, sizeof name, "trial-0-%s-owner-01.h5", kinds[k]);
        uint8_t *one = slurp(join_path(path, sizeof path, t.folder, name), &bytes);
        assert_int_equal(unlink(path), 0);
        assert_ok(try_step(&t, 1));
        assert_string_equal(t.progress.made.text, name);
        uint8_t *two = slurp(path, &more);
        assert_int_equal(bytes, more);
        assert_memory_equal(one, two, bytes);
        free(one);
        free(two);
    }
    table_close(&t);
}

/* Results whose parts have no room are left out, and said. */
static void results_without_room_are_left_out(void **state)
{
    (void)state;
    static const joint_chain narrow = {1024, {34, 35, 36, 37}, 4, 65537};
    table t;
    open_done(&t, "narrow", (table_way){.chain = &narrow});
    run(&t);
    assert_int_equal(outcome.sums, 1);
    assert_int_equal(outcome.products, 0);
    assert_non_null(strstr(outcome.left_out.text, "the product on 3 primes"));
    table_close(&t);
}

/* --- mistakes */

/* Copies a file of owner 1 to another folder, with another bit in a row of one part, signed by him. */
static void spoil(const table *from, const table *to, const hb_message_subject *subject, const char *file,
                  const char *const part[2], uint8_t body[HB_DIGEST_BYTES])
{
    char path[160];
    hb_message *message;
    hb_message_writer *writer;
    assert_ok(hb_message_open(join_path(path, sizeof path, from->folder, file), subject, &message));
    assert_ok(hb_message_writer_open(join_path(path, sizeof path, to->folder, file), subject, &writer));
    const hb_message_parts *parts = hb_message_parts_in(message);
    const uint32_t spoiled = hb_message_find(parts, part[0], part[1]);
    for (uint32_t i = 0; i < parts->count; i++) {
        uint8_t *row = malloc(parts->part[i].row_bytes);
        for (uint32_t j = 0; j < parts->part[i].rows; j++) {
            assert_ok(hb_message_get(message, i, j, row));
            row[parts->part[i].row_bytes / 2] ^= i == spoiled && j == 0;
            assert_ok(hb_message_put(writer, i, j, row));
        }
        free(row);
    }
    assert_ok(hb_message_finish(writer, &from->w.owner[1].root, body));
    hb_message_writer_close(writer);
    hb_message_close(message);
}

/* One residue of one owner's contribution is another: its error is too large. All goes well until the trial. */
static void wrong_contributions_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *part[2], *words;
    } wrong[] = {{{NULL, "b"}, "noise of the sum of the inputs for set 1"},
                 {{"galois", "3"}, "noise of the rotation by element 3 on 5 primes"},
                 {{"galois", "2047"}, "noise of the rotation by element 2047 on 2 primes"},
                 {{"relin", "h0"}, "noise of the product on 5 primes"}};
    table good;
    open_done(&good, "good", (table_way){.chain = NULL});
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        table t;
        char name[32];
        snprintf(name, sizeof name, "wrong-%zu", i);
        table_open_as(&t, name, (table_way){.chain = &roomy});
        hb_joint_state own = hb_joint_state_begin(HB_JOINT_SESSION, "owner-01", t.file.id);
        const hb_message_subject subject = {.kind = HB_MESSAGE_FIRST,
                                            .session = &good.file.session,
                                            .id = good.file.id,
                                            .params = good.w.params,
                                            .from = &good.w.cards[1]};
        spoil(&good, &t, &subject, "first-owner-01.h5", wrong[i].part, own.first);
        assert_ok(hb_joint_state_write(t.state[1], &own, true)); /* he does not refuse what he wants */
        finish(&t);
        for (uint32_t k = 0; k < OWNERS; k++) {
            assert_ok(step(&t, k));
        }
        make_keys(&t);
        for (uint32_t k = 0; k < 3 * OWNERS; k++) {
            assert_ok(try_step(&t, k % OWNERS));
        }
        assert_ok(try_step(&t, 0));
        assert_refused(try_step(&t, 1), HB_EDATA, wrong[i].words);
        assert_refused(try_step(&t, 2), HB_EDATA, wrong[i].words);
        table_close(&t);
    }
    table_close(&good);
}

/* Who makes a wrong part: nobody can tell whose it is. */
static void wrong_parts_are_found(void **state)
{
    (void)state;
    static const char *const part[2] = {"parts", "2"};
    table good, t;
    char path[192];
    hb_joint_label label;
    hb_joint_state own;
    open_done(&good, "good-parts", (table_way){.chain = NULL});
    run(&good);
    open_done(&t, "wrong-part", (table_way){.chain = NULL});
    open_inputs(&t);
    assert_ok(hb_joint_label_read(in_scratch("good-parts/trial-0-part-owner-01.h5"), &label));
    const hb_message_subject subject = trial_subject(&good, &label, HB_MESSAGE_PART);
    assert_ok(hb_joint_state_read(trial_state(&t, 1, label.session, path, sizeof path), &own));
    spoil(&good, &t, &subject, "trial-0-part-owner-01.h5", part, own.second);
    assert_ok(hb_joint_state_write(path, &own, false)); /* he does not refuse what he wants */
    assert_refused(run_to_refusal(&t), HB_EDATA, "the noise of the rotation by element 3 on 5 primes is above");
    table_close(&t);
    table_close(&good);
}

/* Files of another owner, step, or trial, and cut ones. */
static void other_files_are_refused(void **state)
{
    (void)state;
    static const char victim[] = "trial-0-input-owner-01.h5";
    table t;
    char path[160];
    open_done(&t, "other-files", (table_way){.chain = NULL});
    run(&t);
    copy(&t, victim, "good");
    copy(&t, "trial-0-input-owner-02.h5", victim);
    assert_refused(try_step(&t, 0), HB_EDATA, "trial-0-input-owner-01.h5: is of owner-02, not owner-01");
    copy(&t, "trial-0-opened-owner-01.h5", victim);
    assert_refused(try_step(&t, 0), HB_EDATA, "is of kind 'opened', where 'input' is needed");
    copy(&t, "good", victim);
    struct stat info;
    assert_int_equal(stat(join_path(path, sizeof path, t.folder, victim), &info), 0);
    assert_int_equal(truncate(path, info.st_size - 1), 0);
    assert_refused(try_step(&t, 0), HB_EDATA, victim);
    copy(&t, "good", victim);
    copy(&t, "commit-owner-01.h5", "trial-0-input-commit-owner-01.h5");
    assert_refused(try_step(&t, 0), HB_EDATA, "is of kind 'commit', where 'input-commit' is needed");
    table_close(&t);
}

/* Commitments stand, and a trial whose state is gone is over. */
static void a_trial_is_made_once(void **state)
{
    (void)state;
    table t;
    char path[192];
    open_done(&t, "once", (table_way){.chain = NULL});
    open_inputs(&t);
    move(&t, "trial-0-input-commit-owner-02.h5", "aside");
    assert_ok(try_step(&t, 0)); /* waits */
    move(&t, "aside", "trial-0-input-commit-owner-02.h5");
    hb_joint_label label;
    assert_ok(hb_joint_label_read(in_scratch("once/trial-0-input-owner-00.h5"), &label));
    /* Owner 1 has seen an input, and commits again. */
    const hb_message_subject subject = {.kind = HB_MESSAGE_INPUT_COMMIT,
                                        .session = &t.file.session,
                                        .id = label.session,
                                        .params = t.w.params,
                                        .from = &t.w.cards[1]};
    const uint8_t commitment[HB_DIGEST_BYTES] = {7};
    uint8_t body[HB_DIGEST_BYTES];
    hb_message_writer *writer;
    move(&t, "trial-0-input-commit-owner-01.h5", "aside");
    join_path(path, sizeof path, t.folder, "trial-0-input-commit-owner-01.h5");
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    assert_ok(hb_message_put(writer, 0, 0, commitment));
    assert_ok(hb_message_finish(writer, &t.w.owner[1].root, body));
    hb_message_writer_close(writer);
    assert_refused(try_step(&t, 0), HB_EDATA, "trial-0-input-owner-00.h5 was opened for other commitments: this trial");
    move(&t, "aside", "trial-0-input-commit-owner-01.h5");
    assert_int_equal(unlink(trial_state(&t, 0, label.session, path, sizeof path)), 0);
    assert_refused(try_step(&t, 0), HB_EDATA, "what was opened is not known; this trial is over");
    table_close(&t);
}

/* More keys are tried in a trial of their own. */
static void later_rounds_have_trials(void **state)
{
    (void)state;
    table t;
    hb_joint_rounds rounds;
    hb_more_file next = {.rotations = NULL};
    char path[160];
    open_done(&t, "later", (table_way){.threshold = 2});
    run(&t);
    assert_ok(hb_joint_rounds_open(&rounds, t.folder, &t.file, t.w.params));
    assert_ok(hb_joint_rounds_next(&next, &rounds, &t.file, &(hb_keygen_request){.rotations = "2"}, t.w.params));
    assert_ok(hb_more_file_write(join_path(path, sizeof path, t.folder, "more-1.h5"), &t.file, &next.round));
    hb_more_file_clear(&next);
    hb_joint_rounds_close(&rounds);
    for (uint32_t i = 0; i < 3 * OWNERS; i++) {
        (void)step(&t, i % OWNERS);
    }
    make_keys(&t);
    t.progress.done = false;
    run(&t);
    assert_int_equal(outcome.rotations, 3);
    assert_true(is_there(join_path(path, sizeof path, t.folder, "trial-1-part-owner-00.h5")));
    table_close(&t);
}

HB_UNIT(trial)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_keys_pass),
        cmocka_unit_test(shares_pass),
        cmocka_unit_test(steps_can_be_made_again),
        cmocka_unit_test(results_without_room_are_left_out),
        cmocka_unit_test(wrong_contributions_are_found),
        cmocka_unit_test(wrong_parts_are_found),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_trial_is_made_once),
        cmocka_unit_test(later_rounds_have_trials),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
