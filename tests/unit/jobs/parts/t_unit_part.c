/* Parts of a unit: from stored rows to those that the steps of src/joint give, one by one; and the ledger before
 * them. */
#include "unit/scratch.h"

#include "joint/bfv_pads.h"
#include "joint/masks.h"
#include "joint/receiver.h"
#include "parts/unit_part.h"
#include "reference/joint_dataset.h"
#include "unit/unit.h"

enum { SELF = 1 };
typedef enum made_for { ALL, MASKED, A_RECEIVER, KINDS } made_for;

/* One owner, and what his parts of the dataset have in common. */
typedef struct maker {
    joint_dataset d;
    hb_header part;
    hb_part_facts facts;
    hb_part_plan plan;
    hb_part_cells cells;
    hb_part_owner owner;
    hb_unit_part_setting setting;
} maker;

static void maker_open(maker *m, made_for kind)
{
    memset(m, 0, sizeof *m);
    joint_dataset_open(&m->d, "d.heb", JOINT_OWNERS);
    joint_world *w = &m->d.w;
    const hb_header *h = &m->d.header;
    const char *ledger = in_scratch("ledger");
    (void)unlink(ledger);
    assert_ok(hb_part_plan_make(w->params, h->limbs, h->quality.worst, JOINT_OWNERS, w->session.results,
                                kind == A_RECEIVER, &m->plan));
    m->facts = (hb_part_facts){.u = m->plan.flood.u, .w = m->plan.flood.w};
    snprintf(m->facts.from, sizeof m->facts.from, "%s", w->cards[SELF].name);
    memcpy(m->facts.part_of, m->d.sum, sizeof m->d.sum);
    memset(m->facts.receiver, kind == A_RECEIVER ? 7 : 0, sizeof m->facts.receiver);
    m->part = *h;
    m->part.part = &m->facts;
    assert_ok(hb_part_cells_init(&m->cells, h, &m->facts));
    m->owner.own = w->owner[SELF].own;
    assert_ok(hb_ledger_create(ledger, w->id));
    assert_ok(hb_ledger_open(ledger, w->id, w->session.results, &m->owner.ledger));
    m->setting = (hb_unit_part_setting){
        .dataset = m->d.dataset,
        .part = &m->part,
        .request = {.session_id = w->id, .owners = w->cards, .count = JOINT_OWNERS, .plan = m->plan},
        .cells = &m->cells,
        .owner = &m->owner,
        .masked = kind == MASKED,
        .masks = {w->cards, JOINT_OWNERS, SELF, &w->owner[SELF].root},
        .secret = &w->owner[SELF].secret,
        .receiver = kind == A_RECEIVER ? &w->public_key : NULL};
    memcpy(m->setting.request.cells, m->cells.digest, sizeof m->cells.digest);
    memcpy(m->setting.request.receiver, m->facts.receiver, sizeof m->facts.receiver);
}

static void maker_close(maker *m)
{
    hb_ledger_close(m->owner.ledger);
    hb_part_cells_clear(&m->cells);
    joint_dataset_close(&m->d);
}

/* --- the steps of src/joint */

/* Adds pads to the slots of the last ciphertext that have no cell. */
static void add_pads(const maker *m, hb_batch h, const hb_seed *seeds)
{
    const joint_world *w = &m->d.w;
    hb_pads *pads;
    hb_batch strays;
    assert_ok(hb_pads_open(w->engine, w->params, h.limbs, HB_ENCODE_SLOTS, COUNT, &pads));
    assert_ok(hb_values_alloc(&strays, w->engine, w->params, COUNT));
    for (size_t i = 0; i < (size_t)COUNT * JOINT_N; i++) {
        strays.data[i] = JOINT_N * (JOINT_CIPHERTEXTS - COUNT) + i >= JOINT_ROWS;
    }
    assert_ok(hb_pads_add(pads, h, strays, seeds));
    hb_batch_free(w->engine, &strays);
    hb_pads_close(pads);
}

/* Turns h, a copy of component 1 of unit u, into the part, all ciphertexts at once; h1: for a receiver. */
static void make_by_steps(const maker *m, uint64_t u, hb_batch h, hb_batch h1)
{
    const joint_world *w = &m->d.w;
    uint8_t c1[COUNT][HB_DIGEST_BYTES], contexts[COUNT][HB_DIGEST_BYTES];
    hb_seed seeds[COUNT];
    joint_c1_digests(w, h, c1);
    for (size_t i = 0; i < COUNT; i++) {
        hb_part_context(contexts[i], &m->setting.request, c1[i]);
        hb_part_seed(&seeds[i], &w->owner[SELF].own, contexts[i]);
    }
    assert_ok(hb_part_make(w->engine, &w->owner[SELF].secret, m->plan.flood, h, h, seeds));
    if (m->setting.masked) {
        hb_masks *masks;
        assert_ok(hb_masks_open(w->engine, w->params, h.limbs, &m->setting.masks, COUNT, &masks));
        assert_ok(hb_masks_add(masks, h, contexts[0], sizeof contexts[0]));
        hb_masks_close(masks);
    }
    if (u == JOINT_UNITS - 1) {
        add_pads(m, h, seeds);
    }
    if (m->setting.receiver != NULL) {
        hb_receiver *receiver;
        assert_ok(hb_receiver_open(w->engine, &w->public_key, h.limbs, COUNT, &receiver));
        assert_ok(hb_receiver_turn(receiver, h, h1, seeds));
        hb_receiver_close(receiver);
    }
}

static void check_unit(const maker *m, uint64_t u, const hb_unit_buffer *made)
{
    const joint_world *w = &m->d.w;
    hb_batch part[2];
    hb_rows rows;
    uint8_t sum[HB_DIGEST_BYTES];
    copy_pair(w, &m->d.unit[u], &part[1], &part[0]); /* component 1 becomes the first of the part */
    make_by_steps(m, u, part[0], part[1]);
    joint_rows(w, &m->part, u, part, &rows, sum);
    assert_memory_equal(made->sum, sum, sizeof sum);
    const size_t bytes = COUNT * hb_rows_component_bytes(w->engine, &m->part);
    assert_memory_equal(made->rows.c0, rows.c0, bytes);
    if (m->setting.receiver != NULL) {
        assert_memory_equal(made->rows.c1, rows.c1, bytes);
    }
    hb_rows_free(&rows, w->engine);
    hb_batch_free(w->engine, &part[0]);
    hb_batch_free(w->engine, &part[1]);
}

static void parts_are_those_of_the_steps(void **state)
{
    (void)state;
    for (made_for kind = ALL; kind < KINDS; kind++) {
        for (size_t batch = 1; batch <= COUNT; batch++) {
            maker m;
            hb_unit_part x;
            maker_open(&m, kind);
            hb_unit_buffer buffer = {.whole = false};
            assert_ok(hb_rows_alloc(&buffer.rows, 1, m.d.w.engine, &m.d.header));
            assert_ok(hb_unit_part_init(&x, &m.setting, m.d.w.engine, batch));
            for (uint64_t u = JOINT_UNITS; u-- > 0;) {
                assert_ok(hb_dataset_read(m.d.dataset, u, &buffer.rows));
                assert_ok(hb_unit_part_make(&x, &buffer, u));
                check_unit(&m, u, &buffer);
                assert_int_equal(hb_ledger_count(m.owner.ledger), COUNT * (JOINT_UNITS - u));
            }
            hb_unit_part_clear(&x);
            hb_rows_free(&buffer.rows, m.d.w.engine);
            maker_close(&m);
        }
    }
}

/* --- the ledger */

static void nothing_is_made_of_other_rows_or_for_another_request(void **state)
{
    (void)state;
    maker m;
    hb_unit_part x;
    maker_open(&m, ALL);
    hb_unit_buffer buffer = {.whole = false};
    assert_ok(hb_rows_alloc(&buffer.rows, 1, m.d.w.engine, &m.d.header));
    assert_ok(hb_unit_part_init(&x, &m.setting, m.d.w.engine, COUNT));
    /* A component 1 that somebody made up is no unit of the dataset, and is not recorded. */
    assert_ok(hb_dataset_read(m.d.dataset, 1, &buffer.rows));
    buffer.rows.c1[5] ^= 1;
    assert_refused(hb_unit_part_make(&x, &buffer, 1), HB_EDATA, "do not match their checksum");
    assert_int_equal(hb_ledger_count(m.owner.ledger), 0);
    assert_ok(hb_dataset_read(m.d.dataset, 1, &buffer.rows));
    assert_ok(hb_unit_part_make(&x, &buffer, 1));
    /* The same request again; and one for other cells, which names the ciphertext of the dataset. */
    assert_ok(hb_dataset_read(m.d.dataset, 1, &buffer.rows));
    assert_ok(hb_unit_part_make(&x, &buffer, 1));
    assert_int_equal(hb_ledger_count(m.owner.ledger), COUNT);
    m.setting.request.cells[0] ^= 1;
    assert_ok(hb_dataset_read(m.d.dataset, 1, &buffer.rows));
    assert_refused(hb_unit_part_make(&x, &buffer, 1), HB_EDATA, "ciphertext 2");
    assert_int_equal(hb_ledger_count(m.owner.ledger), COUNT);
    hb_unit_part_clear(&x);
    hb_rows_free(&buffer.rows, m.d.w.engine);
    maker_close(&m);
}

HB_UNIT(unit_part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_the_steps),
        cmocka_unit_test(nothing_is_made_of_other_rows_or_for_another_request),
    };
    return hb_seed_start() != HB_OK ? 1 : cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
