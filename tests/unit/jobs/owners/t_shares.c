/* Sessions of which some owners decrypt: what each keeps at the end gives the secret with any T of them, an interrupted
 * step makes the same, and wrong shares are found and their dealer named. */
#include "unit/scratch.h"

#include "io/joint/state_file.h"
#include "io/keys/keyfile.h"
#include "joint/sealing.h"
#include "owners/combine.h"
#include "owners/seat.h"
#include "reference/joint_shares.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {40, 41, 42, 43}, 4, 65537};
enum { OWNERS = 4, THRESHOLD = 3, CHECKS = 2 };

/* A session in a folder of its own; without rotations. */
typedef struct table {
    joint_world w;
    hb_session_file file;
    hb_seat seat[OWNERS];
    hb_seat_progress progress;
    char folder[128], state[OWNERS][160];
} table;

static char *join_path(char *to, size_t size, const char *folder, const char *name)
{
    snprintf(to, size, "%s/%s", folder, name);
    return to;
}

static void table_open(table *t, const char *name)
{
    joint_world *w = &t->w;
    char path[160];
    memset(t, 0, sizeof *t);
    joint_world_open(w, &chain, OWNERS, 9);
    w->session.rotation_count = 0;
    joint_threshold(w, THRESHOLD, 9);
    snprintf(t->folder, sizeof t->folder, "%s", in_scratch(name));
    assert_int_equal(mkdir(t->folder, 0755), 0);
    assert_ok(hb_joint_session_check(&w->session, w->params));
    assert_ok(
        hb_session_file_write(join_path(path, sizeof path, t->folder, "session.h5"), &w->params->spec, &w->session));
    assert_ok(hb_session_file_read(path, &t->file));
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_party_file party;
        char state[32];
        snprintf(state, sizeof state, "state-%u.h5", (unsigned)i);
        join_path(t->state[i], sizeof t->state[i], t->folder, state);
        assert_ok(hb_party_file_init(&party, w->cards[i].name, &w->owner[i].root));
        assert_ok(hb_seat_open(&t->seat[i], w->engine, w->params, &t->file, t->folder, &party));
        hb_party_file_clear(&party);
    }
}

static void table_close(table *t)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_seat_close(&t->seat[i]);
    }
    hb_session_file_clear(&t->file);
    joint_world_close(&t->w);
}

static hb_status step(table *t, uint32_t owner)
{
    return hb_seat_step(&t->seat[owner], t->state[owner], &t->progress);
}

/* One step of each owner. */
static void round_of_steps(table *t)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(step(t, i));
    }
}

/* The share that an owner kept; the caller frees. */
static hb_batch kept_share(const table *t, uint32_t owner)
{
    const hb_params *p = t->w.params;
    const size_t bytes = hb_packed_bytes(&p->ring, p->ids, p->key_limbs);
    hb_batch r = joint_polynomials(&t->w, 1);
    uint8_t *packed = malloc(bytes);
    hb_joint_state state;
    assert_ok(hb_joint_state_read(t->state[owner], &state));
    assert_int_equal(state.share_bytes, bytes + HB_SEAL_BYTES);
    assert_ok(hb_share_take(packed, &t->w.owner[owner].own, state.inputs, state.share, bytes));
    assert_ok(hb_share_unpack(t->w.engine, r, packed, "a share"));
    hb_joint_state_clear(&state);
    free(packed);
    return r;
}

static void any_t_kept_shares_give_the_secret(void **state)
{
    (void)state;
    table t;
    joint_shares s;
    table_open(&t, "kept");
    round_of_steps(&t);
    assert_string_equal(t.progress.waiting.text, "first-owner-00.h5, first-owner-01.h5, first-owner-02.h5");
    round_of_steps(&t);
    round_of_steps(&t);
    assert_true(t.progress.done);
    round_of_steps(&t); /* those who came before the last one made round 2 */
    assert_true(t.progress.done);
    assert_false(t.progress.did);
    for (uint32_t i = 0; i < OWNERS; i++) {
        s.share[i] = kept_share(&t, i);
    }
    for (uint32_t bits = 0; bits < 1u << OWNERS; bits++) {
        const joint_set set = joint_set_of(bits);
        hb_batch sum = joint_polynomials(&t.w, 1);
        assert_ok(hb_clear(t.w.engine, sum));
        for (uint32_t k = 0; k < set.count; k++) {
            hb_secret_key key = joint_share_key(&t.w, &s, &set, k);
            assert_ok(hb_add(t.w.engine, sum, sum, key.s));
            hb_secret_key_clear(&key);
        }
        const size_t bytes = sum.limbs * t.w.params->spec.n * sizeof(uint64_t);
        assert_int_equal(memcmp(sum.data, t.w.sum.s.data, bytes) == 0, set.count >= THRESHOLD);
        hb_batch_free(t.w.engine, &sum);
    }
    joint_shares_free(&t.w, &s);
    /* Others of the same machine cannot read what was kept. */
    struct stat info;
    assert_int_equal(stat(t.state[1], &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    table_close(&t);
}

/* Keys say how many owners decrypt. */
static void keys_have_the_threshold(void **state)
{
    (void)state;
    table t;
    char keys[160], path[176];
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_keyfile file;
    table_open(&t, "keys-of");
    for (int i = 0; i < 3; i++) {
        round_of_steps(&t);
    }
    assert_int_equal(mkdir(join_path(keys, sizeof keys, t.folder, "keys"), 0755), 0);
    const hb_joint_folders folders = {.session = t.folder, .keys = keys};
    assert_ok(hb_joint_combine(&folders, t.w.engine, t.w.params, &t.file, key_id));
    assert_ok(hb_keyfile_read(join_path(path, sizeof path, keys, "public.h5"), &file));
    assert_int_equal(file.spec.joint.owners, OWNERS);
    assert_int_equal(file.spec.joint.threshold, THRESHOLD);
    hb_keyfile_clear(&file);
    table_close(&t);
}

/* Removes one file after the other, does the step again, and finds the same bytes. */
static void steps_can_be_made_again(void **state)
{
    (void)state;
    static const char *const files[] = {"first-owner-01.h5", "second-owner-01.h5"};
    table t;
    size_t bytes, more;
    table_open(&t, "again");
    for (int i = 0; i < 4; i++) {
        round_of_steps(&t);
    }
    assert_true(t.progress.done);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[160];
        join_path(path, sizeof path, t.folder, files[i]);
        uint8_t *one = slurp(path, &bytes);
        assert_int_equal(unlink(path), 0);
        assert_ok(step(&t, 1));
        assert_true(t.progress.did && t.progress.done);
        uint8_t *two = slurp(path, &more);
        assert_int_equal(bytes, more);
        assert_memory_equal(one, two, bytes);
        free(one);
        free(two);
    }
    /* Killed before the share was kept. */
    uint8_t *one = slurp(t.state[1], &bytes);
    hb_joint_state read;
    assert_ok(hb_joint_state_read(t.state[1], &read));
    hb_joint_state bare = read;
    bare.share = NULL;
    bare.share_bytes = 0;
    assert_ok(hb_joint_state_write(t.state[1], &bare, false));
    hb_joint_state_clear(&read);
    assert_ok(step(&t, 1));
    assert_true(t.progress.did && t.progress.done);
    uint8_t *two = slurp(t.state[1], &more);
    assert_int_equal(bytes, more);
    assert_memory_equal(one, two, bytes);
    free(two);
    /* The whole state was lost: the share is that which was dealt. */
    assert_ok(hb_joint_state_read(t.state[1], &read));
    assert_int_equal(unlink(t.state[1]), 0);
    assert_ok(step(&t, 1));
    assert_true(t.progress.again && t.progress.done);
    assert_ok(hb_joint_state_read(t.state[1], &bare));
    assert_true(bare.parts);
    assert_int_equal(bare.share_bytes, read.share_bytes);
    assert_memory_equal(bare.share, read.share, read.share_bytes);
    hb_joint_state_clear(&read);
    hb_joint_state_clear(&bare);
    free(one);
    table_close(&t);
}

/* --- dealers who deal wrong shares */

/* How the last owner's share for owner 0 is wrong. */
typedef enum wrong { BY_ONE, OF_A_CHECK, DAMAGED, OUT_OF_RANGE, WRONGS } wrong;

static void spoil(const table *t, wrong how, uint8_t *box)
{
    const joint_world *w = &t->w;
    const hb_params *p = w->params;
    const uint32_t last = OWNERS - 1;
    const size_t one = hb_packed_bytes(&p->ring, p->ids, p->key_limbs), bytes = (1 + CHECKS) * one;
    const hb_share_way way = {w->id, &w->cards[last], &w->cards[0]};
    uint8_t *message = malloc(bytes);
    assert_ok(hb_share_unseal(message, &w->owner[0].root, &way, box, bytes));
    switch (how) {
    case BY_ONE:
        message[0] ^= 1;
        break;
    case OF_A_CHECK:
        message[2 * one] ^= 1;
        break;
    case OUT_OF_RANGE:
        memset(message + bytes - 16, 0xff, 16);
        break;
    case DAMAGED:
    case WRONGS:
        break;
    }
    assert_ok(hb_share_seal(box, &w->owner[last].root, &way, message, bytes));
    box[bytes] ^= how == DAMAGED;
    free(message);
}

/* Copies the last owner's round 1 with a wrong share, and returns its digest. */
static void write_wrong(const table *t, wrong how, const char *from, const char *to, uint8_t body[HB_DIGEST_BYTES])
{
    const joint_world *w = &t->w;
    const hb_message_subject subject = {
        .kind = HB_MESSAGE_FIRST, .session = &t->file.session, .id = w->id, .params = w->params, .from = &w->cards[3]};
    hb_message *message;
    hb_message_writer *writer;
    assert_ok(hb_message_open(from, &subject, &message));
    assert_ok(hb_message_writer_open(to, &subject, &writer));
    const hb_message_parts *parts = hb_message_parts_in(message);
    const uint32_t share = hb_message_find(parts, "shares", w->cards[0].name);
    for (uint32_t i = 0; i < parts->count; i++) {
        uint8_t *row = malloc(parts->part[i].row_bytes);
        for (uint32_t j = 0; j < parts->part[i].rows; j++) {
            assert_ok(hb_message_get(message, i, j, row));
            if (i == share) {
                spoil(t, how, row);
            }
            assert_ok(hb_message_put(writer, i, j, row));
        }
        free(row);
    }
    assert_ok(hb_message_finish(writer, &w->owner[3].root, body));
    hb_message_writer_close(writer);
    hb_message_close(message);
}

static void write_commit(const table *t, const char *path, const uint8_t body[HB_DIGEST_BYTES])
{
    const joint_world *w = &t->w;
    const hb_message_subject subject = {
        .kind = HB_MESSAGE_COMMIT, .session = &t->file.session, .id = w->id, .params = w->params, .from = &w->cards[3]};
    uint8_t commitment[HB_DIGEST_BYTES], own[HB_DIGEST_BYTES];
    hb_message_writer *writer;
    hb_joint_commitment(commitment, w->id, w->cards[3].name, body);
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    assert_ok(hb_message_put(writer, 0, 0, commitment));
    assert_ok(hb_message_finish(writer, &w->owner[3].root, own));
    hb_message_writer_close(writer);
}

/* Begins the session anew, where the last owner commits to a wrong share and opens it. */
static void cheat(table *t, wrong how)
{
    char path[2][160];
    uint8_t body[HB_DIGEST_BYTES];
    join_path(path[0], sizeof path[0], t->folder, "first-owner-03.h5");
    join_path(path[1], sizeof path[1], t->folder, "wrong.h5");
    round_of_steps(t);
    round_of_steps(t);
    write_wrong(t, how, path[0], path[1], body);
    for (uint32_t i = 0; i < OWNERS; i++) {
        static const char *const kinds[] = {"commit", "first", "second"};
        for (size_t k = 0; k < 3; k++) {
            char name[32], old[160];
            snprintf(name, sizeof name, "%s-owner-%02u.h5", kinds[k], (unsigned)i);
            (void)unlink(join_path(old, sizeof old, t->folder, name));
        }
        assert_int_equal(unlink(t->state[i]), 0);
    }
    assert_int_equal(rename(path[1], path[0]), 0);
    hb_joint_state state = hb_joint_state_begin(HB_JOINT_SESSION, "owner-03", t->w.id);
    assert_ok(hb_joint_state_write(t->state[3], &state, true));
    write_commit(t, join_path(path[1], sizeof path[1], t->folder, "commit-owner-03.h5"), body);
    assert_refused(step(t, 3), HB_EDATA, "commit-owner-03.h5: is not what your party file gives");
    memcpy(state.first, body, sizeof state.first); /* he does not refuse what he wants */
    assert_ok(hb_joint_state_write(t->state[3], &state, false));
}

static void wrong_shares_are_found(void **state)
{
    (void)state;
    static const char *const words[WRONGS] = {
        [BY_ONE] = "the share that owner-03 dealt is wrong: begin again without owner-03, or with another card",
        [OF_A_CHECK] = "the share that owner-03 dealt is wrong",
        [DAMAGED] = "the share that owner-03 dealt does not open: begin again without owner-03, or with another card",
        [OUT_OF_RANGE] = "the share that owner-03 dealt has"};
    for (int how = 0; how < WRONGS; how++) {
        table t;
        char name[32];
        hb_joint_state read;
        snprintf(name, sizeof name, "wrong-%d", how);
        table_open(&t, name);
        cheat(&t, (wrong)how);
        for (int i = 0; i < 3; i++) {
            for (uint32_t k = 1; k < OWNERS; k++) {
                assert_ok(step(&t, k));
            }
            (void)step(&t, 0);
        }
        assert_ok(step(&t, 1)); /* whose share is right */
        assert_true(t.progress.done);
        assert_refused(step(&t, 0), HB_EDATA, words[how]);
        assert_ok(hb_joint_state_read(t.state[0], &read));
        assert_null(read.share);
        table_close(&t);
    }
}

/* Makes round 2 of owner 2 again, signed, with another bit in the first byte of each row of a part. */
static void change_second(const table *t, const char *name)
{
    const hb_message_subject subject = {.kind = HB_MESSAGE_SECOND,
                                        .session = &t->file.session,
                                        .id = t->w.id,
                                        .params = t->w.params,
                                        .from = &t->w.cards[2]};
    char path[160];
    hb_message *message;
    hb_message_writer *writer;
    uint8_t body[HB_DIGEST_BYTES];
    join_path(path, sizeof path, t->folder, "second-owner-02.h5");
    assert_ok(hb_message_open(path, &subject, &message));
    assert_int_equal(unlink(path), 0);
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    const hb_message_parts *parts = hb_message_parts_in(message);
    for (uint32_t i = 0; i < parts->count; i++) {
        uint8_t *row = malloc(parts->part[i].row_bytes);
        for (uint32_t j = 0; j < parts->part[i].rows; j++) {
            assert_ok(hb_message_get(message, i, j, row));
            row[0] ^= i == hb_message_find(parts, NULL, name);
            assert_ok(hb_message_put(writer, i, j, row));
        }
        free(row);
    }
    assert_ok(hb_message_finish(writer, &t->w.owner[2].root, body));
    hb_message_writer_close(writer);
    hb_message_close(message);
}

/* Round 2 of somebody that is of other contributions. */
static void other_inputs_are_refused(void **state)
{
    (void)state;
    table t;
    table_open(&t, "inputs");
    for (int i = 0; i < 4; i++) {
        round_of_steps(&t);
    }
    change_second(&t, "inputs");
    assert_refused(step(&t, 1), HB_EDATA, "second-owner-02.h5 was made from other first-*.h5 than are here");
    table_close(&t);
}

/* An owner's own round 2 is compared with what his root gives, with the polynomials of his shares. */
static void own_polynomials_are_compared(void **state)
{
    (void)state;
    table t;
    table_open(&t, "own-polynomials");
    for (int i = 0; i < 3; i++) {
        round_of_steps(&t);
    }
    change_second(&t, "blinded");
    assert_refused(step(&t, 2), HB_EDATA, "second-owner-02.h5: is not what your party file gives");
    table_close(&t);
}

HB_UNIT(shares)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_t_kept_shares_give_the_secret), cmocka_unit_test(keys_have_the_threshold),
        cmocka_unit_test(steps_can_be_made_again),           cmocka_unit_test(wrong_shares_are_found),
        cmocka_unit_test(other_inputs_are_refused),          cmocka_unit_test(own_polynomials_are_compared),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
