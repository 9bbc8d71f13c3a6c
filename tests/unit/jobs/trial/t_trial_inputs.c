/* Trials of joint keys: an input that is no honest encryption gets no part, seeds are opened once, and nobody begins
 * whose ledger has too little room. */
#include "reference/trial_table.h"

/* Further steps of all until all seeds are opened. */
static void open_seeds(table *t)
{
    open_inputs(t);
    assert_ok(try_step(t, 1));
    assert_string_equal(t->progress.made.text, "trial-0-input-owner-01.h5, trial-0-opened-owner-01.h5");
    assert_string_equal(t->progress.waiting.text, "trial-0-opened-owner-00.h5, trial-0-opened-owner-02.h5");
    assert_ok(try_step(t, 2));
    assert_string_equal(t->progress.made.text, "trial-0-opened-owner-02.h5");
}

static void assert_no_part_of(const table *t, uint32_t owner)
{
    static const char *const kinds[] = {"part-commit", "part"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char name[48], path[192];
        snprintf(name, sizeof name, "trial-0-%s-owner-%02u.h5", kinds[k], (unsigned)owner);
        assert_false(is_there(join_path(path, sizeof path, t->folder, name)));
    }
}

/* Nobody has made a part, committed to one, or recorded one. */
static void assert_no_parts(const table *t)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_no_part_of(t, i);
        assert_int_equal(ledger_count(t, i), 0);
    }
}

/* Who encrypts something else than he opens is named, before there are parts. */
static void wrong_inputs_are_named(void **state)
{
    (void)state;
    table t;
    open_done(&t, "wrong-input", (table_way){.chain = NULL});
    t.seat[1].own.bytes[0] ^= 1; /* other draws */
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(try_step(&t, i));
    }
    move(&t, "trial-0-input-owner-02.h5", "aside"); /* or he would open the seed at once */
    assert_ok(try_step(&t, 1));
    assert_string_equal(t.progress.made.text, "trial-0-input-owner-01.h5");
    move(&t, "aside", "trial-0-input-owner-02.h5");
    t.seat[1].own.bytes[0] ^= 1;
    assert_refused(run_to_refusal(&t), HB_EDATA, "the input of owner-01 is not the encryption that owner-01 opened");
    assert_no_parts(&t);
    table_close(&t);
}

/* Q / 8 modulo each prime q: (Q - r) / 8 = -r / 8, r = Q mod 8. */
static void put_eighth(uint8_t *packed, const hb_params *params, uint32_t limbs)
{
    uint64_t r = 1;
    for (uint32_t i = 0; i < limbs; i++) {
        r = r * (params->ring.moduli[params->ids[i]].value % 8) % 8;
    }
    for (uint32_t i = 0; i < limbs; i++) {
        const hb_modulus *q = &params->ring.moduli[params->ids[i]];
        uint64_t word = 0, k = 0;
        while ((q->value * k + 8 - r) % 8 != 0) {
            k++;
        }
        word = (q->value * k - r) / 8; /* k is 1 to 7, r below 8 */
        for (uint32_t bit = 0; bit < q->bits; bit++) {
            packed[bit / 8] |= (uint8_t)((word >> bit & 1) << bit % 8);
        }
        packed += hb_packed_row_bytes(params->spec.n, q);
    }
}

/* Writes a message of owner 1, who keeps to no steps: each part has one row. */
static void write_evil(const table *t, const hb_message_subject *subject, const uint8_t *const rows[],
                       uint8_t body[HB_DIGEST_BYTES])
{
    char name[HB_JOINT_FILE_NAME], path[192];
    hb_message_writer *writer;
    hb_joint_file_name(name, subject);
    assert_ok(hb_message_writer_open(join_path(path, sizeof path, t->folder, name), subject, &writer));
    const hb_message_parts *parts = hb_message_writer_parts(writer);
    for (uint32_t i = 0; i < parts->count; i++) {
        assert_ok(hb_message_put(writer, i, 0, rows[i]));
    }
    assert_ok(hb_message_finish(writer, &t->w.owner[1].root, body));
    hb_message_writer_close(writer);
}

/* Owner 1 commits to the input c_0 = 0, c_1 = Q / 8, whose part would be s_i Q / 8 and noise far below it, and opens a
 * seed. */
static void attack(table *t)
{
    const hb_params *params = t->w.params;
    const size_t bytes = hb_packed_bytes(&params->ring, params->ids, roomy_shape.limbs);
    uint8_t *zero = calloc(1, bytes), *eighth = calloc(1, bytes);
    uint8_t body[HB_DIGEST_BYTES], other[HB_DIGEST_BYTES], commitment[HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
    hb_joint_label label;
    hb_name_list missing;
    hb_joint_all inputs;
    assert_ok(try_step(t, 0));
    assert_ok(hb_joint_label_read(in_scratch("attack/trial-0-input-commit-owner-00.h5"), &label));
    hb_message_subject subject = trial_subject(t, &label, HB_MESSAGE_INPUT);
    put_eighth(eighth, params, roomy_shape.limbs);
    write_evil(t, &subject, (const uint8_t *const[]){zero, eighth}, body);
    subject.kind = HB_MESSAGE_INPUT_COMMIT;
    hb_joint_commitment(commitment, label.session, "owner-01", body);
    write_evil(t, &subject, (const uint8_t *const[]){commitment}, other);
    assert_ok(try_step(t, 2));
    assert_ok(try_step(t, 0)); /* all inputs are there now */
    subject.kind = HB_MESSAGE_INPUT;
    assert_ok(hb_joint_open_all(&inputs, &subject, t->folder, &missing));
    assert_true(hb_joint_all_there(&inputs));
    hb_joint_bodies_digest(digest, label.session, OWNERS, inputs.bodies);
    hb_joint_close_all(&inputs);
    subject.kind = HB_MESSAGE_OPENED;
    write_evil(t, &subject, (const uint8_t *const[]){t->seat[1].own.bytes, digest}, body);
    free(zero);
    free(eighth);
}

/* An input that is no honest encryption gets no part from anybody, and nothing is recorded. */
static void made_up_inputs_get_no_parts(void **state)
{
    (void)state;
    static const char words[] = "the input of owner-01 is not the encryption that owner-01 opened; you made no part";
    table t;
    open_done(&t, "attack", (table_way){.chain = NULL});
    assert_ok(try_step(&t, 1)); /* begins his ledger, which is looked at */
    move(&t, "trial-0-input-commit-owner-01.h5", "honest");
    attack(&t);
    assert_refused(try_step(&t, 2), HB_EDATA, words);
    assert_refused(try_step(&t, 0), HB_EDATA, words);
    assert_refused(try_step(&t, 0), HB_EDATA, words); /* for good */
    assert_no_parts(&t);
    table_close(&t);
}

/* Seeds are opened for the inputs of all, once, and other seeds later save no trial. */
static void seeds_are_opened_once(void **state)
{
    (void)state;
    static const uint8_t wrong[HB_DIGEST_BYTES] = {5};
    table t;
    hb_joint_label label;
    hb_joint_state own;
    char path[192];
    uint8_t body[HB_DIGEST_BYTES];
    open_done(&t, "seeds", (table_way){.chain = NULL});
    open_seeds(&t);
    assert_no_parts(&t);
    assert_ok(hb_joint_label_read(in_scratch("seeds/trial-0-opened-owner-01.h5"), &label));
    assert_ok(hb_joint_state_read(trial_state(&t, 1, label.session, path, sizeof path), &own));
    const hb_message_subject subject = trial_subject(&t, &label, HB_MESSAGE_OPENED);
    move(&t, "trial-0-opened-owner-01.h5", "good");
    write_evil(&t, &subject, (const uint8_t *const[]){wrong, wrong}, body);
    assert_refused(try_step(&t, 0), HB_EDATA, "trial-0-opened-owner-01.h5 was opened for other inputs than are here");
    assert_int_equal(unlink(in_scratch("seeds/trial-0-opened-owner-01.h5")), 0);
    write_evil(&t, &subject, (const uint8_t *const[]){wrong, own.opened}, body);
    assert_refused(try_step(&t, 0), HB_EDATA, "the input of owner-01 is not");
    move(&t, "good", "trial-0-opened-owner-01.h5");
    assert_refused(try_step(&t, 0), HB_EDATA, "the trial was begun with other opened seeds: this trial is over");
    assert_no_parts(&t);
    assert_ok(hb_joint_state_read(trial_state(&t, 2, label.session, path, sizeof path), &own));
    own.opened[0] ^= 1;
    assert_ok(hb_joint_state_write(path, &own, false));
    assert_refused(try_step(&t, 2), HB_EDATA, "trial-0-opened-owner-02.h5 was opened for other inputs: this trial");
    table_close(&t);
}

/* Uses up an owner's results but for so many. */
static void use_up(const table *t, uint32_t owner, uint64_t left)
{
    char path[192];
    hb_ledger *ledger;
    assert_ok(hb_ledger_open(ledger_path(t, owner, path, sizeof path), t->file.id, t->file.session.results, &ledger));
    for (uint64_t i = hb_ledger_count(ledger); i + left < t->file.session.results; i++) {
        const hb_ledger_record record = {.c1 = {(uint8_t)i, 1}};
        assert_ok(hb_ledger_add_parts(ledger, &record, 1, 0));
    }
    assert_ok(hb_ledger_sync(ledger));
    hb_ledger_close(ledger);
}

/* A trial takes of the results that keys were made for, and begins where there is room for all of its own alone. */
static void the_ledger_counts(void **state)
{
    (void)state;
    static const char few[] = "takes 4 results of you, and 3 of %s are left: use the keys without a trial, or begin a";
    table t;
    hb_joint_state known;
    char path[192], words[128];
    open_done(&t, "few-results", (table_way){.results = 3});
    snprintf(words, sizeof words, few, "3");
    assert_refused(try_step(&t, 1), HB_EDATA, words);
    assert_false(is_there(in_scratch("few-results/trial-0-input-commit-owner-01.h5")));
    table_close(&t);
    open_done(&t, "used-up", (table_way){.results = 9});
    open_seeds(&t);
    use_up(&t, 0, 3); /* before he decides about parts, and behind it */
    snprintf(words, sizeof words, few, "9");
    assert_refused(try_step(&t, 0), HB_EDATA, words);
    assert_no_part_of(&t, 0);
    assert_int_equal(unlink(ledger_path(&t, 0, path, sizeof path)), 0);
    assert_ok(hb_ledger_create(path, t.file.id));
    use_up(&t, 0, 4); /* just enough */
    run(&t);
    assert_int_equal(ledger_count(&t, 0), 9);
    assert_ok(hb_joint_state_read(t.state[0], &known));
    assert_int_equal(known.parts, 1 + 9); /* an older ledger would be refused */
    hb_joint_state_clear(&known);
    table_close(&t);
    open_done(&t, "not-compared", (table_way){.chain = NULL});
    assert_ok(hb_joint_state_read(t.state[1], &known));
    memset(known.key_id, 0, sizeof known.key_id);
    assert_ok(hb_joint_state_write(t.state[1], &known, false));
    hb_joint_state_clear(&known);
    assert_refused(try_step(&t, 1), HB_EDATA, "is not the key that you compared");
    table_close(&t);
}

HB_UNIT(trial_inputs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_inputs_are_named),
        cmocka_unit_test(made_up_inputs_get_no_parts),
        cmocka_unit_test(seeds_are_opened_once),
        cmocka_unit_test(the_ledger_counts),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
