/* Messages of sessions where some owners decrypt: sealed shares and blinded polynomials come out as they were put in,
 * and damaged or foreign files are refused. */
#include "unit/damage.h"

#include "io/joint/message.h"
#include "joint/sealing.h"
#include "joint/sharing.h"
#include "reference/joint_shares.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {36, 37}, 2, 65537};
enum { OWNERS = 3, THRESHOLD = 2, CHECKS = 2 };

static void open_session(joint_world *w)
{
    joint_world_open(w, &chain, OWNERS, 3);
    memset(w->cards[1].name, 'p', HB_OWNER_NAME_BYTES - 1); /* the longest */
    memcpy(w->cards[2].name, "q", 2);
    w->session.relin_limbs = w->session.rotation_count = 0;
    joint_threshold(w, THRESHOLD, 3);
}

static hb_message_subject subject_of(const joint_world *w, hb_message_kind kind, uint32_t owner)
{
    return (hb_message_subject){
        .kind = kind, .session = &w->session, .id = w->id, .params = w->params, .from = &w->cards[owner]};
}

static size_t polynomial_bytes(const joint_world *w)
{
    return hb_packed_bytes(&w->params->ring, w->params->ids, w->params->key_limbs);
}

static void put(hb_message_writer *writer, const char *group, const char *name, const uint8_t *rows)
{
    const uint32_t part = hb_message_find(hb_message_writer_parts(writer), group, name);
    const hb_message_part *of = &hb_message_writer_parts(writer)->part[part];
    for (uint32_t j = 0; j < of->rows; j++) {
        assert_ok(hb_message_put(writer, part, j, rows + j * of->row_bytes));
    }
}

/* Packs polynomials one behind the other; the caller frees. */
static uint8_t *pack_all(const joint_world *w, hb_batch a)
{
    const size_t bytes = polynomial_bytes(w);
    uint8_t *packed = malloc(a.count * bytes);
    for (size_t i = 0; i < a.count; i++) {
        assert_ok(hb_share_pack(w->engine, w->params, packed + i * bytes, hb_batch_slice(a, i, 1)));
    }
    return packed;
}

/* A message of owner 0 with shares for the others. */
static void write_first(const joint_world *w, const char *path)
{
    const joint_owner *o = &w->owner[0];
    const hb_message_subject subject = subject_of(w, HB_MESSAGE_FIRST, 0);
    const size_t bytes = (1 + CHECKS) * polynomial_bytes(w);
    uint8_t body[HB_DIGEST_BYTES], *b = calloc(bytes, 1), *box = malloc(bytes + HB_SEAL_BYTES);
    hb_batch dealt = joint_polynomials(w, 1 + CHECKS);
    hb_message_writer *writer;
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    assert_int_equal(hb_message_writer_parts(writer)->count, OWNERS);
    put(writer, NULL, "b", b);
    for (uint32_t i = 1; i < OWNERS; i++) {
        const hb_share_way way = {w->id, &w->cards[0], &w->cards[i]};
        assert_ok(hb_owner_deal(dealt, &o->secret, &o->own, THRESHOLD, i + 1));
        uint8_t *message = pack_all(w, dealt);
        assert_ok(hb_share_seal(box, &o->root, &way, message, bytes));
        put(writer, "shares", w->cards[i].name, box);
        free(message);
    }
    assert_ok(hb_message_finish(writer, &o->root, body));
    hb_message_writer_close(writer);
    hb_batch_free(w->engine, &dealt);
    free(b);
    free(box);
}

static void write_second(const joint_world *w, const char *path, const uint8_t inputs[HB_DIGEST_BYTES])
{
    const joint_owner *o = &w->owner[0];
    const hb_message_subject subject = subject_of(w, HB_MESSAGE_SECOND, 0);
    uint8_t body[HB_DIGEST_BYTES];
    hb_batch blinded = joint_polynomials(w, CHECKS * THRESHOLD);
    hb_message_writer *writer;
    for (uint32_t r = 0; r < CHECKS; r++) {
        const hb_share_test test = {r, inputs};
        assert_ok(hb_owner_blind(hb_batch_slice(blinded, r * THRESHOLD, THRESHOLD), &o->secret, &o->own, &test));
    }
    uint8_t *packed = pack_all(w, blinded);
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    put(writer, NULL, "inputs", inputs);
    put(writer, NULL, "blinded", packed);
    assert_ok(hb_message_finish(writer, &o->root, body));
    hb_message_writer_close(writer);
    hb_batch_free(w->engine, &blinded);
    free(packed);
}

/* Reads the rows of a part, which the caller frees. */
static uint8_t *get(const hb_message *message, const char *group, const char *name, size_t *bytes)
{
    const uint32_t part = hb_message_find(hb_message_parts_in(message), group, name);
    const hb_message_part *of = &hb_message_parts_in(message)->part[part];
    uint8_t *rows = malloc(of->rows * of->row_bytes);
    for (uint32_t j = 0; j < of->rows; j++) {
        assert_ok(hb_message_get(message, part, j, rows + j * of->row_bytes));
    }
    *bytes = of->rows * of->row_bytes;
    return rows;
}

/* Owner 1 or 2 takes his share out of files, and it agrees with what the dealer showed blinded. */
static void shares_come_out_of_files(void **state)
{
    (void)state;
    joint_world w;
    hb_message *first, *second;
    const uint8_t inputs[HB_DIGEST_BYTES] = {4};
    size_t bytes, more;
    open_session(&w);
    const size_t one = polynomial_bytes(&w);
    const hb_message_subject of_first = subject_of(&w, HB_MESSAGE_FIRST, 0),
                             of_second = subject_of(&w, HB_MESSAGE_SECOND, 0);
    write_first(&w, in_scratch("first.h5"));
    write_first(&w, in_scratch("first-again.h5"));
    write_second(&w, in_scratch("second.h5"), inputs);
    uint8_t *a = slurp(in_scratch("first.h5"), &bytes), *b = slurp(in_scratch("first-again.h5"), &more);
    assert_int_equal(bytes, more);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
    assert_ok(hb_message_open(in_scratch("first.h5"), &of_first, &first));
    assert_ok(hb_message_open(in_scratch("second.h5"), &of_second, &second));
    uint8_t *packed = get(second, NULL, "blinded", &bytes), *message = malloc((1 + CHECKS) * one);
    assert_int_equal(bytes, CHECKS * THRESHOLD * one);
    hb_batch blinded = joint_polynomials(&w, CHECKS * THRESHOLD), shares = joint_polynomials(&w, 1 + CHECKS);
    for (uint32_t k = 0; k < CHECKS * THRESHOLD; k++) {
        assert_ok(hb_share_unpack(w.engine, hb_batch_slice(blinded, k, 1), packed + k * one, "a polynomial"));
    }
    for (uint32_t i = 1; i < OWNERS; i++) {
        const hb_share_way way = {w.id, &w.cards[0], &w.cards[i]};
        uint8_t *box = get(first, "shares", w.cards[i].name, &bytes);
        assert_int_equal(bytes, HB_SEAL_BYTES + (1 + CHECKS) * one);
        assert_ok(hb_share_unseal(message, &w.owner[i].root, &way, box, (1 + CHECKS) * one));
        for (uint32_t k = 0; k <= CHECKS; k++) {
            assert_ok(hb_share_unpack(w.engine, hb_batch_slice(shares, k, 1), message + k * one, "a share"));
        }
        for (uint32_t r = 0; r < CHECKS; r++) {
            const hb_share_test test = {r, inputs};
            bool good;
            assert_ok(hb_share_compare(&good, w.params, shares, hb_batch_slice(blinded, r * THRESHOLD, THRESHOLD),
                                       i + 1, &test, w.engine));
            assert_true(good);
        }
        free(box);
    }
    hb_message_close(first);
    hb_message_close(second);
    hb_batch_free(w.engine, &blinded);
    hb_batch_free(w.engine, &shares);
    free(packed);
    free(message);
    joint_world_close(&w);
}

/* A session in which all decrypt has no shares, and files of one do not pass for the other's. */
static void sessions_differ_by_threshold(void **state)
{
    (void)state;
    joint_world w;
    hb_message *message;
    open_session(&w);
    write_first(&w, in_scratch("two.h5"));
    hb_joint_session all = w.session;
    all.threshold = OWNERS;
    uint8_t id[HB_DIGEST_BYTES];
    hb_joint_session_id(id, &all);
    hb_message_subject subject = subject_of(&w, HB_MESSAGE_FIRST, 0);
    subject.session = &all;
    subject.id = id;
    assert_refused(hb_message_open(in_scratch("two.h5"), &subject, &message), HB_EDATA, "of session");
    hb_message_writer *writer;
    assert_ok(hb_message_writer_open(NULL, &subject, &writer));
    assert_int_equal(hb_message_writer_parts(writer)->count, 1);
    hb_message_writer_close(writer);
    /* Nor those of another owner of the same session, whose shares have other names. */
    const hb_message_subject other = subject_of(&w, HB_MESSAGE_FIRST, 1);
    assert_refused(hb_message_open(in_scratch("two.h5"), &other, &message), HB_EDATA, "is of owner-00");
    joint_world_close(&w);
}

static bool message_refused(const char *path, void *context)
{
    hb_message *message;
    if (hb_message_open(path, context, &message) != HB_OK) {
        return true;
    }
    hb_message_close(message);
    return false;
}

static void damaged_messages_are_refused(void **state)
{
    (void)state;
    joint_world w;
    const uint8_t inputs[HB_DIGEST_BYTES] = {4};
    const char *path = in_scratch("first-damaged.h5");
    open_session(&w);
    const size_t one = polynomial_bytes(&w), box = HB_SEAL_BYTES + (1 + CHECKS) * one;
    hb_message_subject subject = subject_of(&w, HB_MESSAGE_FIRST, 0);
    hb_message *message;
    damage_rows rows[CHECKS * THRESHOLD];
    size_t bytes;
    write_first(&w, path);
    assert_ok(hb_message_open(path, &subject, &message));
    for (uint32_t i = 1; i < OWNERS; i++) {
        rows[i - 1] = (damage_rows){get(message, "shares", w.cards[i].name, &bytes), box};
    }
    hb_message_close(message);
    damage_flip(path, message_refused, &subject, rows, OWNERS - 1, HB_SIGNATURE_BYTES + (OWNERS - 1) * box);
    damage_cut(path, message_refused, &subject);
    for (uint32_t i = 1; i < OWNERS; i++) {
        free((void *)(uintptr_t)rows[i - 1].data);
    }
    path = in_scratch("second-damaged.h5");
    subject = subject_of(&w, HB_MESSAGE_SECOND, 0);
    write_second(&w, path, inputs);
    assert_ok(hb_message_open(path, &subject, &message));
    uint8_t *blinded = get(message, NULL, "blinded", &bytes);
    hb_message_close(message);
    for (uint32_t k = 0; k < CHECKS * THRESHOLD; k++) {
        rows[k] = (damage_rows){blinded + k * one, one};
    }
    damage_flip(path, message_refused, &subject, rows, CHECKS * THRESHOLD, HB_SIGNATURE_BYTES + bytes);
    damage_cut(path, message_refused, &subject);
    free(blinded);
    joint_world_close(&w);
}

HB_UNIT(message_shares)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_come_out_of_files),
        cmocka_unit_test(sessions_differ_by_threshold),
        cmocka_unit_test(damaged_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
