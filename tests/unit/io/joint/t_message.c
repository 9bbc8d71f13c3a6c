/* Messages of owners of joint keys: what was put in comes out, the same message is the same bytes, and files that are
 * damaged, of others, or changed behind the check are refused. */
#include "unit/damage.h"

#include "io/dataset/file_kind.h"
#include "io/joint/label.h"
#include "io/joint/message.h"
#include "reference/joint_world.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {30, 31, 32}, 3, 65537};

/* A session of two owners whose cards are those of their roots. */
static void open_session(joint_world *w)
{
    joint_world_open(w, &chain, 2, 3);
    for (uint32_t i = 0; i < 2; i++) {
        hb_owner_card card;
        assert_ok(hb_party_card(&card, &w->owner[i].root, w->cards[i].name));
        w->cards[i] = card;
    }
    assert_ok(hb_joint_session_check(&w->session, w->params));
    hb_joint_session_id(w->id, &w->session);
}

static hb_message_subject subject_of(const joint_world *w, hb_message_kind kind, uint32_t owner)
{
    return (hb_message_subject){
        .kind = kind, .session = &w->session, .id = w->id, .params = w->params, .from = &w->cards[owner]};
}

/* --- cards */

static void cards_survive(void **state)
{
    (void)state;
    const hb_seed root = {{5}}, other = {{6}};
    const char *path = in_scratch("card-alice.h5"), *again = in_scratch("card-again.h5");
    hb_owner_card card, read;
    size_t bytes, more;
    assert_ok(hb_party_card(&card, &root, "alice"));
    assert_ok(hb_card_write(path, &card, &root));
    assert_ok(hb_card_read(path, &read));
    assert_memory_equal(&card, &read, sizeof card);
    assert_refused(hb_card_write(path, &card, &root), HB_ECREATE, "exists");
    assert_ok(hb_card_write(again, &card, &root));
    uint8_t *one = slurp(path, &bytes), *two = slurp(again, &more);
    assert_int_equal(bytes, more);
    assert_memory_equal(one, two, bytes);
    free(one);
    free(two);
    assert_refused(hb_card_read(in_scratch("none.h5"), &read), HB_ENOINPUT, "none.h5");
    assert_ok(hb_card_write(in_scratch("card-wrong.h5"), &card, &other)); /* not by the key that is in it */
    assert_refused(hb_card_read(in_scratch("card-wrong.h5"), &read), HB_EDATA, "not signed by alice's card");
    strcpy(card.name, "Alice");
    assert_ok(hb_card_write(in_scratch("card-name.h5"), &card, &root));
    assert_refused(hb_card_read(in_scratch("card-name.h5"), &read), HB_EDATA, "no name");
}

static bool card_refused(const char *path, void *context)
{
    hb_owner_card read;
    if (hb_card_read(path, &read) != HB_OK) {
        return true;
    }
    assert_memory_equal(&read, context, sizeof read);
    return false;
}

static void damaged_cards_are_refused(void **state)
{
    (void)state;
    const hb_seed root = {{7}};
    hb_owner_card card;
    const char *path = in_scratch("card-bob.h5");
    assert_ok(hb_party_card(&card, &root, "bob"));
    assert_ok(hb_card_write(path, &card, &root));
    damage_flip(path, card_refused, &card, NULL, 0, 3 * HB_CARD_KEY_BYTES + HB_SIGNATURE_BYTES);
    damage_cut(path, card_refused, &card);
}

/* --- contributions */

/* Writes the rows of a component of a key, row by row. */
static void put_key(hb_message_writer *writer, const char *group, const char *name, const uint8_t *packed)
{
    const uint32_t part = hb_message_find(hb_message_writer_parts(writer), group, name);
    const hb_message_part *of = &hb_message_writer_parts(writer)->part[part];
    for (uint32_t j = of->rows; j-- > 0;) { /* in any order */
        assert_ok(hb_message_put(writer, part, j, packed + j * of->row_bytes));
    }
}

/* Writes the contributions of an owner to round 1; path NULL: for the digest alone. */
static void write_first(const joint_world *w, uint32_t owner, const char *path, uint8_t body[HB_DIGEST_BYTES])
{
    const joint_owner *o = &w->owner[owner];
    const hb_message_subject subject = subject_of(w, HB_MESSAGE_FIRST, owner);
    const size_t bytes = hb_switch_key_packed_bytes(w->params);
    uint8_t *h0 = malloc(bytes), *h1 = malloc(bytes);
    hb_message_writer *writer;
    hb_public_key public_key;
    hb_switch_key key;
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    assert_ok(hb_owner_public(&public_key, &o->secret, &o->own, w->id));
    assert_ok(hb_public_key_pack(&public_key, h0, NULL));
    put_key(writer, NULL, "b", h0);
    hb_public_key_clear(&public_key);
    assert_ok(hb_owner_relin_first(&key, &o->secret, &o->own, w->id, w->session.relin_limbs));
    assert_ok(hb_switch_key_pack(&key, h0, h1));
    put_key(writer, "relin", "h0", h0);
    put_key(writer, "relin", "h1", h1);
    hb_switch_key_clear(&key);
    for (uint32_t k = 0; k < w->session.rotation_count; k++) {
        char name[16];
        assert_ok(hb_owner_rotation(&key, &o->secret, &o->own, w->id, w->rotations[k]));
        assert_ok(hb_switch_key_pack(&key, h0, NULL));
        snprintf(name, sizeof name, "%u", (unsigned)w->rotations[k].element);
        put_key(writer, "galois", name, h0);
        hb_switch_key_clear(&key);
    }
    assert_ok(hb_message_finish(writer, &o->root, body));
    hb_message_writer_close(writer);
    free(h0);
    free(h1);
}

/* Reads a component of a key, which the caller frees. */
static uint8_t *get_key(const hb_message *message, const char *group, const char *name)
{
    const uint32_t part = hb_message_find(hb_message_parts_in(message), group, name);
    const hb_message_part *of = &hb_message_parts_in(message)->part[part];
    uint8_t *packed = malloc(of->rows * of->row_bytes);
    for (uint32_t j = 0; j < of->rows; j++) {
        assert_ok(hb_message_get(message, part, j, packed + j * of->row_bytes));
    }
    return packed;
}

/* Contributions that went through files add up to the keys of those that did not. */
static void keys_come_out_of_files(void **state)
{
    (void)state;
    joint_world w;
    hb_message *first[2];
    hb_public_key sum;
    hb_switch_key rotation[2], relin[2];
    uint8_t body[HB_DIGEST_BYTES], alone[HB_DIGEST_BYTES];
    hb_seed seed, seeds[HB_MAX_LIMBS];
    open_session(&w);
    joint_make_keys(&w);
    hb_joint_public_seed(&seed, w.id);
    hb_joint_switch_seeds(seeds, w.params->data_limbs, w.id, w.rotations[0].element);
    for (uint32_t i = 0; i < 2; i++) {
        const hb_message_subject subject = subject_of(&w, HB_MESSAGE_FIRST, i);
        char name[32];
        snprintf(name, sizeof name, "first-%s.h5", w.cards[i].name);
        write_first(&w, i, NULL, alone);
        write_first(&w, i, in_scratch(name), body);
        assert_memory_equal(body, alone, sizeof body);
        assert_ok(hb_message_open(in_scratch(name), &subject, &first[i]));
        assert_memory_equal(hb_message_body(first[i]), body, sizeof body);

        hb_public_key more;
        uint8_t *b = get_key(first[i], NULL, "b"), *g = get_key(first[i], "galois", "3"),
                *h0 = get_key(first[i], "relin", "h0"), *h1 = get_key(first[i], "relin", "h1");
        assert_ok(hb_public_key_load(i == 0 ? &sum : &more, w.engine, w.params, b, NULL, &seed));
        if (i > 0) {
            assert_ok(hb_joint_add_public(&sum, &more));
            hb_public_key_clear(&more);
        }
        const hb_key_purpose purpose = {.source = HB_FROM_SECRET};
        const hb_packed_key packed = {.b = h0, .a = h1};
        assert_ok(hb_switch_key_load(&rotation[i], w.engine, w.params, 3, g, NULL, seeds));
        assert_ok(hb_switch_key_load_for(&relin[i], w.engine, w.params, &purpose, &packed));
        free(b);
        free(g);
        free(h0);
        free(h1);
        hb_message_close(first[i]);
    }
    assert_ok(hb_joint_add_switch(&rotation[0], &rotation[1]));
    assert_ok(hb_joint_add_switch(&relin[0], &relin[1]));
    const size_t words = w.params->key_limbs * w.params->spec.n;
    assert_memory_equal(sum.b.data, w.public_key.b.data, words * sizeof(uint64_t));
    assert_memory_equal(sum.a.data, w.public_key.a.data, words * sizeof(uint64_t));
    assert_memory_equal(rotation[0].parts.data, w.rotation[0].parts.data,
                        rotation[0].parts.count * words * sizeof(uint64_t));
    hb_batch h1 = hb_batch_of_groups(relin[0].parts, 2, 1), is = hb_batch_of_groups(w.relin.parts, 2, 1);
    for (size_t j = 0; j < h1.count; j++) { /* component 1 of the relinearization key is that of round 1 */
        assert_memory_equal(h1.data + j * h1.stride, is.data + j * is.stride, words * sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < 2; i++) {
        hb_switch_key_clear(&rotation[i]);
        hb_switch_key_clear(&relin[i]);
    }
    hb_public_key_clear(&sum);
    joint_world_close(&w);
}

static void messages_of_others_are_refused(void **state)
{
    (void)state;
    joint_world w, other;
    hb_message *message;
    hb_joint_label label;
    hb_file_kind kind;
    uint8_t body[HB_DIGEST_BYTES];
    const char *path = in_scratch("first-a.h5");
    open_session(&w);
    write_first(&w, 0, path, body);
    hb_message_subject subject = subject_of(&w, HB_MESSAGE_FIRST, 0);
    assert_ok(hb_message_open(path, &subject, &message));
    hb_message_close(message);
    assert_ok(hb_joint_label_read(path, &label));
    assert_string_equal(label.kind, "first");
    assert_string_equal(label.from, "owner-00");
    assert_memory_equal(label.session, w.id, sizeof label.session);
    assert_ok(hb_file_kind_of(path, &kind));
    assert_int_equal(kind, HB_FILE_JOINT);
    subject.from = &w.cards[1];
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "is of owner-00, not owner-01");
    hb_owner_card forged = w.cards[1]; /* who takes the name has not the key */
    strcpy(forged.name, w.cards[0].name);
    subject.from = &forged;
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "not signed by owner-00's card");
    subject = subject_of(&w, HB_MESSAGE_SECOND, 0);
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "where 'second' is needed");
    uint8_t id[HB_DIGEST_BYTES] = {0xab};
    subject = subject_of(&w, HB_MESSAGE_FIRST, 0);
    subject.id = id;
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "not ab000000..");

    hb_joint_session more = w.session; /* other shapes than it has */
    more.relin_limbs--;
    subject = subject_of(&w, HB_MESSAGE_FIRST, 0);
    subject.session = &more;
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "h0");
    const joint_chain chain_of_t = {1024, {30, 31, 32}, 3, 40961};
    joint_world_open(&other, &chain_of_t, 2, 3);
    subject = subject_of(&w, HB_MESSAGE_FIRST, 0);
    subject.params = other.params;
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "other parameters");
    joint_world_close(&other);
    joint_world_close(&w);
}

/* The file is changed behind the check: what is read then is refused. */
static void changed_files_are_noticed(void **state)
{
    (void)state;
    joint_world w;
    hb_message *message;
    uint8_t body[HB_DIGEST_BYTES];
    size_t bytes;
    const char *path = in_scratch("first-b.h5");
    open_session(&w);
    write_first(&w, 1, path, body);
    const hb_message_subject subject = subject_of(&w, HB_MESSAGE_FIRST, 1);
    assert_ok(hb_message_open(path, &subject, &message));
    uint8_t *b = get_key(message, NULL, "b"), *data = slurp(path, &bytes);
    const size_t row = hb_packed_bytes(&w.params->ring, w.params->ids, w.params->key_limbs);
    uint8_t *at = memmem(data, bytes, b, row);
    assert_non_null(at);
    FILE *file = fopen(path, "r+b");
    const uint8_t flipped = at[row / 2] ^ 16;
    assert_int_equal(pwrite(fileno(file), &flipped, 1, (off_t)((size_t)(at - data) + row / 2)), 1);
    fclose(file);
    assert_refused(hb_message_get(message, 0, 0, b), HB_EDATA, "has changed");
    hb_message_close(message);
    assert_refused(hb_message_open(path, &subject, &message), HB_EDATA, "does not match its digest");
    free(data);
    free(b);
    joint_world_close(&w);
}

/* --- commitments and round 2, and damage */

static void write_digests(const joint_world *w, hb_message_kind kind, const char *path, uint8_t value)
{
    const hb_message_subject subject = subject_of(w, kind, 0);
    hb_message_writer *writer;
    uint8_t body[HB_DIGEST_BYTES];
    assert_ok(hb_message_writer_open(path, &subject, &writer));
    const hb_message_parts *parts = hb_message_writer_parts(writer);
    for (uint32_t i = 0; i < parts->count; i++) {
        uint8_t *row = malloc(parts->part[i].row_bytes);
        for (uint32_t j = 0; j < parts->part[i].rows; j++) {
            memset(row, value + (int)j, parts->part[i].row_bytes);
            assert_ok(hb_message_put(writer, i, j, row));
        }
        free(row);
    }
    assert_ok(hb_message_finish(writer, &w->owner[0].root, body));
    hb_message_writer_close(writer);
}

/* A message of write_digests, to be opened. */
typedef struct opening {
    hb_message_subject subject;
    uint8_t value;
} opening;

static bool message_refused(const char *path, void *context)
{
    const opening *x = context;
    hb_message *message;
    if (hb_message_open(path, &x->subject, &message) != HB_OK) {
        return true;
    }
    const hb_message_parts *parts = hb_message_parts_in(message);
    for (uint32_t i = 0; i < parts->count; i++) {
        uint8_t *row = malloc(parts->part[i].row_bytes);
        for (uint32_t j = 0; j < parts->part[i].rows; j++) {
            assert_ok(hb_message_get(message, i, j, row));
            for (size_t k = 0; k < parts->part[i].row_bytes; k++) {
                assert_int_equal(row[k], (uint8_t)(x->value + j));
            }
        }
        free(row);
    }
    hb_message_close(message);
    return false;
}

static void damaged_messages_are_refused(void **state)
{
    (void)state;
    joint_world w;
    open_session(&w);
    opening x = {subject_of(&w, HB_MESSAGE_COMMIT, 0), 0x5a};
    const char *path = in_scratch("commit.h5");
    write_digests(&w, HB_MESSAGE_COMMIT, path, x.value);
    assert_false(message_refused(path, &x));
    damage_flip(path, message_refused, &x, NULL, 0, HB_DIGEST_BYTES + HB_SIGNATURE_BYTES);
    damage_cut(path, message_refused, &x);
    x = (opening){subject_of(&w, HB_MESSAGE_SECOND, 0), 0x31};
    path = in_scratch("second.h5");
    write_digests(&w, HB_MESSAGE_SECOND, path, x.value);
    const size_t row = hb_packed_bytes(&w.params->ring, w.params->ids, w.params->key_limbs);
    uint8_t *h2 = malloc(row);
    memset(h2, x.value, row);
    damage_flip(path, message_refused, &x, &(damage_rows){h2, row}, 1, row + HB_SIGNATURE_BYTES);
    free(h2);
    joint_world_close(&w);
}

/* A writer that is closed before its end leaves nothing. */
static void unfinished_messages_leave_nothing(void **state)
{
    (void)state;
    joint_world w;
    hb_message_writer *writer;
    open_session(&w);
    const hb_message_subject subject = subject_of(&w, HB_MESSAGE_COMMIT, 0);
    assert_ok(hb_message_writer_open(in_scratch("left.h5"), &subject, &writer));
    assert_false(is_there(in_scratch("left.h5")));
    assert_true(is_there(in_scratch("left.h5.partial")));
    hb_message_writer_close(writer);
    assert_false(is_there(in_scratch("left.h5.partial")));
    assert_refused(hb_message_writer_open(in_scratch("none/left.h5"), &subject, &writer), HB_ECREATE, "left.h5");
    assert_null(writer);
    joint_world_close(&w);
}

HB_UNIT(message)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cards_survive),
        cmocka_unit_test(damaged_cards_are_refused),
        cmocka_unit_test(keys_come_out_of_files),
        cmocka_unit_test(messages_of_others_are_refused),
        cmocka_unit_test(changed_files_are_noticed),
        cmocka_unit_test(damaged_messages_are_refused),
        cmocka_unit_test(unfinished_messages_leave_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
