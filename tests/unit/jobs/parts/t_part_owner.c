/* Owners who make parts: which files they take, and what becomes of a ledger that is lost. */
#include "unit/damage.h"
#include "unit/scratch.h"

#include "io/joint/state_file.h"
#include "parts/part_owner.h"
#include "reference/joint_world.h"
#include "unit/unit.h"

static const joint_chain chain = {1024, {40, 41, 42, 43}, 4, 65537};
enum { OWNERS = 3 };

/* A session of owners, the first of whom makes parts; and the header of a dataset under its keys. */
typedef struct seat {
    joint_world w;
    hb_header dataset;
    hb_part_owner owner;
    char party[128], session[128], state[160], ledger[160];
} seat;

static void place(char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s", in_scratch(name));
}

static void seat_open(seat *s, const char *folder)
{
    joint_world *w = &s->w;
    hb_party_file party;
    char name[128];
    memset(s, 0, sizeof *s);
    joint_world_open(w, &chain, OWNERS, 9);
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_owner_card card;
        assert_ok(hb_party_card(&card, &w->owner[i].root, w->cards[i].name));
        w->cards[i] = card;
    }
    hb_joint_session_id(w->id, &w->session);
    assert_int_equal(mkdir(in_scratch(folder), 0700), 0);
    snprintf(name, sizeof name, "%s/party.h5", folder);
    place(s->party, sizeof s->party, name);
    snprintf(name, sizeof name, "%s/session.h5", folder);
    place(s->session, sizeof s->session, name);
    snprintf(name, sizeof name, "%s/joint-%02x%02x%02x%02x", folder, w->id[0], w->id[1], w->id[2], w->id[3]);
    snprintf(s->state, sizeof s->state, "%s.h5", in_scratch(name));
    snprintf(s->ledger, sizeof s->ledger, "%s.parts", in_scratch(name));
    assert_ok(hb_party_file_init(&party, w->cards[0].name, &w->owner[0].root));
    assert_ok(hb_party_file_write(s->party, &party));
    hb_party_file_clear(&party);
    assert_ok(hb_session_file_write(s->session, &w->params->spec, &w->session));
    s->dataset.spec = w->params->spec;
    s->dataset.spec.joint = (hb_joint_spec){.owners = OWNERS, .threshold = OWNERS, .results = w->session.results};
    memcpy(s->dataset.spec.joint.session, w->id, HB_DIGEST_BYTES);
}

static void seat_close(seat *s)
{
    hb_part_owner_close(&s->owner);
    joint_world_close(&s->w);
}

/* A group of one. */
static hb_group *alone;

static hb_status open_owner(seat *s)
{
    HB_TRY(hb_part_owner_open(&s->owner, s->party, s->session, &s->dataset, "d.heb"));
    return hb_part_owner_unseal(&s->owner, alone, s->party);
}

static void files_of_others_are_refused(void **state)
{
    (void)state;
    seat s;
    hb_owner_card other;
    hb_party_file party;
    seat_open(&s, "files");
    assert_ok(hb_part_owner_open(&s.owner, s.party, in_scratch("files"), &s.dataset, "d.heb"));
    assert_string_equal(s.owner.party.name, s.w.cards[0].name);
    hb_part_owner_close(&s.owner);
    s.dataset.spec.joint.session[0] ^= 1;
    assert_refused(hb_part_owner_open(&s.owner, s.party, s.session, &s.dataset, "d.heb"), HB_EDATA, "another session");
    hb_part_owner_close(&s.owner);
    s.dataset.spec.joint.session[0] ^= 1;
    s.dataset.spec.joint.results++;
    assert_refused(hb_part_owner_open(&s.owner, s.party, s.session, &s.dataset, "d.heb"), HB_EDATA, "another session");
    hb_part_owner_close(&s.owner);
    s.dataset.spec.joint = (hb_joint_spec){.owners = 0};
    assert_refused(hb_part_owner_open(&s.owner, s.party, s.session, &s.dataset, "d.heb"), HB_EUSAGE, "one owner");
    hb_part_owner_close(&s.owner);
    s.dataset.spec.joint = (hb_joint_spec){.owners = OWNERS, .threshold = OWNERS, .results = s.w.session.results};
    memcpy(s.dataset.spec.joint.session, s.w.id, HB_DIGEST_BYTES);
    /* Somebody else of the same name. */
    s.w.owner[0].root.bytes[5] ^= 1;
    assert_ok(hb_party_card(&other, &s.w.owner[0].root, s.w.cards[0].name));
    assert_ok(hb_party_file_init(&party, other.name, &s.w.owner[0].root));
    assert_int_equal(unlink(s.party), 0);
    assert_ok(hb_party_file_write(s.party, &party));
    hb_party_file_clear(&party);
    assert_refused(open_owner(&s), HB_EDATA, "no card");
    seat_close(&s);
}

static void write_state(const seat *s, uint64_t parts)
{
    hb_joint_state known = hb_joint_state_begin(HB_JOINT_SESSION, s->w.cards[0].name, s->w.id);
    known.parts = parts;
    assert_ok(hb_joint_state_write(s->state, &known, false));
}

static uint64_t noted(const seat *s)
{
    hb_joint_state known;
    assert_ok(hb_joint_state_read(s->state, &known));
    const uint64_t parts = known.parts;
    hb_joint_state_clear(&known);
    return parts;
}

/* A lost ledger is missed, and so is one that nobody knows of. */
static void ledgers_begin_once(void **state)
{
    (void)state;
    seat s;
    hb_seed own;
    const hb_ledger_record record = {.c1 = {1}, .context = {2}}, other = {.c1 = {1}, .context = {3}};
    seat_open(&s, "ledgers");
    assert_ok(open_owner(&s));
    hb_owner_root(&own, &s.w.owner[0].root, s.w.id);
    assert_memory_equal(&s.owner.own, &own, sizeof own);
    for (int anew = 0; anew < 2; anew++) {
        assert_refused(hb_part_owner_begin_ledger(&s.owner, anew), HB_EDATA, ".h5: is gone");
    }
    write_state(&s, 0);
    assert_ok(hb_part_owner_begin_ledger(&s.owner, false));
    assert_int_equal(noted(&s), 1);
    assert_ok(hb_part_owner_open_ledger(&s.owner));
    assert_ok(hb_ledger_add_parts(s.owner.ledger, &record, 1, 0));
    assert_refused(hb_ledger_add_parts(s.owner.ledger, &other, 1, 5), HB_EDATA, "ciphertext 5");
    assert_ok(hb_part_owner_begin_ledger(&s.owner, false)); /* it is there */
    assert_int_equal(unlink(s.ledger), 0);
    assert_refused(hb_part_owner_begin_ledger(&s.owner, false), HB_EDATA, ".parts: is gone");
    assert_ok(hb_part_owner_begin_ledger(&s.owner, true));
    assert_int_equal(noted(&s), 1);
    seat_close(&s);
}

/* An older ledger that is put back has fewer records than a job left. */
static void older_ledgers_are_refused(void **state)
{
    (void)state;
    seat s;
    size_t bytes;
    const hb_ledger_record records[] = {{.c1 = {1}}, {.c1 = {2}}, {.c1 = {3}}};
    seat_open(&s, "older");
    assert_ok(open_owner(&s));
    write_state(&s, 0);
    assert_ok(hb_part_owner_begin_ledger(&s.owner, false));
    assert_ok(hb_part_owner_open_ledger(&s.owner));
    assert_ok(hb_ledger_add_parts(s.owner.ledger, records, 2, 0));
    assert_ok(hb_part_owner_note_ledger(&s.owner));
    assert_int_equal(noted(&s), 3);
    uint8_t *older = slurp(s.ledger, &bytes);
    assert_ok(hb_ledger_add_parts(s.owner.ledger, records, 3, 0));
    assert_ok(hb_part_owner_begin_ledger(&s.owner, false)); /* a job that was killed left more */
    assert_int_equal(noted(&s), 3);
    spit(s.ledger, older, bytes);
    assert_ok(hb_part_owner_begin_ledger(&s.owner, false)); /* as many as were noted */
    assert_int_equal(unlink(s.ledger), 0);
    spit(s.ledger, older, bytes - sizeof *records);
    assert_int_equal(chmod(s.ledger, 0600), 0);
    assert_refused(hb_part_owner_begin_ledger(&s.owner, false), HB_EDATA,
                   ".parts: has 1 records, and had 2: an older one was put back");
    assert_refused(hb_part_owner_begin_ledger(&s.owner, true), HB_EUSAGE, "--new-ledger");
    assert_ok(hb_part_owner_note_ledger(&s.owner));
    assert_int_equal(noted(&s), 3); /* never fewer */
    free(older);
    seat_close(&s);
}

/* The key that a dataset is under is the one that was compared. */
static void other_keys_are_refused(void **state)
{
    (void)state;
    seat s;
    hb_joint_state known;
    const uint8_t key_id[HB_KEY_ID_BYTES] = {1, 2}, other[HB_KEY_ID_BYTES] = {1, 3};
    seat_open(&s, "keys");
    assert_ok(open_owner(&s));
    assert_refused(hb_part_owner_read_state(&s.owner, &known), HB_EDATA, "--check KEYS compares the keys");
    write_state(&s, 0);
    assert_ok(hb_part_owner_read_state(&s.owner, &known));
    assert_refused(hb_part_owner_check_key(&s.owner, &known, key_id, "d.heb"), HB_EDATA,
                   "notes no keys that you compared");
    memcpy(known.key_id, key_id, sizeof key_id);
    assert_ok(hb_part_owner_check_key(&s.owner, &known, key_id, "d.heb"));
    assert_refused(hb_part_owner_check_key(&s.owner, &known, other, "d.heb"), HB_EDATA,
                   "d.heb: is under key 0103000000000000000000000000000");
    hb_joint_state_clear(&known);
    seat_close(&s);
}

static void parts_are_signed_by_the_card(void **state)
{
    (void)state;
    static const uint8_t sum[HB_DIGEST_BYTES] = {7, 8, 9}, other[HB_DIGEST_BYTES] = {7, 8, 8};
    uint8_t signature[HB_SIGNATURE_BYTES];
    seat s;
    seat_open(&s, "signed");
    assert_ok(open_owner(&s));
    hb_part_owner_sign(&s.owner, sum, signature);
    hb_signed_facts facts = {.kind = "part", .session = s.w.id, .from = s.w.cards[0].name, .body = sum};
    assert_true(hb_card_signed(&s.w.cards[0], signature, &facts));
    assert_false(hb_card_signed(&s.w.cards[1], signature, &facts));
    facts.body = other;
    assert_false(hb_card_signed(&s.w.cards[0], signature, &facts));
    seat_close(&s);
}

HB_UNIT(part_owner)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_others_are_refused),  cmocka_unit_test(ledgers_begin_once),
        cmocka_unit_test(older_ledgers_are_refused),    cmocka_unit_test(other_keys_are_refused),
        cmocka_unit_test(parts_are_signed_by_the_card),
    };
    if (hb_seed_start() != HB_OK || hb_group_open_alone(&alone) != HB_OK) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    hb_group_close(alone);
    return failed;
}
