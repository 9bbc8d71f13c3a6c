/* A session of three owners in a folder of its own, whose keys they try step by step. */
#ifndef HB_TESTS_TRIAL_TABLE_H
#define HB_TESTS_TRIAL_TABLE_H

#include "reference/joint_table.h"

#include "io/joint/label.h"
#include "io/joint/ledger.h"
#include "trial/trial.h"

static const joint_chain roomy = {1024, {50, 50, 50, 50, 50, 51}, 6, 65537};

static hb_trial_outcome outcome; /* of the last step */

static inline hb_status try_step(table *t, uint32_t owner)
{
    hb_party_file party;
    hb_joint_rounds rounds;
    assert_ok(hb_party_file_init(&party, t->w.cards[owner].name, &t->w.owner[owner].root));
    assert_ok(hb_joint_rounds_open(&rounds, t->folder, &t->file, t->w.params));
    const hb_trial_request request = {&t->seat[owner], &rounds, &party, t->state[owner], t->keys};
    const hb_status st = hb_trial_take_step(&request, &t->progress, &outcome);
    hb_joint_rounds_close(&rounds);
    hb_party_file_clear(&party);
    return st;
}

static inline void make_keys(table *t)
{
    uint8_t id[HB_KEY_ID_BYTES];
    join_path(t->keys, sizeof t->keys, t->folder, "keys");
    (void)mkdir(t->keys, 0755);
    assert_ok(combine(t, false));
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(hb_seat_check(&t->seat[i], t->state[i], t->keys, id));
    }
}

/* A session that is done, and its keys. */
static inline void open_done(table *t, const char *name, table_way way)
{
    way.chain = way.chain != NULL ? way.chain : &roomy;
    table_open_as(t, name, way);
    finish(t);
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(t, i));
    }
    make_keys(t);
}

/* Steps of all until one input alone is missing. */
static inline void open_inputs(table *t)
{
    assert_ok(try_step(t, 0));
    assert_ok(try_step(t, 1));
    assert_ok(try_step(t, 2));
    assert_ok(try_step(t, 0));
    assert_string_equal(t->progress.made.text, "trial-0-input-owner-00.h5");
    assert_string_equal(t->progress.waiting.text, "trial-0-input-owner-01.h5");
}

static inline void run(table *t)
{
    for (uint32_t i = 0; i < 4 * OWNERS && !(t->progress.done && i >= OWNERS); i++) {
        assert_ok(try_step(t, i % OWNERS));
    }
    assert_true(t->progress.done);
}

static inline char *ledger_path(const table *t, uint32_t owner, char *path, size_t size)
{
    snprintf(path, size, "%.*s.parts", (int)strlen(t->state[owner]) - 3, t->state[owner]);
    return path;
}

static inline uint64_t ledger_count(const table *t, uint32_t owner)
{
    char path[192];
    hb_ledger *ledger;
    assert_ok(hb_ledger_open(ledger_path(t, owner, path, sizeof path), t->file.id, t->file.session.results, &ledger));
    const uint64_t count = hb_ledger_count(ledger);
    hb_ledger_close(ledger);
    return count;
}

/* All steps, until somebody refuses; returns what he says. */
static inline hb_status run_to_refusal(table *t)
{
    hb_status st = HB_OK;
    for (uint32_t i = 0; st == HB_OK && i < 4 * OWNERS; i++) {
        st = try_step(t, i % OWNERS);
    }
    return st;
}

/* The path of an owner's state of the trial of this id. */
static inline char *trial_state(const table *t, uint32_t owner, const uint8_t *id, char *path, size_t size)
{
    snprintf(path, size, "%.*s-%02x%02x%02x%02x.h5", (int)strlen(t->state[owner]) - 3, t->state[owner], id[0], id[1],
             id[2], id[3]);
    return path;
}

static const hb_trial_result roomy_results[] = {{5, 0}, {5, 0}, {5, 0}, {2, 0}};
static const hb_trial_shape roomy_shape = {.sets = 1, .limbs = 5, .result_count = 4, .result = roomy_results};

static inline hb_message_subject trial_subject(const table *t, const hb_joint_label *label, hb_message_kind kind)
{
    return (hb_message_subject){.kind = kind,
                                .session = &t->file.session,
                                .id = label->session,
                                .trial = &roomy_shape,
                                .params = t->w.params,
                                .from = &t->w.cards[1]};
}

#endif
